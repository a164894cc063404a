/// A way to perform an exchange: starts it, delivers its events under demand, and aborts it.
///
/// Redirects, retries, limits and deadlines are implemented above the transport, and behave the same on each. A
/// transport may be released at any time; running exchanges keep what they need.
public protocol HTTPTransport: Sendable {
    /// Starts an exchange. Never blocks. An error is delivered as ``TransportEvent/failed(_:)``.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - receiver: Receives the events one at a time, on any thread, possibly before this method returns.
    /// - Returns: The exchange, to allow more bytes or to end it.
    func start(_ request: TransportRequest, delivering receiver: any TransportReceiver) -> any TransportExchange

    /// The connections to each origin at this moment, for ``HTTPClient/snapshot``; none by default. Never blocks. A
    /// transport that wraps another returns that one's.
    var connections: [OriginConnections] { get }
}

extension HTTPTransport {
    public var connections: [OriginConnections] { [] }
}

/// A receiver of an exchange's events.
public protocol TransportReceiver: Sendable {
    /// Receives an event. Called serially, and not after ``TransportEvent/finished`` or ``TransportEvent/failed(_:)``.
    /// Must not block: it may run on the thread that drives all exchanges.
    func receive(_ event: TransportEvent)
}

/// A running exchange.
public protocol TransportExchange: Sendable {
    /// Allows more bytes of the response's body to be delivered. Can be called from any thread.
    ///
    /// - Parameter bytes: The number of additional bytes.
    func allow(bytes: Int)

    /// Ends the exchange. Returns immediately; an event that another thread is delivering may still arrive. Can be
    /// called from any thread, at any time, any number of times.
    func abort()

    /// The wait of the exchange before its request is sent, for ``HTTPClient/snapshot`` and ``HTTPError/Timeout/wait``;
    /// `nil` if it does not wait, and by default. Its place is one of a transport, not one of the client. An exchange
    /// that wraps another returns that one's. Can be called from any thread, at any time, and must not block.
    var wait: HTTPRequest.Wait? { get }
}

extension TransportExchange {
    public var wait: HTTPRequest.Wait? { nil }
}

/// An event of an exchange: `(connected | sent)* head chunk* trailers? metrics? (finished | failed)`, or `failed` at any
/// point.
public enum TransportEvent: Sendable {
    /// There is a connection, on which the request is about to be sent: one that was open before, or a new one; with
    /// TLS, after the handshake. The remote address is numeric, with a colon and the port; `nil` if it is unknown.
    ///
    /// Delivered if ``TransportRequest/wantsMetrics`` is set and the transport knows; again if the request goes to
    /// another connection.
    case connected(isReused: Bool, remoteAddress: String?)
    /// The number of bytes of the request's body that have been passed to the connection, and the body's length if
    /// known.
    case sent(Int64, of: Int64?)
    /// The final head, with all fields as they were received. Informational heads (1xx) are not delivered.
    case head(HTTPResponse<Void>)
    /// A part of the decoded body, which may be empty, and the number of bytes of the body received from the network so
    /// far.
    case chunk(Data, received: Int64)
    /// The trailers, if there are any: the fields after the body (RFC 9110, section 6.5).
    case trailers(HTTPHeaders)
    /// The metrics of the exchange, delivered once, just before its end, if ``TransportRequest/wantsMetrics`` is set
    /// and the transport measures them.
    indirect case metrics(Metrics)
    /// The response is complete, whatever its status.
    case finished
    /// The exchange has failed.
    case failed(TransportFailure)
}

extension TransportEvent {
    /// The metrics of one exchange: one request as sent, and its response.
    ///
    /// Times are measured from the start of the exchange, as in libcurl. Each is the end of a step, so that the duration of
    /// a step is the difference to the time before.
    public struct Metrics: Hashable, Sendable {
        /// The time until the host's address was resolved; `nil` if a connection was reused or none was established.
        public var nameLookup: Duration?
        /// The time until the connection was established, without TLS; `nil` if a connection was reused or none was
        /// established.
        public var connect: Duration?
        /// The time until the TLS handshake was complete; `nil` if a connection was reused, and without TLS.
        public var tlsHandshake: Duration?
        /// The time until the first byte of the response; `nil` if none was received.
        public var firstByte: Duration?
        /// The time until the end of the exchange.
        public var total: Duration
        /// Whether an existing connection was used; `nil` if that is unknown.
        public var isConnectionReused: Bool?
        /// The bytes of the request: head and body, without the overhead of TLS. By HTTP/2, the head counts as it is
        /// compressed, with its frames, and the body without its frames.
        public var bytesSent: Int64
        /// The bytes of the response: heads and body on the wire, before decoding, without the overhead of TLS. By HTTP/2,
        /// heads count as they are compressed, with their frames, and the body without its frames.
        public var bytesReceived: Int64
        /// The waits for a connection: one for each place, in the order in which the exchange first waited there. It is
        /// empty if there was an open connection, or if the transport does not tell.
        public var waits: [HTTPRequest.Wait]
        /// The HTTP version; `nil` if the exchange ended before it was known.
        public var version: HTTPVersion?
        /// The remote address of the connection: the numeric address, a colon and the port.
        public var remoteAddress: String?

        /// The time until the request could be sent; `nil` if that was never possible.
        package var pretransfer: Duration?
        /// The size of the request's head in bytes.
        package var requestSize: Int64 = 0
        /// The size of all heads of the response in bytes.
        package var headerSize: Int64 = 0

        /// Creates metrics, for transports and their test doubles. Unknown values are omitted.
        public init(
            nameLookup: Duration? = nil, connect: Duration? = nil, tlsHandshake: Duration? = nil,
            firstByte: Duration? = nil, total: Duration, isConnectionReused: Bool? = nil, bytesSent: Int64 = 0,
            bytesReceived: Int64 = 0, waits: [HTTPRequest.Wait] = [], version: HTTPVersion? = nil,
            remoteAddress: String? = nil
        ) {
            self.nameLookup = nameLookup
            self.connect = connect
            self.tlsHandshake = tlsHandshake
            self.firstByte = firstByte
            self.total = total
            self.isConnectionReused = isConnectionReused
            self.bytesSent = bytesSent
            self.bytesReceived = bytesReceived
            self.waits = waits
            self.version = version
            self.remoteAddress = remoteAddress
        }
    }
}

/// The failure of an exchange.
///
/// A transport reports an error that no kind describes with ``HTTPError/Reason/thrown(_:by:)``, or with
/// ``HTTPError/Transfer/other`` and the error of its library.
public struct TransportFailure: Error, Sendable {
    /// The reason, as it appears in the request's error.
    public let reason: HTTPError.Reason
    /// The error of the underlying library or system, or `nil` if the transport itself detected the failure.
    public let underlying: HTTPError.Underlying?

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - reason: The reason.
    ///   - underlying: The error of the underlying library or system.
    public init(_ reason: HTTPError.Reason, underlying: HTTPError.Underlying? = nil) {
        self.reason = reason
        self.underlying = underlying
    }

    /// The failure as the cause of an error with another reason.
    var cause: HTTPError.Underlying {
        underlying ?? HTTPError.Underlying(domain: "Streams", code: 0, message: reason.description)
    }
}

extension TransportFailure {
    /// Creates a failure of a system call.
    ///
    /// - Parameters:
    ///   - code: The value of `errno`.
    ///   - reason: The reason, unless the process or the system lacks a descriptor.
    init(system code: CInt, _ reason: HTTPError.Reason = .transfer(.other)) {
        self.init(
            code == EMFILE || code == ENFILE ? .connection(.resourceExhausted) : reason,
            underlying: HTTPError.Underlying(
                domain: "errno", code: Int(code), message: String(cString: strerror(code))))
    }
}
