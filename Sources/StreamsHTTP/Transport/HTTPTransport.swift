/// What carries an exchange: starts it, delivers its events under demand, aborts it.
///
/// Everything else (redirects, retries, limits, deadlines) is done above a transport and is the same on each. A
/// transport may be dropped at any time; exchanges that are under way keep what they need.
public protocol HTTPTransport: Sendable {
    /// Starts an exchange. Never blocks and never throws: what goes wrong comes as ``TransportEvent/failed(_:)``.
    ///
    /// - Parameters:
    ///   - request: What to send, and how.
    ///   - receiver: Gets the events one at a time, on any thread, possibly before this call returns.
    func start(_ request: TransportRequest, delivering receiver: any TransportReceiver) -> any TransportExchange
}

/// Takes an exchange's events.
public protocol TransportReceiver: Sendable {
    /// Called serially, and not again after ``TransportEvent/finished`` or ``TransportEvent/failed(_:)``. Must not
    /// block: it may run on the thread that drives every exchange.
    func receive(_ event: TransportEvent)
}

/// An exchange under way.
public protocol TransportExchange: Sendable {
    /// Allows so many more bytes of the response's body to be delivered. Legal from any thread.
    func grant(_ bytes: Int)

    /// Ends the exchange. Returns at once; an event that is being delivered on another thread may still come.
    /// Legal from any thread, at any time, any number of times.
    func abort()
}

/// One request as a transport sends it, redirects and retries being somebody else's business.
public struct TransportRequest: Sendable {
    /// What is asked for.
    public var method: HTTPMethod
    /// An absolute http or https URL without credentials.
    public var url: URL
    /// The fields that are sent. A transport adds those that say how the body is framed and what content it can decode.
    public var headers: HTTPHeaders
    /// What is sent; opened once by each exchange.
    public var body: HTTPBody
    /// How the server is reached, and what is done to the response's content.
    public var connection: ConnectionOptions
    /// How long connecting may take, from the name's resolution to the end of the TLS handshake, where a new connection is
    /// made; `nil` for as long as it likes.
    public var connectTimeout: Duration?
    /// How long the peer may keep silent on a connection, not counting the time in which the request's body or the
    /// response's receiver makes it wait; `nil` for as long as it likes.
    public var idleTimeout: Duration?
    /// Whether the receiver may take its time, so that the peer must be made to wait.
    public var isPaced: Bool
    /// How many bytes of the response's body may be delivered before more are granted. A transport stops reading
    /// when they are used up, so that the peer feels it; it may deliver one read more.
    public var window: Int
    /// Whether somebody looks at ``TransportEvent/metrics(_:)``; where nobody does, nothing is measured.
    public var wantsMetrics = false
    /// What a preview of the answer is called, where the request says it; see ``PreviewStore``.
    public var previewName: String?

    /// Makes a request; see the properties for what the arguments mean.
    public init(
        method: HTTPMethod, url: URL, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
        connection: ConnectionOptions = ConnectionOptions(), connectTimeout: Duration? = nil,
        idleTimeout: Duration? = nil, isPaced: Bool = false, window: Int = 256 * 1024,
        previewName: String? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.connection = connection
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.isPaced = isPaced
        self.window = window
        self.previewName = previewName
    }
}

/// What happens in an exchange: `sent* head chunk* metrics? (finished | failed)`, or `failed` at any point.
public enum TransportEvent: Sendable {
    /// So many bytes of the body have been handed to the connection in all, of so many where it is known.
    case sent(Int64, of: Int64?)
    /// The final head. Informational ones (1xx) are not delivered.
    case head(HTTPResponse<Void>)
    /// A piece of the body, decoded, and how many bytes of the body have come over the wire in all.
    case chunk(Data, received: Int64)
    /// What the exchange has cost: once, just before its end, where ``TransportRequest/wantsMetrics`` asks for it and the
    /// transport can tell.
    case metrics(ExchangeMetrics)
    /// The response has come to its end, whatever its status.
    case finished
    /// The exchange has come to nothing, or not to its end.
    case failed(TransportFailure)
}

/// Why a transport gave up.
public struct TransportFailure: Error, Sendable {
    /// What went wrong, as the error of the request will say it.
    public let reason: HTTPError.Reason
    /// What the library or the system below said; `nil` where the transport found it out itself.
    public let underlying: HTTPError.Underlying?

    /// Makes a failure of a reason and, where there is one, what lies behind it.
    public init(_ reason: HTTPError.Reason, underlying: HTTPError.Underlying? = nil) {
        self.reason = reason
        self.underlying = underlying
    }
}
