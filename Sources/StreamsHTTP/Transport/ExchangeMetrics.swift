/// What one exchange has cost: a request as it was sent once, and what came back.
///
/// Times count from the exchange's start, as libcurl has them: each is the moment at which something was done with, so
/// that the time a step took is the difference to the one before.
public struct ExchangeMetrics: Hashable, Sendable {
    /// Until the host's address was known; `nil` where a connection was reused or none came about.
    public var nameLookup: Duration?
    /// Until the connection stood, without TLS; `nil` where a connection was reused or none came about.
    public var connect: Duration?
    /// Until TLS was agreed on; `nil` where a connection was reused, and without TLS.
    public var tlsHandshake: Duration?
    /// Until the first byte of the response; `nil` where none came.
    public var firstByte: Duration?
    /// Until the end.
    public var total: Duration
    /// Whether a connection that stood already was used; `nil` where that is not known.
    public var isConnectionReused: Bool?
    /// The request's bytes: head and body, without what TLS and the framing of HTTP/2 add.
    public var bytesSent: Int64
    /// The response's bytes: heads and body as they came over the wire, so before decoding, without what TLS adds.
    public var bytesReceived: Int64
    /// The protocol that was spoken; `nil` where it did not come to that.
    public var version: HTTPVersion?
    /// The other end of the connection: the numeric address, and the port behind a colon.
    public var remoteAddress: String?

    /// Makes a value, for transports and stand-ins for them; what is not known is left out.
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
