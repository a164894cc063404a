/// The check whether the server of a connection by HTTP/2 is still there: a silent server is sent a ping, and the
/// connection of one that does not answer is to end. It is a value without sockets and timers.
struct HTTP2Liveness {
    /// The consequence of a silence.
    enum Action {
        case ping
        case fail
    }

    /// The silence after which the server is sent a ping.
    private static let pingDelay = Duration.seconds(30)
    /// The time that the server has to send anything after a ping.
    private static let pongTimeout = Duration.seconds(20)

    /// The time of the server's last bytes, or of the ping after them.
    private var lastTime: MonotonicTime
    private var isPinging = false

    init(now: MonotonicTime) {
        lastTime = now
    }

    /// The time of the next check.
    var deadline: MonotonicTime { lastTime + (isPinging ? Self.pongTimeout : Self.pingDelay) }

    /// Records that the server has sent something.
    mutating func noteReceived(now: MonotonicTime) {
        (lastTime, isPinging) = (now, false)
    }

    /// Restarts the time of the silence, since an idle server is expected to be silent.
    mutating func restart(now: MonotonicTime) {
        lastTime = now
    }

    /// Returns what the silence leads to; `nil` before the ``deadline``.
    ///
    /// - Parameters:
    ///   - time: The time up to which the connection is known to have been read.
    ///   - now: The time.
    mutating func check(_ time: MonotonicTime, now: MonotonicTime) -> Action? {
        guard deadline <= time else { return nil }
        guard !isPinging else { return .fail }
        (lastTime, isPinging) = (now, true)
        return .ping
    }
}
