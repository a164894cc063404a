extension HTTPError {
    /// A kind of ``Reason/timeout(_:)``: the timeout that expired, one of ``RequestOptions/Timeouts`` or of
    /// ``WebSocketOptions``.
    ///
    /// Two timeouts are equal if they are of the same kind, wherever the request waited.
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
        // Boxed, so that the reason of an error is small.
        private let boxedWait: Box<HTTPRequest.Wait>?

        package init(_ code: Code) {
            self.init(code, nil)
        }

        private init(_ code: Code, _ wait: Box<HTTPRequest.Wait>?) {
            self.code = code
            boxedWait = wait
        }

        /// The stable name, such as `timeout.idle`.
        public var name: String { code.rawValue }
        /// The wait of the request that the timeout has ended; `nil` if the request did not wait, or the transport does
        /// not tell.
        public var wait: HTTPRequest.Wait? { boxedWait?.value }

        /// Returns the timeout with the wait that it has ended, for transports.
        ///
        /// - Parameter wait: The wait; `nil` if the request did not wait.
        public func during(_ wait: HTTPRequest.Wait?) -> Self { Self(code, wait.map { Box($0) }) }

        /// Returns whether two timeouts are of the same kind.
        public static func == (timeout: Self, other: Self) -> Bool { timeout.code == other.code }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(code)
        }
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
    /// A description of the kind, and of the wait if there was one.
    public var description: String {
        guard let wait else { return kind }
        return switch code {
        case .queue, .permit: "the total timeout expired while the request waited \(wait)"
        default: "\(kind) while it waited \(wait)"
        }
    }

    private var kind: String {
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
