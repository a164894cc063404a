/// The options of a feed, beside those of its request.
///
/// An option that is not set is that of ``HTTPClient/Configuration/feedOptions``. Those of ``reconnection`` are set one
/// by one, too.
///
/// The connections of a feed have the options of its request, and where that sets none, those of the client, with these
/// exceptions. The feed makes its own retries. Of the timeouts, only that for connecting is the client's: a connection
/// without an end has no ``RequestOptions/Timeouts/total`` and no ``RequestOptions/Timeouts/minimumRate``, and is
/// replaced after 3 minutes of silence, ``RequestOptions/Timeouts/idle``, unless the request sets others. Polls are
/// requests like others.
public struct FeedOptions: OptionGroup, Hashable, Sendable {
    /// The treatment of elements that cannot be decoded.
    public enum UndecodableElements: Sendable {
        /// The feed fails with ``HTTPError/Reason/decoding(_:_:)``.
        case fail
        /// The element is skipped; ``Feed/Event/gap(_:)`` reports it.
        case skip
    }

    /// The treatment of elements that the server sends again after a reconnection: those with the identifier and the
    /// content of an earlier element.
    public enum RepeatedElements: Sendable {
        /// The element is dropped.
        case drop
        /// The element is delivered: for a server that reuses identifiers for equal content.
        case deliver
    }

    struct Values: Hashable, Sendable {
        var reconnection = ReconnectPolicy()
        var maxElementSize = 1 << 20
        var undecodableElements = UndecodableElements.fail
        var deliversComments = false
        var resumesFromLastEventID = true
        var requestsCompression = false
        var repeatedElements = RepeatedElements.drop
        var duplicateWindow = 128
        var areSuccessive: Unique<@Sendable (_ previous: String, _ next: String) -> Bool>?
        var pollJitter = 0.1
        var unconditionalPollInterval: Duration? = .seconds(3600)
    }

    var settings = unset

    private static let unset = Settings(Values())

    /// Creates options of which none is set.
    public init() {}

    /// Creates options of which the rules for connecting again alone are set.
    public init(reconnection: ReconnectPolicy) {
        self.reconnection = reconnection
    }

    /// The rules for connecting again.
    public var reconnection: ReconnectPolicy {
        get { settings.reconnection }
        set { settings.reconnection = newValue }
    }

    /// The maximum size of an element, in bytes; 1 MiB by default. A larger one fails the feed with
    /// ``HTTPError/Transfer/elementTooLarge(limit:)``.
    public var maxElementSize: Int {
        get { settings.maxElementSize }
        set { settings.maxElementSize = newValue }
    }

    /// The treatment of elements that cannot be decoded; ``UndecodableElements/fail`` by default.
    public var undecodableElements: UndecodableElements {
        get { settings.undecodableElements }
        set { settings.undecodableElements = newValue }
    }

    /// Whether comments of server-sent events are delivered as ``Feed/Event/comment(_:)``; not by default.
    public var deliversComments: Bool {
        get { settings.deliversComments }
        set { settings.deliversComments = newValue }
    }

    /// Whether the last event ID of server-sent events is a position, by which a connection resumes (`Last-Event-ID`);
    /// `true` by default. Set it to `false` for a server whose IDs are no positions, such as PocketBase, whose IDs name
    /// the client. Then the ID is not sent, not even one that the program gives, each reconnection is a
    /// ``FeedGap/notResumable``, and ``repeatedElements`` and ``areSuccessive`` do not apply.
    public var resumesFromLastEventID: Bool {
        get { settings.resumesFromLastEventID }
        set { settings.resumesFromLastEventID = newValue }
    }

    /// Whether streams and long polls request compressed responses; not by default (`Accept-Encoding: identity`),
    /// because a proxy that compresses may hold an element back until the next one follows. A response that is compressed
    /// nevertheless is decoded. A field `Accept-Encoding` of the request or of the client is sent instead. Polls
    /// request compressed responses in any case.
    public var requestsCompression: Bool {
        get { settings.requestsCompression }
        set { settings.requestsCompression = newValue }
    }

    /// The treatment of elements that the server sends again after a reconnection; ``RepeatedElements/drop`` by
    /// default. An element is one of them if an element with the same identifier and the same content is in
    /// ``duplicateWindow``, so a server may restart its numbering. They are looked for up to the first new element.
    /// Polls and long polls have no identifiers, and deliver each response.
    public var repeatedElements: RepeatedElements {
        get { settings.repeatedElements }
        set { settings.repeatedElements = newValue }
    }

    /// The number of recent elements that a feed remembers, 128 by default. An element whose identifier has more than 1
    /// KiB is not remembered. Of the content, a hash of 64 bits with a random seed is remembered: a new element with a
    /// known identifier would be lost if its hash were the same by chance.
    public var duplicateWindow: Int {
        get { settings.duplicateWindow }
        set { settings.duplicateWindow = newValue }
    }

    /// Whether two identifiers belong to successive elements; `nil`, the default, if that cannot be told.
    /// ``consecutiveNumbers`` is such a rule. An element whose identifier does not follow that of the element before it
    /// comes after a ``FeedGap/missingElements``: for a server that drops elements without saying so.
    public var areSuccessive: (@Sendable (_ previous: String, _ next: String) -> Bool)? {
        get { settings.areSuccessive?.value }
        set { settings.areSuccessive = newValue.map { Unique($0) } }
    }

    /// The part of the interval between polls by which it is randomly longer, so that clients that began together do
    /// not poll together; 0.1 by default.
    public var pollJitter: Double {
        get { settings.pollJitter }
        set { settings.pollJitter = newValue }
    }

    /// The time after which a poll is sent without the validators of the last response, in case they are stale; an hour
    /// by default, `nil` for never.
    public var unconditionalPollInterval: Duration? {
        get { settings.unconditionalPollInterval }
        set { settings.unconditionalPollInterval = newValue }
    }

    /// The rule by which identifiers are decimal numbers, each greater than the one before by one.
    public static let consecutiveNumbers: @Sendable (_ previous: String, _ next: String) -> Bool = { previous, next in
        guard let previous = UInt64(previous), let next = UInt64(next) else { return false }
        return next.subtractingReportingOverflow(1) == (previous, false)
    }
}

extension FeedOptions {
    /// The rules that decide when a feed connects again, and after which delay.
    ///
    /// A feed connects again when the server ends the stream, and after a failure that is transient: no connection, a
    /// broken exchange, a timeout, or a status of 408, 425, 429 or 5xx. Any other failure ends the feed. So does the
    /// end of a connection whose request must not be sent again: its method is none of ``methods`` and the server may
    /// have processed it, or its body can be sent only once.
    ///
    /// The delay is random between zero and a bound that doubles with each connection (full jitter), so that clients
    /// that were disconnected together do not return together. The server may ask for a longer one, by `Retry-After`
    /// (RFC 9110, section 10.2.3) or by the `retry` field of server-sent events. With that field, the first delay is
    /// exactly the server's. Delays that begin below 100 ms begin there from the second reconnection without an element
    /// on, so that no feed connects to a server that refuses it as fast as a processor can.
    public struct ReconnectPolicy: OptionGroup, Hashable, Sendable {
        struct Values: Hashable, Sendable {
            var backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
            var healthyTime = Duration.seconds(10)
            var maxRetries: Int?
            /// The methods; the idempotent ones if `nil`.
            var methods: Set<HTTPMethod>?
            var maxServerDelay = Duration.seconds(3600)
            var shouldRetry: Unique<@Sendable (HTTPError) -> Bool?>?
        }

        var settings = unset

        private static let unset = Settings(Values())

        /// Creates a policy of which nothing is set.
        public init() {}

        /// Creates a policy of which the delays alone are set.
        public init(backoff: Backoff) {
            self.backoff = backoff
        }

        /// The delays; up to a second at first, and up to 30 seconds in the end.
        public var backoff: Backoff {
            get { settings.backoff }
            set { settings.backoff = newValue }
        }

        /// The time for which a connection must be open before the delays start over; 10 seconds by default. So a
        /// server that accepts each connection and closes it at once sees them grow.
        public var healthyTime: Duration {
            get { settings.healthyTime }
            set { settings.healthyTime = newValue }
        }

        /// The maximum number of reconnections without a healthy connection; `nil`, the default, is no limit. Then the
        /// feed fails with the last error, or finishes if the server ended the stream.
        public var maxRetries: Int? {
            get { settings.maxRetries }
            set { settings.maxRetries = newValue }
        }

        /// The methods whose requests may be sent again. By default the idempotent ones (RFC 9110, section 9.2.2), also
        /// those of the program (``HTTPMethod/isIdempotent``), which are not in this set. Add another only for a service
        /// that recognises repeated requests. Polls repeat their requests whatever the method.
        public var methods: Set<HTTPMethod> {
            get { settings.methods ?? HTTPMethod.idempotentMethods }
            set { settings.methods = newValue == HTTPMethod.idempotentMethods ? nil : newValue }
        }

        /// The longest delay that a server may ask for, by `Retry-After`, `retry` or, for polls, `Cache-Control`; a
        /// longer one is shortened to it. An hour by default.
        public var maxServerDelay: Duration {
            get { settings.maxServerDelay }
            set { settings.maxServerDelay = newValue }
        }

        /// A closure that decides whether the feed connects again after an error. Without a closure, or if it returns
        /// `nil`, the default rule decides.
        public var shouldRetry: (@Sendable (HTTPError) -> Bool?)? {
            get { settings.shouldRetry?.value }
            set { settings.shouldRetry = newValue.map { Unique($0) } }
        }

        /// A policy without reconnections.
        public static let never: ReconnectPolicy = {
            var policy = ReconnectPolicy()
            policy.maxRetries = 0
            return policy
        }()

        /// Returns whether a request may be sent again after a connection that ended with an error, or in order.
        func allowsRepetition(of request: HTTPRequest, after error: HTTPError?) -> Bool {
            let mayHaveBeenProcessed = error?.mayHaveBeenProcessed ?? true
            let mayRepeat = settings.methods?.contains(request.method) ?? request.method.isIdempotent
            return request.body.isReplayable && (mayRepeat || !mayHaveBeenProcessed)
        }

        func reconnects(after error: HTTPError) -> Bool {
            shouldRetry?(error) ?? isTransient(error.reason)
        }

        /// Returns whether another connection may succeed, by the default rule.
        private func isTransient(_ reason: HTTPError.Reason) -> Bool {
            // The total time of a poll is that of one request, not of the feed.
            if case .timeout = reason { return true }
            return reason.isTransient {
                $0.isServerError || [.requestTimeout, .tooEarly, .tooManyRequests].contains($0)
            }
        }

        /// The least bound of the delays between connections without elements.
        private static let minimumDelay = Duration.milliseconds(100)

        /// Returns the delay before a reconnection.
        ///
        /// - Parameters:
        ///   - number: The number of the reconnection since the last healthy connection, from 1.
        ///   - fruitless: The number of the reconnection since the last element, from 1.
        ///   - serverDelay: The delay that the server asks for, if any.
        ///   - random: A number from 0 to 1.
        func delay(
            beforeReconnection number: Int, fruitless: Int, serverDelay: Duration?, random: Double
        ) -> Duration {
            let delay = delay(beforeReconnection: number, serverDelay: serverDelay, random: random)
            guard fruitless > 1, backoff.initial < Self.minimumDelay else { return delay }
            var slower = backoff
            slower.initial = Self.minimumDelay
            slower.maximum = max(slower.maximum, Self.minimumDelay)
            return max(delay, slower.delay(beforeRetry: fruitless - 1, random: random))
        }

        private func delay(beforeReconnection number: Int, serverDelay: Duration?, random: Double) -> Duration {
            guard let serverDelay else { return backoff.delay(beforeRetry: number, random: random) }
            let floor = min(max(serverDelay, .zero), maxServerDelay)
            return number > 1 ? max(floor, backoff.delay(beforeRetry: number - 1, random: random)) : floor
        }
    }
}

extension FeedOptions: CustomReflectable {
    public var customMirror: Mirror { Mirror(options: self) }
}

extension FeedOptions.ReconnectPolicy: CustomReflectable {
    public var customMirror: Mirror { Mirror(options: self) }
}
