/// The metrics of one exchange: one request as sent, and its response.
///
/// Times are measured from the start of the exchange, as in libcurl. Each is the end of a step, so that the duration of
/// a step is the difference to the time before.
public struct ExchangeMetrics: Hashable, Sendable {
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
        bytesReceived: Int64 = 0, version: HTTPVersion? = nil, remoteAddress: String? = nil
    ) {
        self.nameLookup = nameLookup
        self.connect = connect
        self.tlsHandshake = tlsHandshake
        self.firstByte = firstByte
        self.total = total
        self.isConnectionReused = isConnectionReused
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.version = version
        self.remoteAddress = remoteAddress
    }
}
