import Streams

/// One subscription to a cold diagram: it delivers what has fallen due and is asked for, in order, one thread at a
/// time.
final class MarblePlayer<Output, Failure: Error>: Subscription, CustomStringConvertible, @unchecked Sendable {
    // Safe because all that changes is behind a lock, and only who has set `isDelivering` calls the subscriber.

    private struct State {
        var downstream: AnySubscriber<Output, Failure>?
        var due: ArraySlice<MarbleStep<Output, Failure>> = []
        var ahead: ArraySlice<MarbleStep<Output, Failure>>
        var demand = Subscribers.Demand.none
        var isDelivering = false
    }

    private enum Delivery {
        case value(Output, AnySubscriber<Output, Failure>)
        case completion(Subscribers.Completion<Failure>, AnySubscriber<Output, Failure>)
    }

    private let state: Locked<State>

    init(_ downstream: AnySubscriber<Output, Failure>, steps: [MarbleStep<Output, Failure>]) {
        state = Locked(State(downstream: downstream, ahead: steps[...]))
    }

    var description: String { "Marbles" }

    /// The time of the next step has come.
    func fallDue() {
        state.withLock { state in
            if let step = state.ahead.popFirst() { state.due.append(step) }
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
            state = State(ahead: [], isDelivering: state.isDelivering)
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

    /// What to deliver now; with nothing, whoever comes next delivers.
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
