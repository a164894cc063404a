/// A circuit breaker, which stops sending to an origin that fails.
///
/// While the circuit is closed, the outcomes of the last ``window`` are counted. When there are at least
/// ``minimumCalls``, and the share of failures reaches ``failureRatio``, the circuit opens: exchanges with the origin
/// fail at once with ``HTTPError/Connection/circuitOpen``. After ``openDuration``, it is half-open: up to ``probes``
/// exchanges are sent. If all of them succeed, the circuit closes; when one fails, it opens again. A probe that is
/// cancelled has no outcome, and another one may take its turn.
public struct CircuitBreaker: Sendable {
    /// The outcome of an exchange.
    public enum Outcome: Sendable {
        /// A response with this status. If the response is delivered in pieces, its body does not count.
        case response(HTTPStatus)
        /// A failure of the exchange, or ``HTTPError/Timeout/total`` while it was under way.
        case failure(HTTPError.Reason)
    }

    /// The share of failures that opens the circuit, from 0 to 1; 0.5 by default.
    public var failureRatio: Double
    /// The number of outcomes below which the circuit stays closed; 10 by default, and at least 1.
    public var minimumCalls: Int
    /// The time in which outcomes count; ten seconds by default.
    public var window: Duration
    /// The time for which the circuit stays open; 30 seconds by default.
    public var openDuration: Duration
    /// The number of successful probes that close the circuit, and of those that run at once; 1 by default, and at
    /// least that.
    public var probes: Int
    /// Returns whether an outcome is a failure of the server. Called on the threads that deliver events, under no lock.
    /// By default, ``isServerFailure(_:)``.
    public var isFailure: @Sendable (Outcome) -> Bool

    /// Creates a circuit breaker; the properties describe the parameters.
    public init(
        failureRatio: Double = 0.5, minimumCalls: Int = 10, window: Duration = .seconds(10),
        openDuration: Duration = .seconds(30), probes: Int = 1,
        isFailure: @escaping @Sendable (Outcome) -> Bool = { CircuitBreaker.isServerFailure($0) }
    ) {
        self.failureRatio = failureRatio
        self.minimumCalls = minimumCalls
        self.window = window
        self.openDuration = openDuration
        self.probes = probes
        self.isFailure = isFailure
    }

    /// Returns whether an outcome is a failure by the default rule: a status of 500 or more, a timeout, a connection
    /// that could not be established or that broke, unless it was an idle one. Other statuses, cancellations, limits of
    /// the client on the response and errors of the program's own code are not.
    public static func isServerFailure(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .response(let status): status.isServerError
        case .failure(.timeout): true
        case .failure(.transfer(.reusedConnectionLost)): false
        case .failure(let reason): reason.isTransient(\.isServerError)
        }
    }
}

/// The state of an origin's circuit.
struct CircuitState: Sendable {
    enum State: Hashable {
        case closed
        case open(until: Duration)
        /// The numbers of probes under way, and of those that have succeeded.
        case halfOpen(running: Int, succeeded: Int)
    }

    /// A permit of the circuit: the number of the period between two changes of the state in which it was granted. An
    /// outcome of an earlier period does not count.
    typealias Period = Int

    private let failureRatio: Double
    private let minimumCalls: Int
    private let openDuration: Duration
    private let probes: Int
    private(set) var state = State.closed
    private var period = 0
    private var window: SlidingWindow<(calls: Int, failures: Int)>

    /// The limit of the durations, so that every sum of times is in range.
    private static let maxDuration = Duration.seconds(365 * 86_400)

    init(_ breaker: CircuitBreaker) {
        failureRatio = breaker.failureRatio
        minimumCalls = max(breaker.minimumCalls, 1)
        openDuration = min(max(breaker.openDuration, .zero), Self.maxDuration)
        probes = max(breaker.probes, 1)
        window = SlidingWindow(
            length: min(max(breaker.window, .milliseconds(1)), Self.maxDuration), none: (calls: 0, failures: 0))
    }

    /// Returns the refusal of an exchange; `nil` if the circuit lets it pass.
    mutating func refusal(now: Duration) -> HTTPError.Connection? {
        if case .open(let end) = state {
            guard now >= end else { return .circuitOpen(retryAfter: end - now) }
            enter(.halfOpen(running: 0, succeeded: 0))
        }
        guard case .halfOpen(let running, let succeeded) = state, running + succeeded >= probes else { return nil }
        return .circuitOpen(retryAfter: nil)
    }

    /// Lets an exchange pass. Call this only without a ``refusal(now:)``.
    mutating func pass() -> Period {
        if case .halfOpen(let running, let succeeded) = state {
            state = .halfOpen(running: running + 1, succeeded: succeeded)
        }
        return period
    }

    /// Ends an exchange that passed in a period.
    ///
    /// - Parameter isFailure: Whether the exchange failed; `nil` if it was cancelled.
    mutating func end(_ passed: Period, isFailure: Bool?, now: Duration) {
        guard passed == period else { return }
        switch state {
        case .closed:
            guard let isFailure else { return }
            window.update(now: now) { counts in
                counts.calls += 1
                if isFailure { counts.failures += 1 }
            }
            let (calls, failures) = counts(now: now)
            if calls >= minimumCalls, Double(failures) >= failureRatio * Double(calls), failures > 0 { open(now: now) }
        case .open: break
        case .halfOpen(let running, let succeeded):
            switch isFailure {
            case nil: state = .halfOpen(running: max(running - 1, 0), succeeded: succeeded)
            case true?: open(now: now)
            case false? where succeeded + 1 >= probes: enter(.closed)
            case false?: state = .halfOpen(running: max(running - 1, 0), succeeded: succeeded + 1)
            }
        }
    }

    /// Returns the numbers of outcomes and failures in the window.
    func counts(now: Duration) -> (calls: Int, failures: Int) {
        (window.sum(now: now) { $0.calls }, window.sum(now: now) { $0.failures })
    }

    private mutating func open(now: Duration) {
        enter(.open(until: now + openDuration))
    }

    private mutating func enter(_ next: State) {
        state = next
        period += 1
        window.removeAll()
    }
}
