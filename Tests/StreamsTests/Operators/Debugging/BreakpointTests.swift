import Streams
import StreamsTesting
import Testing

@Suite("breakpoint and breakpointOnError")
struct BreakpointTests {
    @Test func forwardsEverythingIfNoClosureStops() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2))
        probe.breakpoint(
            receiveSubscription: { _ in false }, receiveOutput: { $0 == 7 }, receiveCompletion: { $0 == .finished }
        ).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(recorder.values == [1])
        #expect(recorder.completion == .failure(.first))
        #expect(probe.commands == [[.request(.max(2))]])
    }

    @Test func stopsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            _ = [1, 2].publisher.breakpoint(receiveOutput: { $0 == 2 }).sink { _ in }
        }
        await #expect(processExitsWith: .failure) {
            _ = Fail<Int, TestError>(error: .first).breakpointOnError().sink { _ in
            } receiveValue: { _ in
            }
        }
        await #expect(processExitsWith: .success) {
            _ = [1, 2].publisher.breakpointOnError().sink { _ in }
        }
    }
}
