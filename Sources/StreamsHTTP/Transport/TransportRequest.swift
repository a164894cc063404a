/// One request as a transport sends it, redirects and retries being somebody else's business.
public struct TransportRequest: Sendable {
    private struct Fields: Sendable {
        var method: HTTPMethod
        var url: URL
        var headers: HTTPHeaders
        var body: HTTPBody
        var connection: ConnectionOptions
        var connectTimeout: Duration?
        var idleTimeout: Duration?
        var isPaced: Bool
        var window: Int
        var maxBodySize: Int?
        var wantsMetrics: Bool
        var previewName: String?
    }

    // All that take part in an exchange have the request.
    private var box: Box<Fields>

    /// Makes a request; see the properties for what the arguments mean.
    public init(
        method: HTTPMethod, url: URL, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
        connection: ConnectionOptions = ConnectionOptions(), connectTimeout: Duration? = nil,
        idleTimeout: Duration? = nil, isPaced: Bool = false, window: Int = 256 * 1024, maxBodySize: Int? = nil,
        previewName: String? = nil
    ) {
        box = Box(
            Fields(
                method: method, url: url, headers: headers, body: body, connection: connection,
                connectTimeout: connectTimeout, idleTimeout: idleTimeout, isPaced: isPaced, window: window,
                maxBodySize: maxBodySize, wantsMetrics: false, previewName: previewName))
    }

    private var fields: Fields {
        get { box.value }
        set { box = Box(newValue) }
    }

    /// What is asked for.
    public var method: HTTPMethod {
        get { box.value.method }
        set { fields.method = newValue }
    }

    /// An absolute http or https URL without credentials.
    public var url: URL {
        get { box.value.url }
        set { fields.url = newValue }
    }

    /// The fields that are sent. A transport adds those that say how the body is framed and what content it can decode.
    public var headers: HTTPHeaders {
        get { box.value.headers }
        set { fields.headers = newValue }
    }

    /// What is sent; opened once by each exchange.
    public var body: HTTPBody {
        get { box.value.body }
        set { fields.body = newValue }
    }

    /// How the server is reached, and what is done to the response's content.
    public var connection: ConnectionOptions {
        get { box.value.connection }
        set { fields.connection = newValue }
    }

    /// How long connecting may take, from the name's resolution to the end of the TLS handshake, where a new connection
    /// is made; `nil` for as long as it likes.
    public var connectTimeout: Duration? {
        get { box.value.connectTimeout }
        set { fields.connectTimeout = newValue }
    }

    /// How long the peer may keep silent on a connection, not counting the time in which the request's body or the
    /// response's receiver makes it wait; `nil` for as long as it likes.
    public var idleTimeout: Duration? {
        get { box.value.idleTimeout }
        set { fields.idleTimeout = newValue }
    }

    /// Whether the receiver may take its time, so that the peer must be made to wait.
    public var isPaced: Bool {
        get { box.value.isPaced }
        set { fields.isPaced = newValue }
    }

    /// How many bytes of the response's body may be delivered before more are granted. A transport stops reading
    /// when they are used up, so that the peer feels it; it may deliver one read more.
    public var window: Int {
        get { box.value.window }
        set { fields.window = newValue }
    }

    /// The most bytes of the response's body, decoded, that the receiver takes; `nil` where there is no limit. It is the
    /// receiver that keeps it. A transport may ask for content in other codings where a body can be large.
    public var maxBodySize: Int? {
        get { box.value.maxBodySize }
        set { fields.maxBodySize = newValue }
    }

    /// Whether somebody looks at ``TransportEvent/metrics(_:)``; where nobody does, nothing is measured.
    public var wantsMetrics: Bool {
        get { box.value.wantsMetrics }
        set { fields.wantsMetrics = newValue }
    }

    /// What a preview of the answer is called, where the request says it; see ``PreviewStore``.
    public var previewName: String? {
        get { box.value.previewName }
        set { fields.previewName = newValue }
    }
}

extension TransportRequest: CustomReflectable {
    public var customMirror: Mirror { Mirror(reflecting: box.value) }
}
