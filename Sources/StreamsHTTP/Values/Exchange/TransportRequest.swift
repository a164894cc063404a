/// A single request, as a transport sends it. Redirects and retries are handled above the transport.
public struct TransportRequest: Sendable {
  private struct Fields: Sendable {
    var method: HTTPMethod
    var url: LazyURL
    var headers: HTTPHeaders
    var body: HTTPBody
    var connection: RequestOptions.Connection
    var connectTimeout: Duration?
    var idleTimeout: Duration?
    var minimumRate: RequestOptions.Timeouts.MinimumRate?
    var usesBackpressure: Bool
    var window: Int
    var wantsMetrics: Bool
    var requiresNewConnection: Bool
    var isUpgrade = false
    var headLimits: RequestOptions.HeadLimits
    var previewName: String?
  }

  // Boxed, because several objects of an exchange hold the request.
  private var box: Box<Fields>

  /// Creates a request; the properties describe the parameters.
  public init(
    method: HTTPMethod, url: URL, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
    connection: RequestOptions.Connection = RequestOptions.Connection(),
    connectTimeout: Duration? = nil,
    idleTimeout: Duration? = nil, usesBackpressure: Bool = false, window: Int = 256 * 1024,
    headLimits: RequestOptions.HeadLimits = RequestOptions.HeadLimits(), previewName: String? = nil
  ) {
    self.init(
      method: method, url: LazyURL(url), headers: headers, body: body, connection: connection,
      connectTimeout: connectTimeout, idleTimeout: idleTimeout, usesBackpressure: usesBackpressure,
      window: window,
      headLimits: headLimits, previewName: previewName)
  }

  init(
    method: HTTPMethod, url: LazyURL, headers: HTTPHeaders, body: HTTPBody,
    connection: RequestOptions.Connection,
    connectTimeout: Duration?, idleTimeout: Duration?, usesBackpressure: Bool,
    window: Int = 256 * 1024,
    headLimits: RequestOptions.HeadLimits, previewName: String?
  ) {
    box = Box(
      Fields(
        method: method, url: url, headers: headers, body: body, connection: connection,
        connectTimeout: connectTimeout, idleTimeout: idleTimeout,
        usesBackpressure: usesBackpressure, window: window,
        wantsMetrics: false, requiresNewConnection: false,
        headLimits: headLimits, previewName: previewName))
  }

  private var fields: Fields {
    get { box.value }
    set { box = Box(newValue) }
  }

  /// The method.
  public var method: HTTPMethod {
    get { box.value.method }
    set { fields.method = newValue }
  }

  /// The absolute http or https URL, without credentials.
  public var url: URL {
    get { box.value.url.url }
    set { fields.url = LazyURL(newValue) }
  }

  /// The URL as text, parsed when it is first needed.
  var lazyURL: LazyURL {
    get { box.value.url }
    set { fields.url = newValue }
  }

  /// The header fields to send. A transport adds those that determine the body's framing and the content codings that
  /// it can decode.
  public var headers: HTTPHeaders {
    get { box.value.headers }
    set { fields.headers = newValue }
  }

  /// The body to send. Each exchange opens it once.
  public var body: HTTPBody {
    get { box.value.body }
    set { fields.body = newValue }
  }

  /// The options of the connection and of the decoding of the response's content.
  public var connection: RequestOptions.Connection {
    get { box.value.connection }
    set { fields.connection = newValue }
  }

  /// The timeout for a new connection, from name resolution to the end of the TLS handshake; `nil` for no limit.
  public var connectTimeout: Duration? {
    get { box.value.connectTimeout }
    set { fields.connectTimeout = newValue }
  }

  /// The timeout for the peer's silence on a connection; `nil` for no limit. Time in which the peer waits for the
  /// request's body or for the response's receiver does not count.
  public var idleTimeout: Duration? {
    get { box.value.idleTimeout }
    set { fields.idleTimeout = newValue }
  }

  /// The minimum transfer rate; `nil` for no limit. Only time in which the transfer is not paused counts.
  public var minimumRate: RequestOptions.Timeouts.MinimumRate? {
    get { box.value.minimumRate }
    set { fields.minimumRate = newValue }
  }

  /// Whether the transport applies backpressure: the receiver may be slow, and the peer must then wait.
  public var usesBackpressure: Bool {
    get { box.value.usesBackpressure }
    set { fields.usesBackpressure = newValue }
  }

  /// The number of bytes of the response's body that may be delivered before more are allowed. When they are used up,
  /// a transport stops reading, so that the peer waits. It may deliver one more read.
  public var window: Int {
    get { box.value.window }
    set { fields.window = newValue }
  }

  /// The limits of the response's head and trailers, which the transport enforces.
  public var headLimits: RequestOptions.HeadLimits {
    get { box.value.headLimits }
    set { fields.headLimits = newValue }
  }

  /// Whether the transport must open a new connection.
  var requiresNewConnection: Bool {
    get { box.value.requiresNewConnection }
    set { fields.requiresNewConnection = newValue }
  }

  /// Whether the request asks for another protocol (RFC 9110, section 7.8). After a 101, its content and that of the
  /// response are what is sent on the connection, without a framing and without an end of their own; without one, no
  /// content is sent. A transport that cannot do so fails with ``HTTPError/InvalidRequest/unsupportedOption``.
  public internal(set) var isUpgrade: Bool {
    get { box.value.isUpgrade }
    set { fields.isUpgrade = newValue }
  }

  /// Whether the receiver uses ``TransportEvent/metrics(_:)``. If not, nothing is measured.
  public var wantsMetrics: Bool {
    get { box.value.wantsMetrics }
    set { fields.wantsMetrics = newValue }
  }

  /// The name of a preview of the response, if the request sets it; see ``PreviewStore``.
  public var previewName: String? {
    get { box.value.previewName }
    set { fields.previewName = newValue }
  }
}

extension TransportRequest: CustomReflectable {
  /// The properties, without secrets.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method, "url": Redaction.usual.redacting(url: lazyURL.text), "headers": headers,
        "body": body,
        "connection": connection, "connectTimeout": connectTimeout as Any,
        "idleTimeout": idleTimeout as Any,
        "minimumRate": minimumRate as Any, "usesBackpressure": usesBackpressure, "window": window,
        "headLimits": headLimits, "wantsMetrics": wantsMetrics,
        "previewName": previewName as Any,
      ], displayStyle: .struct)
  }
}
