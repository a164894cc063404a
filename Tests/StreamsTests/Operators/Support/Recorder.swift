import Streams

/// What a subscriber saw.
enum Signal<Value: Equatable & Sendable>: Equatable, Sendable {
    case subscription(String)
    case value(Value)
    case finished
    case failure(String)
}

/// A subscriber that records what it receives, and asks for what it is told to.
///
/// The recorder keeps its subscription, as a program may. It must keep nothing else alive by that.
final class Recorder<Input: Equatable & Sendable, Failure: Error>: Subscriber, @unchecked Sendable {
    // Safe because everything that changes is behind the lock, and subscriptions may be used from any thread.
    private struct State: @unchecked Sendable {
        var signals: [Signal<Input>] = []
        var subscription: (any Subscription)?
        var depth = 0
        var deepest = 0
    }

    private let state = Locked(State())
    private let initial: Subscribers.Demand
    private let onValue: @Sendable (Recorder, Input) -> Subscribers.Demand
    private let onCompletion: @Sendable (Recorder) -> Void

    init(
        _ initial: Subscribers.Demand = .unlimited,
        onValue: @escaping @Sendable (Recorder, Input) -> Subscribers.Demand = { _, _ in .none },
        onCompletion: @escaping @Sendable (Recorder) -> Void = { _ in }
    ) {
        self.initial = initial
        self.onCompletion = onCompletion
        self.onValue = onValue
    }

    var signals: [Signal<Input>] { state.withLock { $0 }.signals }
    var subscription: (any Subscription)? { state.withLock { $0 }.subscription }

    var values: [Input] {
        signals.compactMap { if case .value(let value) = $0 { value } else { nil } }
    }

    /// How the stream ended, nil if it has not.
    var end: Signal<Input>? {
        signals.last { $0 == .finished || $0.isFailure }
    }

    /// How many signals were under way at once at most. More than one break rule 2.
    var overlap: Int { state.withLock { $0 }.deepest }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0 }.subscription?.request(demand)
    }

    func cancel() {
        state.withLock { $0 }.subscription?.cancel()
    }

    func receive(subscription: any Subscription) {
        let name = String(describing: subscription)
        state.withLock { state in
            state.signals.append(.subscription(name))
            state.subscription = subscription
        }
        if initial > .none { subscription.request(initial) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        enter(.value(input))
        defer { leave() }
        return onValue(self, input)
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        switch completion {
        case .finished: enter(.finished)
        case .failure(let error): enter(.failure("\(error)"))
        }
        defer { leave() }
        onCompletion(self)
    }

    private func enter(_ signal: Signal<Input>) {
        state.withLock { state in
            state.signals.append(signal)
            state.depth += 1
            state.deepest = max(state.deepest, state.depth)
        }
    }

    private func leave() {
        state.withLock { $0.depth -= 1 }
    }
}

extension Signal {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
