@testable import Streams

/// A subscriber that writes down what it receives.
final class Transcript<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    // Safe because what changes is behind the lock, and closures are set before subscribing.
    private struct State {
        var values: [Input] = []
        var entries: [String] = []
        var subscription: (any Subscription)?
    }

    private let state = Locked(State())
    private let initialDemand: Subscribers.Demand

    var onSubscription: (any Subscription) -> Void = { _ in }
    var onValue: (Input) -> Subscribers.Demand = { _ in .none }
    var onCompletion: () -> Void = {}

    init(
        _ input: Input.Type = Input.self, _ failure: Failure.Type = Failure.self,
        demand: Subscribers.Demand = .unlimited
    ) {
        initialDemand = demand
    }

    /// Subscriptions and completions by name, and values, in order.
    var entries: [String] { state.withLock { $0.entries } }
    var values: [Input] { state.withLock { $0.values } }
    var subscription: (any Subscription)? { state.withLock { $0.subscription } }

    func receive(subscription: any Subscription) {
        state.withLock { state in
            state.subscription = subscription
            state.entries.append("subscription \(subscription)")
        }
        onSubscription(subscription)
        if initialDemand > .none { subscription.request(initialDemand) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        state.withLock { state in
            state.values.append(input)
            state.entries.append("\(input)")
        }
        return onValue(input)
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        state.withLock { state in
            switch completion {
            case .finished: state.entries.append("finished")
            case .failure(let error): state.entries.append("failure \(error)")
            }
        }
        onCompletion()
    }

    func releaseSubscription() {
        let released = state.withLock { $0.subscription.take() }
        withExtendedLifetime(released) {}
    }
}

enum Mishap: Error, Equatable, CustomStringConvertible {
    case first
    case second

    var description: String { self == .first ? "first" : "second" }
}

/// An object whose end can be seen.
final class Keepsake: Sendable {
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void = {}) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }

    func touch() {}
}

/// Holds an object without keeping it.
struct Weak<Object: AnyObject> {
    weak var object: Object?
}
