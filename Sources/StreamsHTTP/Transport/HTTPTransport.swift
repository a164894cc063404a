/// What carries an exchange: starts it, delivers its events under demand, aborts it.
///
/// Everything else (redirects, retries, limits, deadlines) is done above a transport and is the same on each. A
/// transport may be dropped at any time; exchanges that are under way keep what they need.
public protocol HTTPTransport: Sendable {
    /// Starts an exchange. Never throws: what goes wrong comes as ``TransportEvent/failed(_:)``. Never blocks, but for a moment
    /// where the receiver allows it; see ``TransportReceiver/isAwaited``.
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

    /// Whether the thread that starts the exchange has nothing to do before it is over, and none of the events leads to
    /// somebody else's code. A transport may then keep the thread for a moment where that is how the answer comes soonest. It
    /// is not, unless the receiver says so.
    var isAwaited: Bool { get }
}

extension TransportReceiver {
    public var isAwaited: Bool { false }
}

/// An exchange under way.
public protocol TransportExchange: Sendable {
    /// Allows so many more bytes of the response's body to be delivered. Legal from any thread.
    func grant(_ bytes: Int)

    /// Ends the exchange. Returns at once; an event that is being delivered on another thread may still come.
    /// Legal from any thread, at any time, any number of times.
    func abort()
}

/// What happens in an exchange: `sent* head chunk* metrics? (finished | failed)`, or `failed` at any point.
public enum TransportEvent: Sendable {
    /// So many bytes of the body have been handed to the connection in all, of so many where it is known.
    case sent(Int64, of: Int64?)
    /// The final head. Informational ones (1xx) are not delivered.
    case head(HTTPResponse<Void>)
    /// A piece of the body, decoded, and how many bytes of the body have come over the wire in all.
    case chunk(Data, received: Int64)
    /// What the exchange has cost: once, just before its end, where ``TransportRequest/wantsMetrics`` asks for it and
    /// the transport can tell.
    indirect case metrics(ExchangeMetrics)
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
