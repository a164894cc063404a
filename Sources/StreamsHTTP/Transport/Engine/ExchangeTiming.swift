/// The timeouts of an exchange: which one runs, and since when.
///
/// Events set flags, and the loop sets their time once per iteration, which is cheaper than a clock reading per event.
struct ExchangeTiming {
    /// The timeout that runs, if the request has one.
    private enum RunningTimeout {
        /// The exchange waits for a connection, which is not connecting.
        case none
        case connect
        case idle
    }

    private let connectTimeout: Duration?
    private var idleTimeout: Duration?
    private var runningTimeout = RunningTimeout.none
    /// The time when connecting began, or of the last activity.
    private var since = MonotonicTime.now
    /// Whether the name is being resolved, for which a removal would wait.
    private(set) var isResolving = false
    /// Whether there has been activity since the last iteration of the loop.
    private var hasBeenActive = false
    /// Whether another timeout has begun since then.
    private var hasBegunTimeout = false

    init(_ request: TransportRequest) {
        connectTimeout = request.connectTimeout
        idleTimeout = request.idleTimeout
    }

    var isConnected: Bool { runningTimeout == .idle }

    mutating func beganResolving() {
        isResolving = true
        begin(.connect)
    }

    /// Records that the lookup was refused. The wait for it counts as connecting.
    mutating func refusedLookup() {
        isResolving = false
    }

    /// Records that there is no descriptor. The wait for one is not connecting.
    mutating func refusedSocket() {
        isResolving = false
        runningTimeout = .none
    }

    mutating func openedSocket() {
        isResolving = false
        begin(.connect)
    }

    /// Records that a connection is to be opened, when others of the origin have been.
    mutating func beganConnecting() {
        begin(.connect)
    }

    mutating func connected() {
        isResolving = false
        begin(.idle)
    }

    /// Records that the exchange waits for a connection again.
    mutating func leftConnection() {
        runningTimeout = .none
    }

    /// Lets the peer keep silent from now on.
    mutating func endIdleTimeout() {
        idleTimeout = nil
    }

    mutating func noteActivity() {
        hasBeenActive = true
    }

    private mutating func begin(_ timeout: RunningTimeout) {
        guard timeout != runningTimeout else { return }
        runningTimeout = timeout
        hasBegunTimeout = true
        hasBeenActive = true
    }

    /// Restarts the idle timeout.
    mutating func restart(now: MonotonicTime) {
        if isConnected { since = now }
    }

    /// Records the activity of an iteration of the loop.
    ///
    /// - Returns: Whether another timeout applies from now on.
    mutating func settle(now: MonotonicTime) -> Bool {
        guard hasBeenActive else { return false }
        hasBeenActive = false
        guard hasBegunTimeout || isConnected else { return false }
        since = now
        defer { hasBegunTimeout = false }
        return hasBegunTimeout
    }

    /// Returns the next timeout and its time, or `nil` if there is none.
    ///
    /// - Parameter isPaused: Whether the exchange does not wait for the peer, so that the idle timeout has not started.
    func deadline(
        now: MonotonicTime, isPaused: Bool
    ) -> (timeout: HTTPError.Timeout, at: MonotonicTime)? {
        switch runningTimeout {
        case .none: nil
        case .connect: connectTimeout.map { (.connect, since + $0) }
        case .idle: idleTimeout.map { (.idle, (isPaused ? now : since) + $0) }
        }
    }
}

/// The comparison of an exchange's rate with the minimum, one period after another.
///
/// A period is measured while the body of the request is sent, or the response is received. It restarts after each
/// pause, so that time in which the peer must wait does not count.
struct RateCheck {
    /// The stage of an exchange that a period lies in.
    enum Stage {
        case sending, receiving
    }

    private struct Period {
        let stage: Stage
        let start: MonotonicTime
        let bytes: Int64
    }

    /// The delay of the comparison after which a period does not count, because the process did not run.
    static let tolerance: Duration = .seconds(1)

    private let minimum: RequestOptions.Timeouts.MinimumRate?
    private var period: Period?

    init(_ minimum: RequestOptions.Timeouts.MinimumRate?) {
        self.minimum = minimum
    }

    var isEnabled: Bool { minimum != nil }

    /// The end of the period, or `nil` if none is measured.
    var deadline: MonotonicTime? {
        guard let minimum, let period else { return nil }
        return period.start + min(max(minimum.period, .milliseconds(1)), .seconds(86_400 * 365))
    }

    /// Begins a period if the stage has changed.
    ///
    /// - Parameters:
    ///   - stage: The current stage, or `nil` if the exchange does not wait for the peer's bytes.
    ///   - byteCount: Returns the number of bytes sent and received so far.
    /// - Returns: Whether a period has begun.
    mutating func update(_ stage: Stage?, now: MonotonicTime, byteCount: () -> Int64) -> Bool {
        guard isEnabled, stage != period?.stage else { return false }
        period = stage.map { Period(stage: $0, start: now, bytes: byteCount()) }
        return period != nil
    }

    /// Begins the next period if the current one is over and enough bytes were transferred in it.
    mutating func judge(now: MonotonicTime, byteCount: () -> Int64) {
        guard let minimum, let period, let deadline, deadline <= now else { return }
        let bytes = byteCount()
        let required = Double(minimum.bytesPerSecond) * (minimum.period / .seconds(1))
        guard Double(bytes - period.bytes) >= required || now - deadline > Self.tolerance else { return }
        self.period = Period(stage: period.stage, start: now, bytes: bytes)
    }

    /// Restarts the period, because the process did not run for a part of it.
    mutating func restart(now: MonotonicTime, byteCount: () -> Int64) {
        period = period.map { Period(stage: $0.stage, start: now, bytes: byteCount()) }
    }
}
