import Streams
import Testing

@Suite("catch, tryCatch and replaceError")
struct CatchTests {
    @Test func goesOnWithAnotherPublisher() {
        let recorder = Recorder<Int, Never>()
        let failing = [1, 2].publisher.setFailureType(to: Oops.self).append(Fail(error: .one))
        failing.catch { _ in [8, 9].publisher }.subscribe(recorder)
        #expect(recorder.signals == [.subscription("Catch"), .value(1), .value(2), .value(8), .value(9), .finished])
    }

    @Test func passesUnansweredDemandOn() {
        let (first, second) = (Probe<Int, Oops>(), Probe<Int, Oops>())
        let recorder = Recorder<Int, Oops>(.max(3)) { _, value in value == 1 ? .max(2) : .none }
        first.catch { _ in second }.subscribe(recorder)
        #expect(first.send(1) == .max(2))
        first.send(completion: .failure(.one))
        #expect(second.orders == [[.request(.max(4))]])
        second.send(2)
        recorder.request(.max(7))
        #expect(second.orders == [[.request(.max(4)), .request(.max(7))]])
        second.send(completion: .failure(.two))
        #expect(recorder.end == .failure("two"))
    }

    @Test func passesUnlimitedDemandOn() {
        let (first, second) = (Probe<Int, Oops>(), Probe<Int, Oops>())
        let recorder = Recorder<Int, Oops>()
        first.catch { _ in second }.subscribe(recorder)
        first.send(1)
        first.send(completion: .failure(.one))
        #expect(second.orders == [[.request(.unlimited)]])
    }

    @Test func aSecondFailureStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let (first, second) = (Probe<Int, Oops>(), Probe<Int, Oops>())
            first.catch { _ in second }.subscribe(Recorder<Int, Oops>())
            first.send(completion: .failure(.one))
            first.send(completion: .failure(.one))
        }
    }

    @Test func aFailureAfterTheCancellationIsIgnored() {
        let (first, second) = (Probe<Int, Oops>(), Probe<Int, Oops>())
        let recorder = Recorder<Int, Oops>()
        first.catch { _ in second }.subscribe(recorder)
        recorder.cancel()
        first.send(completion: .failure(.one))
        first.send(completion: .failure(.one))
        #expect(second.subscriptionCount == 0)
        #expect(recorder.signals == [.subscription("Catch")])
    }

    @Test func cancellationReachesTheCurrentOne() {
        let (first, second) = (Probe<Int, Oops>(), Probe<Int, Oops>())
        let recorder = Recorder<Int, Oops>()
        first.catch { _ in second }.subscribe(recorder)
        first.send(completion: .failure(.one))
        recorder.cancel()
        second.send(completion: .finished)
        #expect(first.orders == [[.request(.unlimited)]])
        #expect(second.orders == [[.request(.unlimited), .cancel]])
        #expect(recorder.signals == [.subscription("Catch")])
    }

    @Test func cancellationInTheHandlerIsHeeded() {
        let (first, second) = (Probe<Int, Oops>(), Probe<Int, Oops>())
        let recorder = Recorder<Int, Oops>()
        let caught = first.catch { _ in
            recorder.cancel()
            return second
        }
        caught.subscribe(recorder)
        first.send(completion: .failure(.one))
        #expect(second.orders == [[.cancel]])
    }

    @Test func aSecondSubscriptionIsCancelled() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Never>()
        probe.catch { _ in Just(0) }.subscribe(recorder)
        let superfluous = ProbeSubscription()
        probe.send(subscription: superfluous)
        #expect(superfluous.orders == [.cancel])
        #expect(recorder.signals == [.subscription("Catch")])
    }

    @Test func tryCatchFailsWithTheErrorThrown() {
        let recorder = Recorder<Int, any Error>()
        let handler: @Sendable (Oops) throws -> Just<Int> = { _ in throw Oops.two }
        Fail<Int, Oops>(error: .one).tryCatch(handler).subscribe(recorder)
        #expect(recorder.signals == [.subscription("TryCatch"), .failure("two")])
    }

    @Test func tryCatchGoesOn() {
        let recorder = Recorder<Int, any Error>()
        let handler: @Sendable (Oops) throws -> Just<Int> = { _ in Just(9) }
        Fail<Int, Oops>(error: .one).tryCatch(handler).subscribe(recorder)
        #expect(recorder.signals == [.subscription("TryCatch"), .value(9), .finished])
    }

    @Test func replacementWaitsForDemand() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Never>(.max(1))
        probe.replaceError(with: 0).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.one))
        #expect(recorder.signals == [.subscription("ReplaceError"), .value(1)])
        recorder.request(.max(1))
        #expect(recorder.signals == [.subscription("ReplaceError"), .value(1), .value(0), .finished])
    }

    @Test func handlerIsReleasedOnCompletion() {
        let releases = Counter()
        let subject = PassthroughSubject<Int, Oops>()
        let recorder = Recorder<Int, Never>()
        let attach: (ReleaseToken) -> Void = { token in
            let handler: @Sendable (Oops) -> Just<Int> = { _ in
                _ = token
                return Just(0)
            }
            subject.catch(handler).subscribe(recorder)
        }
        attach(ReleaseToken(releases))
        #expect(releases.value == 0)
        subject.send(completion: .finished)
        #expect(releases.value == 1)
    }
}
