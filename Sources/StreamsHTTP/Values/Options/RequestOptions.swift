/// The options of a request: the client's, each of which a request or endpoint may replace.
///
/// ```swift
/// configuration.options.timeouts.total = .seconds(30)
/// let request = HTTPRequest(.get, "/export").settingOptions { $0.timeouts.idle = .seconds(300) }
/// ```
///
/// An option is set once a value has been assigned to it, which may be `nil` or the default. Until then it has its
/// default, and is replaced by the option of the client: the request above has its total timeout, and one that sets
/// `$0.timeouts.total = nil` has none. The options in ``timeouts``, ``retry``, ``hedging``, ``headLimits``,
/// ``connection`` and ``cache`` are set one by one too: setting one of them changes none of the others.
///
/// ## Order of precedence
///
/// A setting has the first value of these: an endpoint's own property (``Endpoint/validation``,
/// ``Endpoint/previewName``, ``Endpoint/requiresAuthorization``); the options that are set in the endpoint or
/// ``HTTPRequest``; those in the ``HTTPClient/Configuration/options`` of the client, which are its ``HTTPService``'s
/// for a ``ServiceClient``; the default named here. Header fields and query parameters are settings by name: those of
/// the request, then ``HTTPClient/Configuration/defaultHeaders`` and ``HTTPClient/Configuration/defaultQuery``, and
/// then, for a `Content-Type`, the body's. Interceptors adapt the result in their order, and the client's authorization
/// last.
public struct RequestOptions: OptionGroup, Hashable, Sendable {
    struct Values: Hashable, Sendable {
        var timeouts = Timeouts()
        var redirects = RedirectPolicy.follow
        var retry = RetryPolicy()
        var hedging = HedgingPolicy()
        var validation = ResponseValidation.successOnly
        var maxBodySize: Int?
        var maxErrorBodySize: Int?
        var headLimits = HeadLimits()
        var compression: HTTPBody.Compression?
        var progress = ProgressGranularity.fraction(0.01)
        var connection = Connection()
        var cache = Cache()
        var keepsDotSegments = false
        var requiresAuthorization: Bool?
        var previewName: String?
        var sharesInFlight = false
    }

    var settings = unset

    private static let unset = Settings(Values())

    /// Creates options of which none is set.
    public init() {}

    /// The timeouts of the parts of an exchange.
    public var timeouts: Timeouts {
        get { settings.timeouts }
        set { settings.timeouts = newValue }
    }

    /// The policy for following redirects; up to 10 by default.
    public var redirects: RedirectPolicy {
        get { settings.redirects }
        set { settings.redirects = newValue }
    }

    /// The policy for retrying failed attempts; no retries by default.
    public var retry: RetryPolicy {
        get { settings.retry }
        set { settings.retry = newValue }
    }

    /// The policy for sending slow requests again; no hedges by default.
    public var hedging: HedgingPolicy {
        get { settings.hedging }
        set { settings.hedging = newValue }
    }

    /// The rule that decides which responses are errors; by default, those whose status is not 2xx.
    public var validation: ResponseValidation {
        get { settings.validation }
        set { settings.validation = newValue }
    }

    /// The maximum size of a body, in decoded bytes. `nil`, the default, is 64 MiB for a body that is collected in
    /// memory, and no limit for one that is delivered in chunks, so that a stream may last for weeks.
    public var maxBodySize: Int? {
        get { settings.maxBodySize }
        set { settings.maxBodySize = newValue }
    }

    /// The maximum size of the body that is kept of a response that is an error or is retried, in decoded bytes. `nil`,
    /// the default, is 1 MiB, or ``maxBodySize`` if that is less. The rest is dropped.
    public var maxErrorBodySize: Int? {
        get { settings.maxErrorBodySize }
        set { settings.maxErrorBodySize = newValue }
    }

    /// The limits of a response's head.
    public var headLimits: HeadLimits {
        get { settings.headLimits }
        set { settings.headLimits = newValue }
    }

    /// The compression of bodies that are likely to become smaller; `nil`, the default, is none. Without the system's
    /// zlib, it has no effect.
    ///
    /// ```swift
    /// configuration.options.compression = .gzip
    /// ```
    ///
    /// Set it for servers that accept `Content-Encoding` in requests: others respond with 415 (RFC 9110, section
    /// 15.5.16), or do not decode. A body is compressed as by ``HTTPBody/compressed(_:)`` if its `Content-Type` is a
    /// text, JSON, XML, YAML or a script, and it has at least 256 bytes or an unknown length. One of up to 64 KiB in
    /// memory that would not become smaller is sent as it is. So are forms, also multipart ones, and a body whose
    /// request has a `Content-Encoding`, a `Content-Range` or a digest, which describe the bytes without a coding.
    /// Fields of a service's own are not known: for a request that such a field signs, set this option to `nil`, or
    /// sign in an interceptor, which reads the compressed bytes.
    public var compression: HTTPBody.Compression? {
        get { settings.compression }
        set { settings.compression = newValue }
    }

    /// The granularity of progress; one percent by default.
    public var progress: ProgressGranularity {
        get { settings.progress }
        set { settings.progress = newValue }
    }

    /// The options of connections.
    public var connection: Connection {
        get { settings.connection }
        set { settings.connection = newValue }
    }

    /// The options for the client's cache.
    public var cache: Cache {
        get { settings.cache }
        set { settings.cache = newValue }
    }

    /// Whether the segments `.` and `..` of the request's URL are sent; by default, they are removed (RFC 3986, section
    /// 5.2.4), as by browsers and curl. The base URL and the locations of redirects lose them in any case, and segments
    /// with encoded dots (`%2E`) remain.
    ///
    /// Set it for a server that gives such segments a meaning of its own.
    public var keepsDotSegments: Bool {
        get { settings.keepsDotSegments }
        set { settings.keepsDotSegments = newValue }
    }

    /// Whether the client's ``HTTPClient/Configuration/authorization`` gives the request its credentials. By default
    /// (`nil`) it does, unless the request has an `Authorization` field or user information in its URL, or is a call
    /// that obtains or renews credentials. If `true`, the provider's credentials replace those of the request.
    public var requiresAuthorization: Bool? {
        get { settings.requiresAuthorization }
        set { settings.requiresAuthorization = newValue }
    }

    /// The name of a preview of the response; the URL without its scheme by default. See ``PreviewStore``.
    public var previewName: String? {
        get { settings.previewName }
        set { settings.previewName = newValue }
    }

    /// Whether identical requests that are under way at once share one exchange; not by default.
    ///
    /// Requests are identical if the client, the method, the URL, the header fields and these options are equal. If
    /// interceptors or the authorization adapt them, each is adapted first, and the adapted requests are compared: one
    /// that waits for its turn in the client's queue joins another only then. Only requests that are safe (RFC 9110,
    /// section 9.2.1), have no body and collect their response share an exchange. One
    /// that joins late receives the earlier events, with the newest progress. Each decodes the response itself, and all
    /// receive an error. The exchange is cancelled with the last of them. Its timeout starts with the first of them.
    public var sharesInFlight: Bool {
        get { settings.sharesInFlight }
        set { settings.sharesInFlight = newValue }
    }
}

extension RequestOptions: CustomReflectable {
    public var customMirror: Mirror { Mirror(options: self) }
}

extension RequestOptions {
    /// The limits of a response's head, together with the informational heads before it (1xx; RFC 9110, section 15.2)
    /// and the trailers after its body (RFC 9112, section 7.1.2). A response beyond a limit fails with
    /// ``HTTPError/Transfer/headTooLarge``, as does one with more than 100 informational heads.
    ///
    /// A line by HTTP/1.1 of more than 128 KiB causes the same error, whatever the limits are. By HTTP/2, each head and
    /// the trailers count for themselves, and each field with 32 bytes more (RFC 9113, section 6.5.2). Transports other
    /// than ``CurlTransport`` may ignore the limits of this type.
    public struct HeadLimits: OptionGroup, Hashable, Sendable, CustomReflectable {
        struct Values: Hashable, Sendable {
            var maxFieldCount = 1000
            var maxLineSize = 64 * 1024
            var maxSize = 256 * 1024
        }

        var settings = unset

        private static let unset = Settings(Values())

        /// Creates limits of which none is set.
        public init() {}

        /// The maximum number of fields; 1,000 by default.
        public var maxFieldCount: Int {
            get { settings.maxFieldCount }
            set { settings.maxFieldCount = newValue }
        }

        /// The maximum size of a line, in bytes with its line break; 64 KiB by default.
        public var maxLineSize: Int {
            get { settings.maxLineSize }
            set { settings.maxLineSize = newValue }
        }

        /// The maximum size of all lines, in bytes; 256 KiB by default.
        public var maxSize: Int {
            get { settings.maxSize }
            set { settings.maxSize = newValue }
        }

        public var customMirror: Mirror { Mirror(options: self) }
    }

    /// The timeouts of the parts of an exchange. `nil` is no limit.
    public struct Timeouts: OptionGroup, Hashable, Sendable, CustomReflectable {
        /// A minimum transfer rate, on average over a period.
        public struct MinimumRate: Hashable, Sendable {
            /// The number of bytes per second, of both directions and before decoding.
            public var bytesPerSecond: Int
            /// The length of the periods over which the rate is averaged; 30 seconds by default.
            public var period: Duration

            /// Creates a minimum rate.
            public init(bytesPerSecond: Int, over period: Duration = .seconds(30)) {
                self.bytesPerSecond = bytesPerSecond
                self.period = period
            }
        }

        struct Values: Hashable, Sendable {
            var connect: Duration? = .seconds(30)
            var idle: Duration? = .seconds(60)
            var minimumRate: MinimumRate?
            var errorBody: Duration? = .seconds(5)
            var total: Duration?
        }

        var settings = unset

        private static let unset = Settings(Values())

        /// Creates timeouts of which none is set.
        public init() {}

        /// The timeout for connecting, including name resolution and TLS; 30 seconds by default.
        public var connect: Duration? {
            get { settings.connect }
            set { settings.connect = newValue }
        }

        /// The timeout for the peer's silence, without a byte in either direction; a minute by default. Time without
        /// demand from the subscriber, or without data from the body's source, does not count.
        public var idle: Duration? {
            get { settings.idle }
            set { settings.idle = newValue }
        }

        /// The minimum rate at which a request's body is sent and its response is received; none by default. A slower
        /// exchange fails with ``HTTPError/Timeout/minimumRate``. It is a defence against peers that send so little
        /// that an exchange would never end, and yet enough to avoid ``idle``.
        ///
        /// The time between the request and the first line of its response does not count, nor does time in which the
        /// transfer is paused, because the subscriber does not request data or the body's source has none.
        public var minimumRate: MinimumRate? {
            get { settings.minimumRate }
            set { settings.minimumRate = newValue }
        }

        /// The timeout for the body of a response that is an error or is retried, from its head on; 5 seconds by default.
        /// The error is then reported with the part that has been received, so that a body without an end delays neither
        /// an error nor the next attempt. The connection is closed.
        public var errorBody: Duration? {
            get { settings.errorBody }
            set { settings.errorBody = newValue }
        }

        /// The timeout for the whole request: the wait in the client's queue, attempts, redirects and waits for
        /// retries; none by default. A request that still waits in the queue fails with ``HTTPError/Timeout/queue``,
        /// any other with ``HTTPError/Timeout/total``.
        public var total: Duration? {
            get { settings.total }
            set { settings.total = newValue }
        }

        public var customMirror: Mirror { Mirror(options: self) }
    }

    /// The granularity of progress events.
    public struct ProgressGranularity: Hashable, Sendable {
        let step: Double

        /// Returns a granularity of one event for each fraction of the total, from 0 to 1. If the length is unknown,
        /// there is one event for every 64 KiB.
        public static func fraction(_ step: Double) -> ProgressGranularity {
            ProgressGranularity(step: min(max(step, 0), 1))
        }

        /// An event for every chunk.
        public static let everyChunk = ProgressGranularity(step: 0)
    }
}
