import Streams
import StreamsTesting
import Testing

@Suite("retry")
struct RetryTests {
    @Test func subscribesAgainUpToTheLimit() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.retry(2).subscribe(recorder)
        for attempt in 1...3 {
            probe.send(attempt)
            probe.send(completion: .failure(.first))
        }
        #expect(probe.subscriptionCount == 3)
        #expect(recorder.events == [.subscription("Retry"), .value(1), .value(2), .value(3), .failure(.first)])
    }

    @Test func withoutRetriesFailsAtOnce() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.retry(0).subscribe(recorder)
        probe.send(completion: .failure(.first))
        #expect(probe.subscriptionCount == 1)
        #expect(recorder.completion == .failure(.first))
    }

    @Test(arguments: [-1, Int.min]) func retriesWithoutEndIfNumberIsNegative(retries: Int) {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.retry(retries).subscribe(recorder)
        for _ in 0..<1_000 { probe.send(completion: .failure(.first)) }
        #expect(probe.subscriptionCount == 1_001)
        #expect(recorder.completion == nil)
    }

    @Test func requestsUnansweredDemandFromNextAttempt() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(3), demandPerValue: .max(1))
        probe.retry(1).subscribe(recorder)
        #expect(probe.send(1) == .none)
        probe.send(completion: .failure(.first))
        #expect(probe.commands == [[.request(.max(3)), .request(.max(1))], [.request(.max(3))]])
    }

    @Test func ignoresSignalsOfFailedAttempt() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.retry(1).subscribe(recorder)
        probe.send(completion: .failure(.first))
        probe.send(1, to: 0)
        probe.send(completion: .finished, to: 0)
        probe.send(2)
        #expect(recorder.events == [.subscription("Retry"), .value(2)])
    }

    @Test func cancelsCurrentAttempt() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.retry(5).subscribe(recorder)
        probe.send(completion: .failure(.first))
        recorder.cancel()
        probe.send(completion: .failure(.first))
        #expect(probe.commands == [[.request(.unlimited)], [.request(.unlimited), .cancel]])
        #expect(recorder.events == [.subscription("Retry")])
    }

    @Test func cancellationEndsEndlessRetries() {
        let attempts = Counter()
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandPerValue: .max(1)) {
            recorder, event in
            if event.value != nil, attempts.value == 100 { recorder.cancel() }
        }
        let upstream = Deferred {
            attempts.increment()
            return Just(1).setFailureType(to: TestError.self).append(Fail(error: .first))
        }
        Publishers.Retry(upstream: upstream, retries: nil).subscribe(recorder)
        #expect(attempts.value == 100)
        #expect(recorder.values.count == 100)
        #expect(recorder.completion == nil)
    }

    @Test func releasesUpstreamOnCompletion() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        let attach: (LifetimeToken) -> Void = { token in
            let count: @Sendable (Int) -> Int = {
                _ = token
                return $0
            }
            probe.map(count).retry(1).subscribe(recorder)
        }
        attach(lifetimes.token("closure"))
        probe.send(completion: .failure(.first))
        probe.send(completion: .finished)
        probe.releaseSubscribers()
        #expect(recorder.completion == .finished)
        #expect(lifetimes.alive == [])
    }
}
