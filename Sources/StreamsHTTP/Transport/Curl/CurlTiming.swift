/// How far a transfer's connection has come, and how long its peer may keep silent.
struct CurlTiming {
    private let connectTimeout: Duration?
    private let idleTimeout: Duration?
    /// Whether a resolver is at work, for which a removal would wait.
    private(set) var isResolving = false
    private(set) var isConnected = false
    private var wasConnected = false
    private var isConnecting = false
    private var connectingSince: ContinuousClock.Instant?
    private var lastActivity = ContinuousClock.now
    /// Whether bytes have moved since the loop looked last; cheaper than asking for the time with each of them.
    private var hasBeenActive = false

    init(_ request: TransportRequest) {
        connectTimeout = request.connectTimeout
        idleTimeout = request.idleTimeout
    }

    mutating func beganResolving() {
        isResolving = true
        isConnecting = true
    }

    mutating func openedSocket() {
        isResolving = false
        isConnecting = true
    }

    mutating func connected() {
        isResolving = false
        isConnected = true
    }

    mutating func noteActivity() {
        hasBeenActive = true
    }

    /// Lets the peer's time begin anew.
    mutating func restart(now: ContinuousClock.Instant) {
        lastActivity = now
    }

    /// What will have taken too long, and when; `nil` where nothing is limited.
    ///
    /// - Parameter isPaused: Whether it is not the peer's turn: its time begins anew with every look.
    mutating func deadline(
        now: ContinuousClock.Instant, isPaused: Bool
    ) -> (timeout: HTTPError.Timeout, at: ContinuousClock.Instant)? {
        guard isConnected else {
            // Waiting for a connection that others use is not connecting.
            if isConnecting, connectingSince == nil { connectingSince = now }
            return connectTimeout.map { (.connect, (connectingSince ?? now) + $0) }
        }
        guard let idleTimeout else { return nil }
        if isPaused { lastActivity = now }
        return (.idle, lastActivity + idleTimeout)
    }

    /// Takes note of what a turn of the loop has brought.
    ///
    /// - Returns: Whether another limit holds from now on.
    mutating func settle(now: ContinuousClock.Instant) -> Bool {
        guard hasBeenActive else { return false }
        hasBeenActive = false
        lastActivity = now
        defer { wasConnected = isConnected }
        return isConnected != wasConnected
    }
}
