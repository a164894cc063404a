import Streams
import StreamsTesting
import Testing

@Suite("catch, tryCatch and replaceError")
struct CatchTests {
    @Test func replacesFailedPublisher() {
        let recorder = RecordingSubscriber<Int, Never>()
        let failing = [1, 2].publisher.setFailureType(to: TestError.self).append(Fail(error: .first))
        failing.catch { _ in [8, 9].publisher }.subscribe(recorder)
        #expect(recorder.events == [.subscription("Catch"), .value(1), .value(2), .value(8), .value(9), .finished])
    }

    @Test func requestsUnansweredDemand() {
        let first = ProbePublisher<Int, TestError>(retention: .always)
        let second = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(
            initialDemand: .max(3), demandForValue: { value in value == 1 ? .max(2) : .none })
        first.catch { _ in second }.subscribe(recorder)
        #expect(first.send(1) == .max(2))
        first.send(completion: .failure(.first))
        #expect(second.commands == [[.request(.max(4))]])
        second.send(2)
        recorder.request(.max(7))
        #expect(second.commands == [[.request(.max(4)), .request(.max(7))]])
        second.send(completion: .failure(.second))
        #expect(recorder.completion == .failure(.second))
    }

    @Test func requestsUnlimitedDemand() {
        let first = ProbePublisher<Int, TestError>(retention: .always)
        let second = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        first.catch { _ in second }.subscribe(recorder)
        first.send(1)
        first.send(completion: .failure(.first))
        #expect(second.commands == [[.request(.unlimited)]])
    }

    @Test func ignoresFailureAfterCancellation() {
        let first = ProbePublisher<Int, TestError>(retention: .always)
        let second = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        first.catch { _ in second }.subscribe(recorder)
        recorder.cancel()
        first.send(completion: .failure(.first))
        first.send(completion: .failure(.first))
        #expect(second.subscriptionCount == 0)
        #expect(recorder.events == [.subscription("Catch")])
    }

    @Test func cancelsCurrentPublisher() {
        let first = ProbePublisher<Int, TestError>(retention: .always)
        let second = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        first.catch { _ in second }.subscribe(recorder)
        first.send(completion: .failure(.first))
        recorder.cancel()
        second.send(completion: .finished)
        #expect(first.commands == [[.request(.unlimited)]])
        #expect(second.commands == [[.request(.unlimited), .cancel]])
        #expect(recorder.events == [.subscription("Catch")])
    }

    @Test func cancelsReplacementAfterCancellationInHandler() {
        let first = ProbePublisher<Int, TestError>(retention: .always)
        let second = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        let caught = first.catch { _ in
            recorder.cancel()
            return second
        }
        caught.subscribe(recorder)
        first.send(completion: .failure(.first))
        #expect(second.commands == [[.cancel]])
    }

    @Test func cancelsSecondSubscription() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, Never>()
        probe.catch { _ in Just(0) }.subscribe(recorder)
        let superfluous = RecordingSubscription()
        probe.send(subscription: superfluous)
        #expect(superfluous.entries == ["cancel"])
        #expect(recorder.events == [.subscription("Catch")])
    }

    @Test func tryCatchFailsWithThrownError() {
        let recorder = RecordingSubscriber<Int, any Error>()
        let handler: @Sendable (TestError) throws -> Just<Int> = { _ in throw TestError.second }
        Fail<Int, TestError>(error: .first).tryCatch(handler).subscribe(recorder)
        #expect(recorder.transcript == ["subscription TryCatch", "failure second"])
    }

    @Test func tryCatchReplacesFailedPublisher() {
        let recorder = RecordingSubscriber<Int, any Error>()
        let handler: @Sendable (TestError) throws -> Just<Int> = { _ in Just(9) }
        Fail<Int, TestError>(error: .first).tryCatch(handler).subscribe(recorder)
        #expect(recorder.transcript == ["subscription TryCatch", "9", "finished"])
    }

    @Test func replacementWaitsForDemand() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
        probe.replaceError(with: 0).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("ReplaceError"), .value(1)])
        recorder.request(.max(1))
        #expect(recorder.events == [.subscription("ReplaceError"), .value(1), .value(0), .finished])
    }

    @Test func releasesHandlerOnCompletion() {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<Int, TestError>()
        let recorder = RecordingSubscriber<Int, Never>()
        let attach: (LifetimeToken) -> Void = { token in
            let handler: @Sendable (TestError) -> Just<Int> = { _ in
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
