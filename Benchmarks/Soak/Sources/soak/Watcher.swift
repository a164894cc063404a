import Dispatch
import StreamsHTTP
import Synchronization

/// Subscribes to a request as a program would, fast or slowly, and holds the stream against its contract.
final class Watcher: Subscriber, Sendable {
    typealias Input = RequestEvent<Void>
    typealias Failure = HTTPError

    /// The moment at which the stream is cancelled.
    enum Cancellation: Sendable {
        case never
        /// While an event is delivered, by its number.
        case atEvent(Int)
        /// By another thread.
        case after(Duration)
    }

    // Safe because a subscription may be used by any thread.
    private struct Handle: @unchecked Sendable {
        let subscription: any Subscription
    }

    private struct State {
        var grammar = EventGrammar()
        var handle: Handle?
        var eventCount = 0
        var offset = 0
        var isDelivering = false
        var isOver = false
        /// The time from which on nothing may come.
        var silence: ContinuousClock.Instant?
    }

    /// The time that a delivery on another thread may take to notice a cancellation.
    private static let grace = Duration.seconds(5)

    private let number: Int
    private let errand: Errand
    private let isSlow: Bool
    private let cancellation: Cancellation
    private let ledger: Ledger
    private let state = Mutex(State())

    init(_ number: Int, _ errand: Errand, isSlow: Bool, cancellation: Cancellation, ledger: Ledger) {
        self.number = number
        self.errand = errand
        self.isSlow = isSlow
        self.cancellation = cancellation
        self.ledger = ledger
    }

    func receive(subscription: any Subscription) {
        let handle = Handle(subscription: subscription)
        state.withLock { $0.handle = handle }
        if case .after(let delay) = cancellation {
            DispatchQueue.global().asyncAfter(deadline: .now() + (delay / .seconds(1))) {
                self.cancel(allowing: Self.grace)
            }
        }
        subscription.request(isSlow ? .max(1) : .unlimited)
    }

    func receive(_ event: RequestEvent<Void>) -> Subscribers.Demand {
        let isDue = observe { state in
            state.grammar.accept(event)
            if case .chunk(let chunk) = event {
                if let problem = errand.problem(with: chunk, at: state.offset) { report(problem) }
                state.offset += chunk.count
            }
            state.eventCount += 1
            guard case .atEvent(let due) = cancellation else { return false }
            return state.eventCount == due
        }
        if isDue { cancel(allowing: .zero) }
        leave()
        guard isSlow, !isDue else { return .none }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
            self.state.withLock { $0.handle }?.subscription.request(.max(1))
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        let wasOver = observe { state in
            state.grammar.complete(completion)
            state.handle = nil
            defer { state.isOver = true }
            return state.isOver
        }
        leave()
        // A cancellation on another thread has ended it already.
        if wasOver { return }
        let (violations, offset) = state.withLock { ($0.grammar.violations, $0.offset) }
        for violation in violations { report(violation) }
        switch completion {
        case .finished:
            if let problem = errand.problem(size: offset) { report(problem) }
            ledger.end(number, "finished")
        case .failure(let error):
            if let problem = errand.problem(with: error) { report(problem) }
            ledger.end(number, errand.outcome(error))
        }
    }

    /// Notes a signal.
    private func observe(_ change: (inout State) -> Bool) -> Bool {
        let (result, problem) = state.withLock { state -> (Bool, String?) in
            let problem: String? =
                if state.isDelivering {
                    "signals overlap"
                } else if let silence = state.silence, silence < .now {
                    "a signal after the cancellation"
                } else {
                    nil
                }
            state.isDelivering = true
            return (change(&state), problem)
        }
        if let problem { report(problem) }
        return result
    }

    private func leave() {
        state.withLock { $0.isDelivering = false }
    }

    private func cancel(allowing grace: Duration) {
        let handle = state.withLock { state in
            defer { state.handle = nil }
            return state.handle
        }
        guard let handle else { return }
        handle.subscription.cancel()
        let isFirst = state.withLock { state in
            state.silence = .now + grace
            defer { state.isOver = true }
            return !state.isOver
        }
        guard isFirst else { return }
        for violation in state.withLock({ $0.grammar.violations }) { report(violation) }
        ledger.end(number, "cancelled by its subscriber")
    }
    private func report(_ problem: String) {
        ledger.report("exchange \(number), \(errand.name): \(problem)")
    }
}
