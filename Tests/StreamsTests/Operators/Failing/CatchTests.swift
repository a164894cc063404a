import Streams
import StreamsTesting
import Testing

@Suite("catch, tryCatch and replaceError")
struct CatchTests {
    @Test func goesOnWithAnotherPublisher() {
        let recorder = RecordingSubscriber<Int, Never>()
        let failing = [1, 2].publisher.setFailureType(to: Oops.self).append(Fail(error: .one))
        failing.catch { _ in [8, 9].publisher }.subscribe(recorder)
        #expect(recorder.events == [.subscription("Catch"), .value(1), .value(2), .value(8), .value(9), .finished])
    }

    @Test func passesUnansweredDemandOn() {
        let first = ProbePublisher<Int, Oops>(retention: .always)
        let second = ProbePublisher<Int, Oops>(retention: .always)
        let recorder = RecordingSubscriber<Int, Oops>(
            initialDemand: .max(3), demandForValue: { value in value == 1 ? .max(2) : .none })
        first.catch { _ in second }.subscribe(recorder)
        #expect(first.send(1) == .max(2))
        first.send(completion: .failure(.one))
        #expect(second.commands == [[.request(.max(4))]])
        second.send(2)
        recorder.request(.max(7))
        #expect(second.commands == [[.request(.max(4)), .request(.max(7))]])
        second.send(completion: .failure(.two))
        #expect(recorder.completion == .failure(.two))
    }

    @Test func passesUnlimitedDemandOn() {
        let first = ProbePublisher<Int, Oops>(retention: .always)
        let second = ProbePublisher<Int, Oops>(retention: .always)
        let recorder = RecordingSubscriber<Int, Oops>()
        first.catch { _ in second }.subscribe(recorder)
        first.send(1)
        first.send(completion: .failure(.one))
        #expect(second.commands == [[.request(.unlimited)]])
    }

    @Test func aSecondFailureStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let first = ProbePublisher<Int, Oops>(retention: .always)
            let second = ProbePublisher<Int, Oops>(retention: .always)
            first.catch { _ in second }.subscribe(RecordingSubscriber<Int, Oops>())
            first.send(completion: .failure(.one))
            first.send(completion: .failure(.one))
        }
    }

    @Test func aFailureAfterTheCancellationIsIgnored() {
        let first = ProbePublisher<Int, Oops>(retention: .always)
        let second = ProbePublisher<Int, Oops>(retention: .always)
        let recorder = RecordingSubscriber<Int, Oops>()
        first.catch { _ in second }.subscribe(recorder)
        recorder.cancel()
        first.send(completion: .failure(.one))
        first.send(completion: .failure(.one))
        #expect(second.subscriptionCount == 0)
        #expect(recorder.events == [.subscription("Catch")])
    }

    @Test func cancellationReachesTheCurrentOne() {
        let first = ProbePublisher<Int, Oops>(retention: .always)
        let second = ProbePublisher<Int, Oops>(retention: .always)
        let recorder = RecordingSubscriber<Int, Oops>()
        first.catch { _ in second }.subscribe(recorder)
        first.send(completion: .failure(.one))
        recorder.cancel()
        second.send(completion: .finished)
        #expect(first.commands == [[.request(.unlimited)]])
        #expect(second.commands == [[.request(.unlimited), .cancel]])
        #expect(recorder.events == [.subscription("Catch")])
    }

    @Test func cancellationInTheHandlerIsHeeded() {
        let first = ProbePublisher<Int, Oops>(retention: .always)
        let second = ProbePublisher<Int, Oops>(retention: .always)
        let recorder = RecordingSubscriber<Int, Oops>()
        let caught = first.catch { _ in
            recorder.cancel()
            return second
        }
        caught.subscribe(recorder)
        first.send(completion: .failure(.one))
        #expect(second.commands == [[.cancel]])
    }

    @Test func aSecondSubscriptionIsCancelled() {
        let probe = ProbePublisher<Int, Oops>(retention: .always)
        let recorder = RecordingSubscriber<Int, Never>()
        probe.catch { _ in Just(0) }.subscribe(recorder)
        let superfluous = Ledger()
        probe.send(subscription: superfluous)
        #expect(superfluous.entries == ["cancel"])
        #expect(recorder.events == [.subscription("Catch")])
    }

    @Test func tryCatchFailsWithTheErrorThrown() {
        let recorder = RecordingSubscriber<Int, any Error>()
        let handler: @Sendable (Oops) throws -> Just<Int> = { _ in throw Oops.two }
        Fail<Int, Oops>(error: .one).tryCatch(handler).subscribe(recorder)
        #expect(recorder.transcript == ["subscription TryCatch", "failure two"])
    }

    @Test func tryCatchGoesOn() {
        let recorder = RecordingSubscriber<Int, any Error>()
        let handler: @Sendable (Oops) throws -> Just<Int> = { _ in Just(9) }
        Fail<Int, Oops>(error: .one).tryCatch(handler).subscribe(recorder)
        #expect(recorder.transcript == ["subscription TryCatch", "9", "finished"])
    }

    @Test func replacementWaitsForDemand() {
        let probe = ProbePublisher<Int, Oops>(retention: .always)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
        probe.replaceError(with: 0).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.one))
        #expect(recorder.events == [.subscription("ReplaceError"), .value(1)])
        recorder.request(.max(1))
        #expect(recorder.events == [.subscription("ReplaceError"), .value(1), .value(0), .finished])
    }

    @Test func handlerIsReleasedOnCompletion() {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<Int, Oops>()
        let recorder = RecordingSubscriber<Int, Never>()
        let attach: (LifetimeToken) -> Void = { token in
            let handler: @Sendable (Oops) -> Just<Int> = { _ in
                _ = token
                return Just(0)
            }
            subject.catch(handler).subscribe(recorder)
        }
        attach(lifetimes.token("closure"))
        #expect(lifetimes.alive == ["closure"])
        subject.send(completion: .finished)
        #expect(lifetimes.alive == [])
    }
}
