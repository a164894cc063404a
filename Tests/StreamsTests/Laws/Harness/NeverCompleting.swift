import Streams

/// A publisher that withholds the completion of its upstream. It has no state, and forwards signals that break the
/// contract.
struct NeverCompleting<Upstream: Publisher>: Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    let upstream: Upstream

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        upstream.subscribe(Inner(downstream: subscriber))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber {
        let downstream: Downstream

        var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
        var needsEveryValue: Bool { downstream.needsEveryValue }

        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        func receive(_ input: Downstream.Input) -> Subscribers.Demand {
            downstream.receive(input)
        }

        func receive(completion: Subscribers.Completion<Downstream.Failure>) {}
    }
}

extension Publisher {
    func neverCompleting() -> NeverCompleting<Self> {
        NeverCompleting(upstream: self)
    }
}
