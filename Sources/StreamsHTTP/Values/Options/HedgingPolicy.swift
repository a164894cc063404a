/// A rule that sends a slow request again, and takes the response that arrives first.
///
/// If the head of the response has not arrived after ``delay``, the client sends another copy of the request, a hedge:
/// it is likely to meet another connection, and often another server. The copy whose head arrives first is the exchange,
/// and the others are cancelled. A copy that fails, or whose status is 429 or at least 500, is dropped as long as
/// another one is under way; the outcome of the last one is that of the exchange.
///
/// Each exchange is hedged for itself, also those of redirects and retries. A request is hedged if its method is one of
/// ``methods`` and its body can be sent again (``HTTPBody/isReplayable``). The connections of feeds and WebSockets and
/// the exchanges of downloads are not hedged; the requests of polls are.
///
/// Each hedge consumes a retry of the client's ``RetryPolicy/Budget``, and is not sent without one
/// (<doc:RetriesAndTimeouts>). It needs permits of its own (<doc:ProtectingServers>), and is not sent while the copy
/// before it still waits for its permits.
public struct HedgingPolicy: OptionGroup, Hashable, Sendable {
    struct Values: Hashable, Sendable {
        var delay = Duration.zero
        var maxHedges = 0
        /// The methods; the safe ones if `nil`.
        var methods: Set<HTTPMethod>?
    }

    var settings = unset

    private static let unset = Settings(Values())

    /// Creates a policy of which nothing is set.
    public init() {}

    /// Creates a policy of which nothing is set but the parameters; the properties describe them.
    public init(after delay: Duration, maxHedges: Int = 1) {
        self.delay = delay
        self.maxHedges = maxHedges
    }

    /// The time after which another copy is sent; at once by default, and if it is negative. A good value is the time
    /// that 95 or 99 of a hundred responses take at most.
    public var delay: Duration {
        get { settings.delay }
        set { settings.delay = newValue }
    }

    /// The maximum number of hedges of an exchange, each of which is sent ``delay`` after the copy before it; none by
    /// default, and if it is less than one.
    public var maxHedges: Int {
        get { settings.maxHedges }
        set { settings.maxHedges = newValue }
    }

    /// The methods that are sent again. By default those that only read (RFC 9110, section 9.2.1), also those of the
    /// program (``HTTPMethod/isSafe``), which are not in this set.
    ///
    /// Add another one only if the server recognises repeated requests. That a method is idempotent is not enough: the
    /// second copy of a DELETE may find nothing to delete, and its response may arrive first.
    public var methods: Set<HTTPMethod> {
        get { settings.methods ?? HTTPMethod.safeMethods }
        set { settings.methods = newValue == HTTPMethod.safeMethods ? nil : newValue }
    }

    /// A policy without hedges.
    public static let never = HedgingPolicy(after: .zero, maxHedges: 0)

    /// Returns whether the exchange of a request may be hedged.
    func applies(to request: TransportRequest) -> Bool {
        maxHedges > 0 && settings.methods?.contains(request.method) ?? request.method.isSafe
            && request.body.isReplayable
    }
}

extension HedgingPolicy: CustomReflectable {
    public var customMirror: Mirror { Mirror(options: self) }
}
