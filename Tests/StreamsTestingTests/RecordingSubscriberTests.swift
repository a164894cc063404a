import Dispatch
import Streams
import StreamsTesting
import Synchronization
import Testing

private struct TestError: Error, Equatable {}

@Suite("A recording subscriber")
struct RecordingSubscriberTests {
    private let probe = ProbePublisher<Int, TestError>(retention: .always)

    @Test("Records signals in order")
    func history() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.subscribe(recorder)
        probe.send(1)
        probe.send(2)
        probe.send(completion: .failure(TestError()))
        #expect(
            recorder.events == [.subscription("Probe"), .value(1), .value(2), .completion(.failure(TestError()))])
        #expect(recorder.values == [1, 2])
        #expect(recorder.completion == .failure(TestError()))
        #expect(recorder.violations == [])
    }

    @Test("Requests values on the subscription, for each value, and on `request`")
    func demand() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandPerValue: .max(2))
        probe.subscribe(recorder)
        recorder.request(.max(3))
        #expect(probe.requests == [.max(1), .max(3)])
        #expect(probe.send(1) == .max(2))
        #expect(recorder.outstandingDemand == .max(5))

        let silent = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        let other = ProbePublisher<Int, TestError>()
        other.subscribe(silent)
        #expect(other.requests == [])
    }

    @Test("A value that was not requested is a violation")
    func valueWithoutDemand() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
        probe.subscribe(recorder)
        probe.send(1)
        #expect(recorder.violations == [])
        probe.send(2)
        #expect(recorder.violations == [.valueWithoutDemand])
    }

    @Test("A second subscription is a violation, and is cancelled")
    func secondSubscription() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.subscribe(recorder)
        probe.sendSubscription()
        #expect(recorder.violations == [.secondSubscription])
        #expect(probe.cancellations == 1)
    }

    @Test("Signals before a subscription are violations")
    func beforeSubscription() {
        let recorder = RecordingSubscriber<Int, TestError>()
        let probe = ProbePublisher<Int, TestError>(sendsSubscription: false, retention: .always)
        probe.subscribe(recorder)
        probe.send(completion: .finished)
        #expect(recorder.violations == [.signalBeforeSubscription])
        let another = RecordingSubscriber<Int, TestError>()
        _ = another.receive(1)
        #expect(another.violations == [.signalBeforeSubscription, .valueWithoutDemand])
    }

    @Test("Signals after the completion are violations")
    func afterCompletion() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.subscribe(recorder)
        probe.send(completion: .finished)
        probe.send(1)
        probe.send(completion: .finished)
        #expect(recorder.violations == [.signalAfterCompletion, .signalAfterCompletion])
        #expect(recorder.completion == .finished)
    }

    @Test("Signals from the thread that has cancelled are violations")
    func afterCancellation() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.subscribe(recorder)
        recorder.cancel()
        #expect(probe.cancellations == 1)
        probe.send(1)
        #expect(recorder.violations == [.signalAfterCancellation])
    }

    @Test("A value in flight on another thread during the cancellation is legal")
    func inFlightElsewhere() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.subscribe(recorder)
        onAnotherThread { recorder.cancel() }
        probe.send(1)
        #expect(recorder.violations == [])
    }

    @Test("A signal inside another signal is a violation, except during the subscription")
    func overlapOnOneThread() {
        let probe = self.probe
        let recorder = RecordingSubscriber<Int, TestError> { _, event in
            if event == .value(1) { probe.send(2) }
        }
        probe.subscribe(recorder)
        probe.send(1)
        #expect(recorder.violations == [.overlappingSignals])

        let immediate = RecordingSubscriber<Int, Never>()
        [1, 2].publisher.subscribe(immediate)
        #expect(immediate.values == [1, 2])
        #expect(immediate.violations == [])
    }

    @Test("A signal during another signal of another thread is a violation, also during the subscription")
    func overlapOfThreads() {
        let probe = self.probe
        let recorder = RecordingSubscriber<Int, TestError> { _, event in
            if event == .value(1) { onAnotherThread { probe.send(2) } }
        }
        probe.subscribe(recorder)
        probe.send(1)
        #expect(recorder.violations == [.overlappingSignals])

        let early = RecordingSubscriber<Int, TestError>(initialDemand: .unlimited) { subscriber, event in
            guard case .subscription = event else { return }
            subscriber.request(.unlimited)
            onAnotherThread { probe.send(3) }
        }
        probe.subscribe(early)
        #expect(early.violations == [.overlappingSignals])
    }

    @Test("A subscriber that was cancelled cancels its subscription on arrival")
    func cancelledBeforehand() {
        let recorder = RecordingSubscriber<Int, TestError>()
        recorder.cancel()
        probe.subscribe(recorder)
        #expect(probe.cancellations == 1)
        #expect(probe.requests == [])
    }

    @Test("A subscription that is not kept is released on completion and on cancellation")
    func release() {
        let lifetimes = LifetimeTracker()
        for isCancelled in [true, false] {
            let recorder = RecordingSubscriber<Int, TestError>(keepsSubscription: false)
            do {
                let subscription = TokenSubscription(token: lifetimes.token("subscription"))
                recorder.receive(subscription: subscription)
            }
            #expect(lifetimes.alive == ["subscription"])
            if isCancelled { recorder.cancel() } else { recorder.receive(completion: .finished) }
            #expect(lifetimes.alive == [])
        }
    }

    @Test("The subscription is available, and receives requests after the end")
    func subscription() throws {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        #expect(recorder.subscription == nil)
        probe.subscribe(recorder)
        try #require(recorder.subscription).request(.max(2))
        probe.send(completion: .finished)
        recorder.request(.max(1))
        recorder.cancel()
        recorder.cancel()
        #expect(probe.commands == [[.request(.max(2)), .request(.max(1)), .cancel, .cancel]])
        recorder.releaseSubscription()
        #expect(recorder.subscription == nil)
    }

    @Test("Signals that are not equatable are compared as text")
    func transcript() {
        let recorder = RecordingSubscriber<(Int, Int), any Error>(initialDemand: .max(2))
        let probe = ProbePublisher<(Int, Int), any Error>()
        probe.subscribe(recorder)
        probe.send((1, 2))
        probe.send(completion: .failure(TestError()))
        #expect(recorder.transcript == ["subscription Probe", "(1, 2)", "failure TestError()"])
        let finished = RecordingSubscriber<Int, Never>()
        Just(1).subscribe(finished)
        #expect(finished.transcript == ["subscription Just", "1", "finished"])
        #expect(finished.events == [.subscription("Just"), .value(1), .finished])
        #expect(finished.events.map(\.value) == [nil, 1, nil])
    }

    @Test("Waiting ends with the values, the completion or the limit")
    func waiting() async {
        let recorder = RecordingSubscriber<Int, TestError>()
        let probe = self.probe
        probe.subscribe(recorder)
        DispatchQueue.global().async {
            probe.send(1)
            probe.send(2)
        }
        #expect(await recorder.wait(forValues: 2))
        #expect(recorder.values == [1, 2])
        #expect(await !recorder.wait(within: .milliseconds(5)))
        DispatchQueue.global().async { probe.send(completion: .finished) }
        #expect(await recorder.wait())
        #expect(await recorder.wait(forValues: 100))
    }

    @Test("Waiting ends with the cancellation of its task", .timeLimit(.minutes(1)))
    func cancelledWaiting() async {
        let recorder = RecordingSubscriber<Int, Never>()
        let waiting = Task { await recorder.wait(within: .seconds(1000)) }
        waiting.cancel()
        #expect(await !waiting.value)
        #expect(await !recorder.wait(forValues: 1, within: .zero))
    }

    @Test("The subscription is released at the end, or kept until `releaseSubscription()`", arguments: [false, true])
    func keeping(_ isKept: Bool) {
        let lifetimes = LifetimeTracker()
        let recorder = RecordingSubscriber<Int, Never>(keepsSubscription: isKept)
        do {
            let subscription = IgnoringSubscription()
            lifetimes.watch(subscription, as: "subscription")
            recorder.receive(subscription: subscription)
        }
        recorder.receive(completion: .finished)
        recorder.cancel()
        #expect(lifetimes.alive == (isKept ? ["subscription"] : []))
        recorder.releaseSubscription()
        #expect(lifetimes.alive == [])
    }
}

private final class TokenSubscription: Subscription {
    private let token: LifetimeToken

    init(token: LifetimeToken) {
        self.token = token
    }

    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}
}

/// Runs work on another thread and waits for it.
private func onAnotherThread(_ work: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue(label: "another").async {
        work()
        isDone.signal()
    }
    #expect(isDone.wait(timeout: .now() + 120) == .success)
}

private final class IgnoringSubscription: Subscription {
    func request(_ demand: Subscribers.Demand) {}

    func cancel() {}
}
