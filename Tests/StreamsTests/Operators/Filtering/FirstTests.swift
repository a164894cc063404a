import Streams
import StreamsTesting
import Testing

@Suite("first")
struct FirstTests {
    @Test func buffersTheValueUntilItIsRequested() {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        subject.first().subscribe(recorder)
        subject.send(1)
        subject.send(2)
        #expect(recorder.events == [.subscription("First")])
        recorder.request(.max(1))
        #expect(recorder.events == [.subscription("First"), .value(1), .finished])
    }

    @Test func forwardsACompletionBeforeTheFirstValue() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        probe.first().subscribe(recorder)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("First"), .failure(.first)])
        #expect(probe.commands == [[.request(.unlimited)]])
    }

    @Test func awaitsItsValue() async throws {
        #expect(await Record<Int, Never>(output: [1, 2], completion: .finished).first().value == 1)
        #expect(await Record<Int, Never>(output: [1, 2], completion: .finished).first { $0 > 1 }.value == 2)
        #expect(await Empty<Int, Never>().first().value == nil)
        #expect(await Record<Int, Never>(output: [1], completion: .finished).first { $0 > 1 }.value == nil)
        let failing = Fail<Int, TestError>(error: .first)
        await #expect(throws: TestError.first) { try await failing.first().value }
        await #expect(throws: TestError.first) { try await failing.first { $0 > 1 }.value }
    }

    @Test func cancelsAnAwaitedUpstreamOnce() async {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let task = Task { await probe.first().value }
        while probe.commands.isEmpty { await Task.yield() }
        task.cancel()
        #expect(await task.value == nil)
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test func deliversNothingAfterCancellation() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.first().subscribe(recorder)
        recorder.cancel()
        probe.send(1)
        #expect(recorder.events == [.subscription("First")])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }
}
