import Synchronization

/// The subscriber of one of the upstreams that a ``SubscriptionArbiter`` requests values from.
///
/// Each upstream has a subscriber of its own, with a link of its own. All of them deliver to the same downstream, which
/// receives the arbiter as its only subscription.
@usableFromInline
protocol ArbitratedSubscriber: LinkedSubscriber {
    var arbiter: SubscriptionArbiter { get }
}

extension ArbitratedSubscriber {
    @inlinable var combineIdentifier: CombineIdentifier { arbiter.combineIdentifier }

    @inlinable
    @inline(__always)
    func receive(subscription: any Subscription) {
        if link.attach(subscription), arbiter.attach(link) { downstream.receive(subscription: arbiter) }
    }

    /// Subscribes to the next upstream, or delivers the completion if there is none or the upstream has failed.
    @inlinable
    func advance(after completion: Subscribers.Completion<Downstream.Failure>) {
        if case .finished = completion, arbiter.hasNext {
            arbiter.detach()
            arbiter.trampoline.run(arbiter.subscribeToNext)
        } else if arbiter.complete() {
            downstream.receive(completion: completion)
        }
    }

    /// Continues with another publisher. The arbiter has been detached from the upstream, which has completed.
    @inlinable
    func advance<P: Publisher>(to publisher: P) where P.Output == Downstream.Input, P.Failure == Downstream.Failure {
        guard arbiter.isUnlimited.load(ordering: .relaxed), let outcome = publisher._knownOutcome else {
            let subscriber = SuccessiveSubscriber(downstream: downstream, arbiter: arbiter)
            return arbiter.subscribe(subscriber, to: publisher)
        }
        switch outcome {
        case .success(let value):
            if let value, !arbiter.isTerminal { _ = downstream.receive(value) }
            advance(after: .finished)
        case .failure(let error):
            advance(after: .failure(error))
        }
    }
}

extension ArbitratedSubscriber where Input == Downstream.Input {
    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        guard link.isActive, arbiter.takeDemand() else { return .none }
        return arbiter.didDeliver(downstream.receive(input))
    }
}

/// The subscriber of an upstream whose values and failure are those of the stream: of both publishers of `append`, and
/// of the publisher that `catch` and `switchIfEmpty` continue with.
@usableFromInline
struct SuccessiveSubscriber<Downstream: Subscriber>: ArbitratedSubscriber {
    @usableFromInline typealias Input = Downstream.Input
    @usableFromInline typealias Failure = Downstream.Failure

    @usableFromInline let downstream: Downstream
    @usableFromInline let arbiter: SubscriptionArbiter
    @usableFromInline let link = UpstreamLink()

    /// Erases the downstream. Stored, to be specialised: `shareArbiter()` is called dynamically.
    @usableFromInline let erase: (Downstream) -> AnySubscriber<Input, Failure>

    @inlinable
    init(downstream: Downstream, arbiter: SubscriptionArbiter) {
        self.downstream = downstream
        self.arbiter = arbiter
        erase = { AnySubscriber($0) }
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if link.complete() { advance(after: completion) }
    }
}
