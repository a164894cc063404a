extension HTTPError {
    /// A kind of ``Reason/timeout(_:)``: the timeout that expired, one of ``RequestOptions/Timeouts`` or of
    /// ``WebSocketOptions``.
    public struct Timeout: Hashable, Sendable {
        package enum Code: String, CaseIterable, Sendable {
            case connect = "timeout.connect"
            case idle = "timeout.idle"
            case minimumRate = "timeout.minimum-rate"
            case total = "timeout.total"
            case queue = "timeout.queue"
            case permit = "timeout.permit"
            case pong = "timeout.pong"
        }

        package let code: Code

        package init(_ code: Code) {
            self.code = code
        }

        /// The stable name, such as `timeout.idle`.
        public var name: String { code.rawValue }
    }
}

extension HTTPError.Timeout {
    /// ``RequestOptions/Timeouts/connect``.
    public static let connect = Self(.connect)

    /// ``RequestOptions/Timeouts/idle``.
    public static let idle = Self(.idle)

    /// ``RequestOptions/Timeouts/minimumRate-swift.property``.
    public static let minimumRate = Self(.minimumRate)

    /// ``RequestOptions/Timeouts/total``. It covers all attempts, so it is not retried.
    public static let total = Self(.total)

    /// ``RequestOptions/Timeouts/total``, while the request waited in the client's queue
    /// (``HTTPClient/Limits/maxConcurrentRequests``). Nothing was sent.
    public static let queue = Self(.queue)

    /// ``RequestOptions/Timeouts/total``, while an exchange waited for a permit of
    /// ``HTTPClient/Limits/rateLimit`` or ``HTTPClient/Limits/maxConcurrentRequestsPerOrigin``. Nothing
    /// was sent in this exchange.
    public static let permit = Self(.permit)

    /// ``WebSocketOptions/pongTimeout``: the peer of a WebSocket has neither answered a ping nor sent anything else.
    public static let pong = Self(.pong)

    /// Whether another attempt may succeed, by the default rule of a ``RetryPolicy``.
    var isTransient: Bool {
        switch code {
        case .connect, .idle, .minimumRate, .pong: true
        case .total, .queue, .permit: false
        }
    }
}

extension HTTPError.Timeout: CustomStringConvertible {
    /// A description of the kind.
    public var description: String {
        switch code {
        case .connect: "connecting took too long"
        case .idle: "the peer kept silent for too long"
        case .minimumRate: "the transfer was too slow"
        case .total: "the request took too long"
        case .queue: "the total timeout expired while the request waited in the queue"
        case .permit: "the total timeout expired while the request waited for a permit"
        case .pong: "the peer of a WebSocket did not answer a ping in time"
        }
    }
}
