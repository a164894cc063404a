import Streams

/// An error for tests.
enum Oops: Error, Equatable {
    case one
    case two
}

/// What a probe's subscription was told.
enum Order: Equatable, Sendable {
    case request(Subscribers.Demand)
    case cancel
}

/// A publisher that sends what it is told, whether or not that is allowed, and records what its subscriptions are told.
final class Probe<Output, Failure: Error>: Publisher, @unchecked Sendable {
    // Safe because everything that changes is behind the lock, and tests send what may go to any thread.
    private struct State: @unchecked Sendable {
        var subscribers: [AnySubscriber<Output, Failure>] = []
        var subscriptions: [ProbeSubscription] = []
    }

    private let state = Locked(State())
    private let sendsSubscription: Bool

    /// - Parameter sendsSubscription: Whether subscribers receive a subscription, as they should.
    init(sendsSubscription: Bool = true) {
        self.sendsSubscription = sendsSubscription
    }

    /// What the subscriptions were told, the first subscription first.
    var orders: [[Order]] { state.withLock { $0 }.subscriptions.map(\.orders) }

    var subscriptionCount: Int { state.withLock { $0 }.subscriptions.count }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let subscription = ProbeSubscription()
        let erased = AnySubscriber(subscriber)
        state.withLock { state in
            state.subscribers.append(erased)
            state.subscriptions.append(subscription)
        }
        if sendsSubscription { subscriber.receive(subscription: subscription) }
    }

    /// Sends a value to the subscriber of one subscription, the latest if none is given.
    @discardableResult
    func send(_ value: Output, to index: Int? = nil) -> Subscribers.Demand {
        subscriber(index)?.receive(value) ?? .none
    }

    func send(completion: Subscribers.Completion<Failure>, to index: Int? = nil) {
        subscriber(index)?.receive(completion: completion)
    }

    func send(subscription: any Subscription, to index: Int? = nil) {
        subscriber(index)?.receive(subscription: subscription)
    }

    /// Lets go of all subscribers, as a source does at the end.
    func release() {
        let released = state.withLock { state in
            let released = state
            state.subscribers = []
            return released
        }
        withExtendedLifetime(released) {}
    }

    private func subscriber(_ index: Int?) -> AnySubscriber<Output, Failure>? {
        let subscribers = state.withLock { $0 }.subscribers
        return index.map { subscribers[$0] } ?? subscribers.last
    }
}

/// A subscription that records what it is told.
final class ProbeSubscription: Subscription, @unchecked Sendable {
    // Safe because what changes is behind the lock.
    private let recorded = Locked([Order]())

    var orders: [Order] { recorded.withLock { $0 } }

    func request(_ demand: Subscribers.Demand) {
        recorded.withLock { $0.append(.request(demand)) }
    }

    func cancel() {
        recorded.withLock { $0.append(.cancel) }
    }
}
