/// A single request, as a transport sends it. Redirects and retries are handled above the transport.
public struct TransportRequest: Sendable {
    /// Everything but the body, by which requests are compared.
    struct Properties: Hashable, Sendable {
        fileprivate var method: HTTPMethod
        fileprivate var url: LazyURL
        fileprivate var headers: HTTPHeaders
        fileprivate var connection: RequestOptions.Connection
        fileprivate var cache: RequestOptions.Cache
        fileprivate var connectTimeout: Duration?
        fileprivate var idleTimeout: Duration?
        fileprivate var minimumRate: RequestOptions.Timeouts.MinimumRate?
        fileprivate var usesBackpressure: Bool
        fileprivate var window: Int
        fileprivate var wantsMetrics: Bool
        fileprivate var requiresNewConnection: Bool
        fileprivate var isUpgrade = false
        fileprivate var headLimits: RequestOptions.HeadLimits
        fileprivate var previewName: String?
    }

    private struct Fields: Sendable {
        var properties: Properties
        var body: HTTPBody
    }

    // Boxed, because several objects of an exchange hold the request.
    private var box: Box<Fields>

    /// Creates a request; the properties describe the parameters.
    public init(
        method: HTTPMethod, url: URL, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
        connection: RequestOptions.Connection = RequestOptions.Connection(), connectTimeout: Duration? = nil,
        idleTimeout: Duration? = nil, usesBackpressure: Bool = false, window: Int = 256 * 1024,
        headLimits: RequestOptions.HeadLimits = RequestOptions.HeadLimits(), previewName: String? = nil
    ) {
        self.init(
            method: method, url: LazyURL(url), headers: headers, body: body, connection: connection,
            connectTimeout: connectTimeout, idleTimeout: idleTimeout, usesBackpressure: usesBackpressure,
            window: window, headLimits: headLimits, previewName: previewName)
    }

    init(
        method: HTTPMethod, url: LazyURL, headers: HTTPHeaders, body: HTTPBody, connection: RequestOptions.Connection,
        connectTimeout: Duration?, idleTimeout: Duration?, usesBackpressure: Bool, window: Int = 256 * 1024,
        headLimits: RequestOptions.HeadLimits, previewName: String?,
        cache: RequestOptions.Cache = RequestOptions.Cache()
    ) {
        let properties = Properties(
            method: method, url: url, headers: headers, connection: connection, cache: cache,
            connectTimeout: connectTimeout, idleTimeout: idleTimeout, usesBackpressure: usesBackpressure,
            window: window, wantsMetrics: false, requiresNewConnection: false, headLimits: headLimits,
            previewName: previewName)
        box = Box(Fields(properties: properties, body: body))
    }

    private var fields: Fields {
        get { box.value }
        set { box = Box(newValue) }
    }

    var properties: Properties { box.value.properties }

    /// The method.
    public var method: HTTPMethod {
        get { box.value.properties.method }
        set { fields.properties.method = newValue }
    }

    /// The absolute http or https URL, without credentials.
    public var url: URL {
        get { box.value.properties.url.url }
        set { fields.properties.url = LazyURL(newValue) }
    }

    /// The URL as text, parsed when it is first needed.
    var lazyURL: LazyURL {
        get { box.value.properties.url }
        set { fields.properties.url = newValue }
    }

    /// The header fields to send. A transport adds those that determine the body's framing and the content codings that
    /// it can decode.
    public var headers: HTTPHeaders {
        get { box.value.properties.headers }
        set { fields.properties.headers = newValue }
    }

    /// The body to send. Each exchange opens it once.
    public var body: HTTPBody {
        get { box.value.body }
        set { fields.body = newValue }
    }

    /// The options of the connection and of the decoding of the response's content.
    public var connection: RequestOptions.Connection {
        get { box.value.properties.connection }
        set { fields.properties.connection = newValue }
    }

    /// The options for the client's cache. Transports ignore them.
    public var cache: RequestOptions.Cache {
        get { box.value.properties.cache }
        set { fields.properties.cache = newValue }
    }

    /// The timeout for a new connection, from name resolution to the end of the TLS handshake; `nil` for no limit.
    public var connectTimeout: Duration? {
        get { box.value.properties.connectTimeout }
        set { fields.properties.connectTimeout = newValue }
    }

    /// The timeout for the peer's silence on a connection; `nil` for no limit. Time in which the peer waits for the
    /// request's body or for the response's receiver does not count.
    public var idleTimeout: Duration? {
        get { box.value.properties.idleTimeout }
        set { fields.properties.idleTimeout = newValue }
    }

    /// The minimum transfer rate; `nil` for no limit. Only time in which the transfer is not paused counts.
    public var minimumRate: RequestOptions.Timeouts.MinimumRate? {
        get { box.value.properties.minimumRate }
        set { fields.properties.minimumRate = newValue }
    }

    /// Whether the transport applies backpressure: the receiver may be slow, and the peer must then wait.
    public var usesBackpressure: Bool {
        get { box.value.properties.usesBackpressure }
        set { fields.properties.usesBackpressure = newValue }
    }

    /// The number of bytes of the response's body that may be delivered before more are allowed. When they are used up,
    /// a transport stops reading, so that the peer waits. It may deliver one more read.
    public var window: Int {
        get { box.value.properties.window }
        set { fields.properties.window = newValue }
    }

    /// The limits of the response's head and trailers, which the transport enforces.
    public var headLimits: RequestOptions.HeadLimits {
        get { box.value.properties.headLimits }
        set { fields.properties.headLimits = newValue }
    }

    /// Whether the transport must open a new connection.
    var requiresNewConnection: Bool {
        get { box.value.properties.requiresNewConnection }
        set { fields.properties.requiresNewConnection = newValue }
    }

    /// Whether the request asks for another protocol (RFC 9110, section 7.8). After a 101, its content and that of the
    /// response are what is sent on the connection, without a framing and without an end of their own; without one, no
    /// content is sent. A transport that cannot do so fails with ``HTTPError/InvalidRequest/unsupportedOption``.
    public internal(set) var isUpgrade: Bool {
        get { box.value.properties.isUpgrade }
        set { fields.properties.isUpgrade = newValue }
    }

    /// Whether the receiver uses ``TransportEvent/metrics(_:)``. If not, nothing is measured.
    public var wantsMetrics: Bool {
        get { box.value.properties.wantsMetrics }
        set { fields.properties.wantsMetrics = newValue }
    }

    /// The name of a preview of the response, if the request sets it; see ``PreviewStore``.
    public var previewName: String? {
        get { box.value.properties.previewName }
        set { fields.properties.previewName = newValue }
    }
}

extension TransportRequest: CustomReflectable {
    /// The properties, without secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "url": Redaction.usual.redacting(url: lazyURL.text), "headers": headers, "body": body,
                "connection": connection, "cache": cache, "connectTimeout": connectTimeout as Any,
                "idleTimeout": idleTimeout as Any, "minimumRate": minimumRate as Any,
                "usesBackpressure": usesBackpressure, "window": window, "headLimits": headLimits,
                "wantsMetrics": wantsMetrics,
                "previewName": previewName as Any,
            ], displayStyle: .struct)
    }
}
