import Streams

/// A publisher that delivers its first value a second time, if the subscriber requests another one for it, and performs
/// an action in between. So a subscriber that drops the value until the action misses none.
struct FirstValueTwice<Upstream: Publisher>: Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    let upstream: Upstream
    let action: @Sendable () -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        upstream.subscribe(Inner(downstream: subscriber, action: action))
    }

    private final class Inner<Downstream: Subscriber>: Subscriber {
        let downstream: Downstream
        let action: @Sendable () -> Void
        private var isFirst = true

        init(downstream: Downstream, action: @escaping @Sendable () -> Void) {
            self.downstream = downstream
            self.action = action
        }

        var needsEveryValue: Bool { downstream.needsEveryValue }

        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        func receive(_ input: Downstream.Input) -> Subscribers.Demand {
            let demand = downstream.receive(input)
            guard isFirst else { return demand }
            isFirst = false
            action()
            return demand > .none ? demand - 1 + downstream.receive(input) : .none
        }

        func receive(completion: Subscribers.Completion<Downstream.Failure>) {
            downstream.receive(completion: completion)
        }
    }
}

extension Publisher {
    func deliveringFirstValueTwice(_ action: @escaping @Sendable () -> Void) -> FirstValueTwice<Self> {
        FirstValueTwice(upstream: self, action: action)
    }
}
