import Streams

/// A subscription to a cold diagram. It delivers the signals that are due and requested, one thread at a time.
final class MarbleSubscription<Output, Failure: Error>: Subscription, CustomStringConvertible, @unchecked Sendable {
    // Safe because a lock guards all state, and only the thread that sets `isDelivering` calls the subscriber.

    private struct State {
        var downstream: AnySubscriber<Output, Failure>?
        var due: ArraySlice<MarbleStep<Output, Failure>> = []
        var upcoming: ArraySlice<MarbleStep<Output, Failure>>
        var demand = Subscribers.Demand.none
        var isDelivering = false
    }

    private enum Delivery {
        case value(Output, AnySubscriber<Output, Failure>)
        case completion(Subscribers.Completion<Failure>, AnySubscriber<Output, Failure>)
    }

    private let state: Locked<State>

    init(_ downstream: AnySubscriber<Output, Failure>, steps: [MarbleStep<Output, Failure>]) {
        state = Locked(State(downstream: downstream, upcoming: steps[...]))
    }

    var description: String { "Marbles" }

    /// Delivers the next step, now or when it is requested.
    func deliverNextStep() {
        state.withLock { state in
            if let step = state.upcoming.popFirst() { state.due.append(step) }
        }
        deliver()
    }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.demand += demand }
        deliver()
    }

    func cancel() {
        let released = state.withLock { state in
            let released = state
            state = State(upcoming: [], isDelivering: state.isDelivering)
            return released
        }
        withExtendedLifetime(released) {}
    }

    private func deliver() {
        let isFree = state.withLock { state in
            if state.isDelivering { return false }
            state.isDelivering = true
            return true
        }
        guard isFree else { return }
        while let delivery = next() {
            switch delivery {
            case .value(let value, let downstream):
                let additional = downstream.receive(value)
                state.withLock { $0.demand += additional }
            case .completion(let completion, let downstream):
                downstream.receive(completion: completion)
            }
        }
    }

    /// Removes the next signal to deliver. Without one, the delivery ends and another thread may begin one.
    private func next() -> Delivery? {
        state.withLock { state in
            if let downstream = state.downstream, let step = state.due.first {
                switch step.signal {
                case .value(let value) where state.demand > .none:
                    state.due.removeFirst()
                    state.demand -= 1
                    return .value(value, downstream)
                case .completion(let completion):
                    state.due.removeFirst()
                    state.downstream = nil
                    return .completion(completion, downstream)
                case .value:
                    break
                }
            }
            state.isDelivering = false
            return nil
        }
    }
}
