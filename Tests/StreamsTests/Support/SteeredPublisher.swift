import Streams

/// A publisher that does what a test tells it to, keeping no rule, and writes down what is asked of it.
final class SteeredPublisher<Output, Failure: Error>: Publisher, @unchecked Sendable {
    // Safe because what changes is behind the lock, and tests send from one thread at a time.
    enum Command: Equatable {
        case request(Subscribers.Demand)
        case cancel
    }

    private struct State {
        var commands: [Command] = []
        var subscriber: AnySubscriber<Output, Failure>?
        var subscriptionCount = 0
        var onRequest: (@Sendable (Subscribers.Demand) -> Void)?
    }

    private let state = Locked(State())

    /// What was asked for, in order.
    var commands: [Command] { state.withLock { $0.commands } }

    /// How many have subscribed.
    var subscriptionCount: Int { state.withLock { $0.subscriptionCount } }

    /// Called with each request, after it is written down.
    func onRequest(_ action: @escaping @Sendable (Subscribers.Demand) -> Void) {
        state.withLock { $0.onRequest = action }
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let erased = AnySubscriber(subscriber)
        state.withLock { state in
            state.subscriber = erased
            state.subscriptionCount += 1
        }
        subscriber.receive(subscription: SteeredSubscription(publisher: self))
    }

    @discardableResult
    func send(_ value: Output) -> Subscribers.Demand {
        state.withLock { $0.subscriber }?.receive(value) ?? .none
    }

    func send(completion: Subscribers.Completion<Failure>) {
        state.withLock { $0.subscriber }?.receive(completion: completion)
    }

    /// Hands the subscriber one more subscription.
    func send(subscription: any Subscription) {
        state.withLock { $0.subscriber }?.receive(subscription: subscription)
    }

    /// Lets go of the subscriber, as a publisher does after completion or cancellation.
    func releaseSubscriber() {
        let released = state.withLock { state in
            let subscriber = state.subscriber
            state.subscriber = nil
            return subscriber
        }
        withExtendedLifetime(released) {}
    }

    fileprivate func note(_ command: Command) {
        let action = state.withLock { state in
            state.commands.append(command)
            return state.onRequest
        }
        if case .request(let demand) = command { action?(demand) }
    }
}

private struct SteeredSubscription<Output, Failure: Error>: Subscription {
    let publisher: SteeredPublisher<Output, Failure>
    let combineIdentifier = CombineIdentifier()

    func request(_ demand: Subscribers.Demand) {
        publisher.note(.request(demand))
    }

    func cancel() {
        publisher.note(.cancel)
    }
}

/// What the tests fail with.
enum Broken: Error, Equatable {
    case broken
}
