/// How far a transfer's connection has come, and how long its peer may keep silent.
///
/// Events set marks, and a turn of the loop that follows says when they were: cheaper than to ask for the time with each.
struct CurlTiming {
    private enum Phase {
        /// Nothing has begun. Waiting for a connection that others use is not connecting.
        case waiting
        case connecting
        case connected
    }

    private let connectTimeout: Duration?
    private let idleTimeout: Duration?
    private var phase = Phase.waiting
    /// When connecting began, or the peer was last heard of.
    private var since = ContinuousClock.now
    /// Whether a resolver is at work, for which a removal would wait.
    private(set) var isResolving = false
    /// Whether bytes have moved since the loop looked last.
    private var hasBeenActive = false
    /// Whether the phase is another since then.
    private var hasBegunPhase = false

    init(_ request: TransportRequest) {
        connectTimeout = request.connectTimeout
        idleTimeout = request.idleTimeout
    }

    var isConnected: Bool { phase == .connected }

    mutating func beganResolving() {
        isResolving = true
        begin(.connecting)
    }

    mutating func openedSocket() {
        isResolving = false
        begin(.connecting)
    }

    mutating func connected() {
        isResolving = false
        begin(.connected)
    }

    mutating func noteActivity() {
        hasBeenActive = true
    }

    private mutating func begin(_ phase: Phase) {
        guard phase != self.phase else { return }
        self.phase = phase
        hasBegunPhase = true
        hasBeenActive = true
    }

    /// Lets the peer's time begin anew.
    mutating func restart(now: ContinuousClock.Instant) {
        if isConnected { since = now }
    }

    /// Takes note of what a turn of the loop has brought.
    ///
    /// - Returns: Whether another limit holds from now on.
    mutating func settle(now: ContinuousClock.Instant) -> Bool {
        guard hasBeenActive else { return false }
        hasBeenActive = false
        guard hasBegunPhase || isConnected else { return false }
        since = now
        defer { hasBegunPhase = false }
        return hasBegunPhase
    }

    /// What will have taken too long, and when; `nil` where nothing is limited.
    ///
    /// - Parameter isPaused: Whether it is not the peer's turn, so that its time has not begun.
    func deadline(
        now: ContinuousClock.Instant, isPaused: Bool
    ) -> (timeout: HTTPError.Timeout, at: ContinuousClock.Instant)? {
        switch phase {
        case .waiting: nil
        case .connecting: connectTimeout.map { (.connect, since + $0) }
        case .connected: idleTimeout.map { (.idle, (isPaused ? now : since) + $0) }
        }
    }
}
