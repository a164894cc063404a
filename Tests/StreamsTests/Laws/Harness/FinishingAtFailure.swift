import Streams

/// A publisher that finishes if its upstream fails, for operators whose upstream cannot fail. It has no state, and
/// forwards signals that break the contract.
struct FinishingAtFailure<Upstream: Publisher>: Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Never

    let upstream: Upstream

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        upstream.subscribe(Inner(downstream: subscriber))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber where Downstream.Failure == Never {
        typealias Failure = Upstream.Failure

        let downstream: Downstream

        var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
        var needsEveryValue: Bool { downstream.needsEveryValue }

        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        func receive(_ input: Downstream.Input) -> Subscribers.Demand {
            downstream.receive(input)
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            downstream.receive(completion: .finished)
        }
    }
}

extension Publisher {
    func finishingAtFailure() -> FinishingAtFailure<Self> {
        FinishingAtFailure(upstream: self)
    }
}
