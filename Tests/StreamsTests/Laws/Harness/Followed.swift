import Streams

/// A publisher that performs an action after it has delivered a value or the completion.
struct Followed<Upstream: Publisher>: Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    let upstream: Upstream
    let action: @Sendable () -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        upstream.subscribe(Inner(downstream: subscriber, action: action))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber {
        let downstream: Downstream
        let action: @Sendable () -> Void
        let combineIdentifier = CombineIdentifier()

        var needsEveryValue: Bool { downstream.needsEveryValue }

        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        func receive(_ input: Downstream.Input) -> Subscribers.Demand {
            let demand = downstream.receive(input)
            action()
            return demand
        }

        func receive(completion: Subscribers.Completion<Downstream.Failure>) {
            downstream.receive(completion: completion)
            action()
        }
    }
}

extension Publisher {
    func followed(by action: @escaping @Sendable () -> Void) -> Followed<Self> {
        Followed(upstream: self, action: action)
    }
}
