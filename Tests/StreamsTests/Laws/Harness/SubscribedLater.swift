import Streams
import StreamsTesting

/// A publisher that subscribes to its upstream, and requests values of it, on a scheduler. It has no state, and forwards
/// signals that break the contract, in contrast to `subscribe(on:)`.
struct SubscribedLater<Upstream: Publisher>: Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    let upstream: Upstream
    let scheduler: TestScheduler

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let inner = Inner(downstream: subscriber, scheduler: scheduler)
        let subscribing = UncheckedTransfer { upstream.subscribe(inner) }
        scheduler.schedule { subscribing.value() }
    }

    private struct Inner<Downstream: Subscriber>: Subscriber {
        let downstream: Downstream
        let scheduler: TestScheduler

        var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
        var needsEveryValue: Bool { downstream.needsEveryValue }

        func receive(subscription: any Subscription) {
            downstream.receive(subscription: RequestingLater(upstream: subscription, scheduler: scheduler))
        }

        func receive(_ input: Downstream.Input) -> Subscribers.Demand {
            downstream.receive(input)
        }

        func receive(completion: Subscribers.Completion<Downstream.Failure>) {
            downstream.receive(completion: completion)
        }
    }
}

private final class RequestingLater: Subscription {
    private let upstream: any Subscription
    private let scheduler: TestScheduler

    init(upstream: any Subscription, scheduler: TestScheduler) {
        self.upstream = upstream
        self.scheduler = scheduler
    }

    func request(_ demand: Subscribers.Demand) {
        let upstream = UncheckedTransfer(upstream)
        scheduler.schedule { upstream.value.request(demand) }
    }

    func cancel() {
        upstream.cancel()
    }
}

extension Publisher {
    func subscribedLater(on scheduler: TestScheduler) -> SubscribedLater<Self> {
        SubscribedLater(upstream: self, scheduler: scheduler)
    }
}
