/// The options of a request: the client's, each of which a request or endpoint may replace.
///
/// ```swift
/// configuration.options.timeouts.total = .seconds(30)
/// let request = HTTPRequest(.get, "/export").settingOptions { $0.timeouts.idle = .seconds(300) }
/// ```
///
/// An option is set once a value has been assigned to it, which may be `nil` or the default. Until then it has its
/// default, and is replaced by the option of the client: the request above has its total timeout, and one that sets
/// `$0.timeouts.total = nil` has none. The options in ``timeouts``, ``retry``, ``hedging``, ``headLimits`` and
/// ``connection`` are set one by one too: setting one of them changes none of the others.
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
public struct RequestOptions: Hashable, Sendable {
    private struct Fields: Hashable, Sendable {
        var timeouts = Timeouts()
        var redirects = Setting(RedirectPolicy.follow)
        var retry = RetryPolicy()
        var hedging = HedgingPolicy()
        var validation = Setting(ResponseValidation.successOnly)
        var maxBodySize = Setting<Int?>(nil)
        var maxErrorBodySize = Setting<Int?>(nil)
        var headLimits = HeadLimits()
        var compression = Setting<HTTPBody.Compression?>(nil)
        var progress = Setting(ProgressGranularity.fraction(0.01))
        var connection = Connection()
        var keepsDotSegments = Setting(false)
        var requiresAuthorization = Setting<Bool?>(nil)
        var previewName = Setting<String?>(nil)
        var sharesInFlight = Setting(false)

        func merging(defaults: Fields) -> Fields {
            var merged = self
            merged.timeouts = timeouts.merging(defaults: defaults.timeouts)
            merged.redirects = redirects.or(defaults.redirects)
            merged.retry = retry.merging(defaults: defaults.retry)
            merged.hedging = hedging.merging(defaults: defaults.hedging)
            merged.validation = validation.or(defaults.validation)
            merged.maxBodySize = maxBodySize.or(defaults.maxBodySize)
            merged.maxErrorBodySize = maxErrorBodySize.or(defaults.maxErrorBodySize)
            merged.headLimits = headLimits.merging(defaults: defaults.headLimits)
            merged.compression = compression.or(defaults.compression)
            merged.progress = progress.or(defaults.progress)
            merged.connection = connection.merging(defaults: defaults.connection)
            merged.keepsDotSegments = keepsDotSegments.or(defaults.keepsDotSegments)
            merged.requiresAuthorization = requiresAuthorization.or(defaults.requiresAuthorization)
            merged.previewName = previewName.or(defaults.previewName)
            merged.sharesInFlight = sharesInFlight.or(defaults.sharesInFlight)
            return merged
        }
    }

    // Several objects of each request under way hold the options, and most requests set none.
    private var box: Box<Fields>

    private static let unset = Box(Fields())

    /// Creates options of which none is set.
    public init() {
        box = Self.unset
    }

    private var fields: Fields {
        get { box.value }
        set { box = Box(newValue) }
    }

    /// The timeouts of the parts of an exchange.
    public var timeouts: Timeouts {
        get { box.value.timeouts }
        set { fields.timeouts = newValue }
    }

    /// The policy for following redirects; up to 10 by default.
    public var redirects: RedirectPolicy {
        get { box.value.redirects.value }
        set { fields.redirects.value = newValue }
    }

    /// The policy for retrying failed attempts; no retries by default.
    public var retry: RetryPolicy {
        get { box.value.retry }
        set { fields.retry = newValue }
    }

    /// The policy for sending slow requests again; no hedges by default.
    public var hedging: HedgingPolicy {
        get { box.value.hedging }
        set { fields.hedging = newValue }
    }

    /// The rule that decides which responses are errors; by default, those whose status is not 2xx.
    public var validation: ResponseValidation {
        get { box.value.validation.value }
        set { fields.validation.value = newValue }
    }

    /// The maximum size of a body, in decoded bytes. `nil`, the default, is 64 MiB for a body that is collected in
    /// memory, and no limit for one that is delivered in chunks, so that a stream may last for weeks.
    public var maxBodySize: Int? {
        get { box.value.maxBodySize.value }
        set { fields.maxBodySize.value = newValue }
    }

    /// The maximum size of the body that is kept of a response that is an error or is retried, in decoded bytes. `nil`,
    /// the default, is 1 MiB, or ``maxBodySize`` if that is less. The rest is dropped.
    public var maxErrorBodySize: Int? {
        get { box.value.maxErrorBodySize.value }
        set { fields.maxErrorBodySize.value = newValue }
    }

    /// The limits of a response's head.
    public var headLimits: HeadLimits {
        get { box.value.headLimits }
        set { fields.headLimits = newValue }
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
        get { box.value.compression.value }
        set { fields.compression.value = newValue }
    }

    /// The granularity of progress; one percent by default.
    public var progress: ProgressGranularity {
        get { box.value.progress.value }
        set { fields.progress.value = newValue }
    }

    /// The options of connections.
    public var connection: Connection {
        get { box.value.connection }
        set { fields.connection = newValue }
    }

    /// Whether the segments `.` and `..` of the request's URL are sent; by default, they are removed (RFC 3986, section
    /// 5.2.4), as by browsers and curl. The base URL and the locations of redirects lose them in any case, and segments
    /// with encoded dots (`%2E`) remain.
    ///
    /// Set it for a server that gives such segments a meaning of its own.
    public var keepsDotSegments: Bool {
        get { box.value.keepsDotSegments.value }
        set { fields.keepsDotSegments.value = newValue }
    }

    /// Whether the client's ``HTTPClient/Configuration/authorization`` gives the request its credentials. By default
    /// (`nil`) it does, unless the request has an `Authorization` field or user information in its URL, or is a call
    /// that obtains or renews credentials. If `true`, the provider's credentials replace those of the request.
    public var requiresAuthorization: Bool? {
        get { box.value.requiresAuthorization.value }
        set { fields.requiresAuthorization.value = newValue }
    }

    /// The name of a preview of the response; the URL without its scheme by default. See ``PreviewStore``.
    public var previewName: String? {
        get { box.value.previewName.value }
        set { fields.previewName.value = newValue }
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
        get { box.value.sharesInFlight.value }
        set { fields.sharesInFlight.value = newValue }
    }

    /// Returns these options, with those that are not set taken from others.
    func merging(defaults: RequestOptions) -> RequestOptions {
        if box === Self.unset { return defaults }
        if defaults.box === Self.unset { return self }
        var merged = self
        merged.box = Box(box.value.merging(defaults: defaults.box.value))
        return merged
    }

    /// Returns whether all options have the same values, set or by default. A closure is equal to its copies alone.
    public static func == (left: RequestOptions, right: RequestOptions) -> Bool {
        left.box === right.box || left.box.value == right.box.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(box.value)
    }
}

extension RequestOptions: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, settings: box.value) }
}

extension RequestOptions {
    /// The limits of a response's head, together with the informational heads before it (1xx; RFC 9110, section 15.2)
    /// and the trailers after its body (RFC 9112, section 7.1.2). A response beyond a limit fails with
    /// ``HTTPError/Transfer/headTooLarge``, as does one with more than 100 informational heads.
    ///
    /// A line by HTTP/1.1 of more than 128 KiB causes the same error, whatever the limits are. By HTTP/2, each head and
    /// the trailers count for themselves, and each field with 32 bytes more (RFC 9113, section 6.5.2). Transports other
    /// than ``CurlTransport`` may ignore the limits of this type.
    public struct HeadLimits: Hashable, Sendable, CustomReflectable {
        private struct Fields: Hashable, Sendable {
            var maxFieldCount = Setting(1000)
            var maxLineSize = Setting(64 * 1024)
            var maxSize = Setting(256 * 1024)
        }

        private var fields = Fields()

        /// Creates limits of which none is set.
        public init() {}

        /// The maximum number of fields; 1,000 by default.
        public var maxFieldCount: Int {
            get { fields.maxFieldCount.value }
            set { fields.maxFieldCount.value = newValue }
        }

        /// The maximum size of a line, in bytes with its line break; 64 KiB by default.
        public var maxLineSize: Int {
            get { fields.maxLineSize.value }
            set { fields.maxLineSize.value = newValue }
        }

        /// The maximum size of all lines, in bytes; 256 KiB by default.
        public var maxSize: Int {
            get { fields.maxSize.value }
            set { fields.maxSize.value = newValue }
        }

        public var customMirror: Mirror { Mirror(self, settings: fields) }

        fileprivate func merging(defaults: HeadLimits) -> HeadLimits {
            var merged = self
            merged.fields.maxFieldCount = fields.maxFieldCount.or(defaults.fields.maxFieldCount)
            merged.fields.maxLineSize = fields.maxLineSize.or(defaults.fields.maxLineSize)
            merged.fields.maxSize = fields.maxSize.or(defaults.fields.maxSize)
            return merged
        }
    }

    /// The timeouts of the parts of an exchange. `nil` is no limit.
    public struct Timeouts: Hashable, Sendable, CustomReflectable {
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

        private struct Fields: Hashable, Sendable {
            var connect = Setting<Duration?>(.seconds(30))
            var idle = Setting<Duration?>(.seconds(60))
            var minimumRate = Setting<MinimumRate?>(nil)
            var errorBody = Setting<Duration?>(.seconds(5))
            var total = Setting<Duration?>(nil)
        }

        private var fields = Fields()

        /// Creates timeouts of which none is set.
        public init() {}

        /// The timeout for connecting, including name resolution and TLS; 30 seconds by default.
        public var connect: Duration? {
            get { fields.connect.value }
            set { fields.connect.value = newValue }
        }

        /// The timeout for the peer's silence, without a byte in either direction; a minute by default. Time without
        /// demand from the subscriber, or without data from the body's source, does not count.
        public var idle: Duration? {
            get { fields.idle.value }
            set { fields.idle.value = newValue }
        }

        /// The minimum rate at which a request's body is sent and its response is received; none by default. A slower
        /// exchange fails with ``HTTPError/Timeout/minimumRate``. It is a defence against peers that send so little
        /// that an exchange would never end, and yet enough to avoid ``idle``.
        ///
        /// The time between the request and the first line of its response does not count, nor does time in which the
        /// transfer is paused, because the subscriber does not request data or the body's source has none.
        public var minimumRate: MinimumRate? {
            get { fields.minimumRate.value }
            set { fields.minimumRate.value = newValue }
        }

        /// The timeout for the body of a response that is an error or is retried, from its head on; 5 seconds by default.
        /// The error is then reported with the part that has been received, so that a body without an end delays neither
        /// an error nor the next attempt. The connection is closed.
        public var errorBody: Duration? {
            get { fields.errorBody.value }
            set { fields.errorBody.value = newValue }
        }

        /// The timeout for the whole request: the wait in the client's queue, attempts, redirects and waits for
        /// retries; none by default. A request that still waits in the queue fails with ``HTTPError/Timeout/queue``,
        /// any other with ``HTTPError/Timeout/total``.
        public var total: Duration? {
            get { fields.total.value }
            set { fields.total.value = newValue }
        }

        public var customMirror: Mirror { Mirror(self, settings: fields) }

        /// Returns these timeouts, and where one is not set, the other's.
        func merging(defaults: Timeouts) -> Timeouts {
            var merged = self
            merged.fields.connect = fields.connect.or(defaults.fields.connect)
            merged.fields.idle = fields.idle.or(defaults.fields.idle)
            merged.fields.minimumRate = fields.minimumRate.or(defaults.fields.minimumRate)
            merged.fields.errorBody = fields.errorBody.or(defaults.fields.errorBody)
            merged.fields.total = fields.total.or(defaults.fields.total)
            return merged
        }
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
