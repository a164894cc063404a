/// The options of a request: the client's, each of which a request or endpoint may replace.
///
/// ```swift
/// configuration.options.timeouts = .init(total: .seconds(30))
/// let request = HTTPRequest(.get, "/export").settingOptions { $0.timeouts = .init(idle: .seconds(300)) }
/// ```
///
/// ## Order of precedence
///
/// A setting has the first value of these: an endpoint's own property (``Endpoint/validation``,
/// ``Endpoint/previewName``, ``Endpoint/requiresAuthorization``); the options of the endpoint or
/// ``HTTPRequest``; the ``HTTPClient/Configuration/options`` of the client, which are its ``HTTPService``'s for a
/// ``ServiceClient``; the default named here. Each option is one setting and `nil` is no value: the request above has
/// no total timeout. Header fields and query parameters are settings by name: those of the request, then
/// ``HTTPClient/Configuration/defaultHeaders`` and ``HTTPClient/Configuration/defaultQuery``, and then, for a
/// `Content-Type`, the body's. Interceptors adapt the result in their order, and the client's authorization last.
public struct RequestOptions: Sendable {
    private struct Fields: Sendable {
        var timeouts: Timeouts?
        var redirects: RedirectPolicy?
        var retry: RetryPolicy?
        var hedging: HedgingPolicy?
        var validation: ResponseValidation?
        var maxBodySize: Int?
        var maxErrorBodySize: Int?
        var headLimits: HeadLimits?
        var progress: ProgressGranularity?
        var connection: ConnectionOptions?
        var requiresAuthorization: Bool?
        var previewName: String?
        var sharesInFlight: Bool?
    }

    // Several objects of each request under way hold the options, and most requests set none.
    private var box: Box<Fields>

    private static let unsaid = Box(Fields())

    /// Creates options that are all `nil`.
    public init() {
        box = Self.unsaid
    }

    private var fields: Fields {
        get { box.value }
        set { box = Box(newValue) }
    }

    /// The timeouts of the parts of an exchange.
    public var timeouts: Timeouts? {
        get { box.value.timeouts }
        set { fields.timeouts = newValue }
    }

    /// The policy for following redirects; up to 10 by default.
    public var redirects: RedirectPolicy? {
        get { box.value.redirects }
        set { fields.redirects = newValue }
    }

    /// The policy for retrying failed attempts; no retries by default.
    public var retry: RetryPolicy? {
        get { box.value.retry }
        set { fields.retry = newValue }
    }

    /// The policy for sending slow requests again; no hedges by default.
    public var hedging: HedgingPolicy? {
        get { box.value.hedging }
        set { fields.hedging = newValue }
    }

    /// The rule that decides which responses are errors; by default, those whose status is not 2xx.
    public var validation: ResponseValidation? {
        get { box.value.validation }
        set { fields.validation = newValue }
    }

    /// The maximum size of a body that is collected in memory, in decoded bytes; 64 MiB by default. A body delivered in
    /// chunks is limited only if this is set, so that a stream may last for weeks.
    public var maxBodySize: Int? {
        get { box.value.maxBodySize }
        set { fields.maxBodySize = newValue }
    }

    /// The maximum size of the body that is kept of a response that is an error or is retried, in decoded bytes; 1 MiB
    /// by default, or ``maxBodySize`` if that is less. The rest is dropped.
    public var maxErrorBodySize: Int? {
        get { box.value.maxErrorBodySize }
        set { fields.maxErrorBodySize = newValue }
    }

    /// The limits of a response's head; see ``HeadLimits``.
    public var headLimits: HeadLimits? {
        get { box.value.headLimits }
        set { fields.headLimits = newValue }
    }

    /// The granularity of progress; one percent by default.
    public var progress: ProgressGranularity? {
        get { box.value.progress }
        set { fields.progress = newValue }
    }

    /// The options of connections.
    public var connection: ConnectionOptions? {
        get { box.value.connection }
        set { fields.connection = newValue }
    }

    /// Whether the client's ``HTTPClient/Configuration/authorization`` gives the request its credentials. By default it
    /// does, unless the request has an `Authorization` field or user information in its URL, or is a call that obtains
    /// or renews credentials. If `true`, the provider's credentials replace those of the request.
    public var requiresAuthorization: Bool? {
        get { box.value.requiresAuthorization }
        set { fields.requiresAuthorization = newValue }
    }

    /// The name of a preview of the response; the URL without its scheme by default. See ``PreviewStore``.
    public var previewName: String? {
        get { box.value.previewName }
        set { fields.previewName = newValue }
    }

    /// Whether identical requests that are under way at once share one exchange; not by default.
    ///
    /// Requests are identical if the client, the method, the URL, the header fields and these options are equal. If
    /// interceptors or the authorization adapt them, each is adapted first, and the adapted requests are compared: one
    /// that waits for its turn in the client's queue joins another only then. Only requests that are safe (RFC 9110,
    /// section 9.2.1), have no body and collect their response share an exchange. One
    /// that joins late receives the earlier events, with the newest progress. Each decodes the response itself, and all
    /// receive an error. The exchange is cancelled with the last of them. Its timeout starts with the first of them.
    public var sharesInFlight: Bool? {
        get { box.value.sharesInFlight }
        set { fields.sharesInFlight = newValue }
    }

    /// Returns these options, with values that are `nil` taken from others.
    func merging(defaults: RequestOptions) -> RequestOptions {
        if box === Self.unsaid { return defaults }
        if defaults.box === Self.unsaid { return self }
        let own = box.value
        var merged = defaults.box.value
        merged.timeouts = own.timeouts ?? merged.timeouts
        merged.redirects = own.redirects ?? merged.redirects
        merged.retry = own.retry ?? merged.retry
        merged.hedging = own.hedging ?? merged.hedging
        merged.validation = own.validation ?? merged.validation
        merged.maxBodySize = own.maxBodySize ?? merged.maxBodySize
        merged.maxErrorBodySize = own.maxErrorBodySize ?? merged.maxErrorBodySize
        merged.headLimits = own.headLimits ?? merged.headLimits
        merged.progress = own.progress ?? merged.progress
        merged.connection = own.connection ?? merged.connection
        merged.requiresAuthorization = own.requiresAuthorization ?? merged.requiresAuthorization
        merged.previewName = own.previewName ?? merged.previewName
        merged.sharesInFlight = own.sharesInFlight ?? merged.sharesInFlight
        return RequestOptions(Box(merged))
    }

    private init(_ box: Box<Fields>) {
        self.box = box
    }
}

extension RequestOptions: CustomReflectable {
    public var customMirror: Mirror { Mirror(reflecting: box.value) }
}

extension RequestOptions {
    /// The limits of a response's head, together with the informational heads before it (1xx; RFC 9110, section 15.2)
    /// and the trailers after its body (RFC 9112, section 7.1.2). A response beyond a limit fails with
    /// ``HTTPError/Transfer/headTooLarge``, as does one with more than 100 informational heads.
    ///
    /// A line of more than 128 KiB causes the same error, whatever the limits are. Where libcurl reads the response, it has
    /// limits of its own: about 100 KB for a line, 4,096 bytes for a trailer of HTTP/1.1, and from 8.3 on 300 KiB in all.
    /// Transports other than ``CurlTransport`` may ignore the limits of this
    /// type.
    public struct HeadLimits: Hashable, Sendable {
        /// The maximum number of fields; 1,000 by default.
        public var maxFieldCount: Int
        /// The maximum size of a line, in bytes with its line break; 64 KiB by default.
        public var maxLineSize: Int
        /// The maximum size of all lines, in bytes; 256 KiB by default.
        public var maxSize: Int

        /// Creates limits; the properties describe the parameters.
        public init(maxFieldCount: Int = 1000, maxLineSize: Int = 64 * 1024, maxSize: Int = 256 * 1024) {
            self.maxFieldCount = maxFieldCount
            self.maxLineSize = maxLineSize
            self.maxSize = maxSize
        }
    }

    /// The timeouts of the parts of an exchange. `nil` is no limit.
    public struct Timeouts: Hashable, Sendable {
        /// A minimum transfer rate, on average over a period.
        public struct MinimumRate: Hashable, Sendable {
            /// The number of bytes per second, of both directions and before decoding.
            public var bytesPerSecond: Int
            /// The length of the periods over which the rate is averaged.
            public var period: Duration

            /// Creates a minimum rate.
            ///
            /// - Parameters:
            ///   - bytesPerSecond: The number of bytes per second.
            ///   - period: The length of the periods over which the rate is averaged.
            public init(bytesPerSecond: Int, over period: Duration = .seconds(30)) {
                self.bytesPerSecond = bytesPerSecond
                self.period = period
            }
        }

        /// The timeout for connecting, including name resolution and TLS.
        public var connect: Duration?
        /// The timeout for the peer's silence, without a byte in either direction. Time without demand from the
        /// subscriber, or without data from the body's source, does not count.
        public var idle: Duration?
        /// The minimum rate at which a request's body is sent and its response is received; `nil` for none. A slower
        /// exchange fails with ``HTTPError/Timeout/minimumRate``. It is a defence against peers that send so little
        /// that an exchange would never end, and yet enough to avoid ``idle``.
        ///
        /// The time between the request and the first line of its response does not count, nor does time in which the
        /// transfer is paused, because the subscriber does not request data or the body's source has none.
        public var minimumRate: MinimumRate?
        /// The timeout for the whole request: the wait in the client's queue, attempts, redirects and waits for retries.
        /// A request that still waits in the queue fails with ``HTTPError/Timeout/queue``, any other with
        /// ``HTTPError/Timeout/total``.
        public var total: Duration?

        /// Creates timeouts; by default 30 seconds to connect, a minute of silence, no minimum rate, and no limit on
        /// the whole.
        public init(
            connect: Duration? = .seconds(30), idle: Duration? = .seconds(60), minimumRate: MinimumRate? = nil,
            total: Duration? = nil
        ) {
            self.connect = connect
            self.idle = idle
            self.minimumRate = minimumRate
            self.total = total
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
