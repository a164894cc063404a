import Streams
import StreamsTesting
import Testing

@Suite("Rule 6: completion and cancellation release the upstream, the downstream and the closures", .serialized)
struct ReleaseLaws {
    private enum Ending: CaseIterable {
        case finished
        case failed
        case cancelled
        case cancelledInsideValue
        case cancelledBeforeValues
    }

    @Test("The end of a stream releases everything but the source", arguments: OperatorCase.all)
    func endReleasesEverything(_ operatorCase: OperatorCase) {
        for ending in Ending.allCases where ending != .failed || !operatorCase.traits.contains(.recovers) {
            let lifetimes = LifetimeTracker()
            let probe = IntProbe()
            run(operatorCase, from: probe, until: ending, lifetimes)
            #expect(lifetimes.alive == [], "\(ending)")
            #expect(probe.subscriberCount == 0, "\(ending)")
        }
    }

    private func run(
        _ operatorCase: OperatorCase, from probe: IntProbe, until ending: Ending,
        _ lifetimes: LifetimeTracker
    ) {
        let token = lifetimes.token("closure")
        let context = LawContext { withExtendedLifetime(token) {} }
        let recorder = IntRecorder { recorder, event in
            if ending == .cancelledInsideValue, event.value != nil, recorder.values.count == 2 { recorder.cancel() }
        }
        lifetimes.watch(recorder, as: "downstream")
        operatorCase.apply(to: probe, on: context).subscribe(recorder)
        context.settle()
        if ending == .cancelledBeforeValues { recorder.cancel() }
        for value in 1...4 { probe.send(value) }
        context.settle()
        switch ending {
        case .finished: probe.send(completion: .finished)
        case .failed: probe.send(completion: .failure(.failed))
        case .cancelled: recorder.cancel()
        case .cancelledInsideValue, .cancelledBeforeValues: break
        }
        context.settle()
    }

    @Test("A subscription that outlives its stream holds no object", arguments: OperatorCase.all)
    func retainedSubscriptionHoldsNothing(_ operatorCase: OperatorCase) {
        for ending in [Ending.finished, .failed, .cancelled]
        where ending != .failed || !operatorCase.traits.contains(.recovers) {
            let lifetimes = LifetimeTracker()
            let recorder = IntRecorder(initialDemand: .max(5), keepsSubscription: true)
            do {
                let token = lifetimes.token("closure")
                let context = LawContext { withExtendedLifetime(token) {} }
                let source = TokenPublisher(token: lifetimes.token("upstream"))
                operatorCase.apply(to: source, on: context).subscribe(recorder)
                context.settle()
                switch ending {
                case .finished: source.complete(.finished)
                case .failed: source.complete(.failure(.failed))
                default: recorder.cancel()
                }
                context.settle()
            }
            // A transparent operator hands the upstream's subscription down, so the recorder retains it.
            let expected = operatorCase.traits.contains(.transparent) ? ["upstream"] : []
            #expect(lifetimes.alive == expected, "\(ending)")
            withExtendedLifetime(recorder) {}
        }
    }

    @Test("Releasing the cancellable of a sink cancels the upstream", arguments: OperatorCase.all)
    func releasingTheCancellableCancels(_ operatorCase: OperatorCase) {
        let lifetimes = LifetimeTracker()
        let probe = IntProbe()
        let scheduler = TestScheduler()
        do {
            let token = lifetimes.token("closure")
            let context = LawContext(scheduler: scheduler) { withExtendedLifetime(token) {} }
            let publisher = operatorCase.apply(to: probe, on: context)
            let sink = publisher.sink(
                receiveCompletion: { [token] _ in withExtendedLifetime(token) {} },
                receiveValue: { [token] _ in withExtendedLifetime(token) {} })
            context.settle()
            probe.send(1)
            context.settle()
            #expect(probe.subscriberCount == 1)
            withExtendedLifetime(sink) {}
        }
        scheduler.advance()
        #expect(probe.subscriberCount == 0)
        #expect(probe.cancellations == 1)
        #expect(lifetimes.alive == [])
    }
}

/// A publisher without values whose subscription retains a token.
private final class TokenPublisher: Publisher {
    typealias Output = Int
    typealias Failure = LawError

    private final class Inner: Subscription {
        let token: LifetimeToken
        weak var publisher: TokenPublisher?

        init(token: LifetimeToken, publisher: TokenPublisher) {
            self.token = token
            self.publisher = publisher
        }

        func request(_ demand: Subscribers.Demand) {}

        func cancel() {
            publisher?.subscriber = nil
        }
    }

    private var token: LifetimeToken?
    private var subscriber: AnySubscriber<Int, LawError>?

    init(token: LifetimeToken) {
        self.token = token
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == LawError {
        guard let token = token.take() else { return }
        self.subscriber = AnySubscriber(subscriber)
        subscriber.receive(subscription: Inner(token: token, publisher: self))
    }

    func complete(_ completion: Subscribers.Completion<LawError>) {
        subscriber.take()?.receive(completion: completion)
    }
}
