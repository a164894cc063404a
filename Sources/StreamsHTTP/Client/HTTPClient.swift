/// A client that publishes requests as streams of events.
///
/// ```swift
/// let client = HTTPClient(baseURL: "https://api.example.com/v1")
/// let user = try await client.value(for: GetUser(id: 7))
/// ```
///
/// A client and its configuration never change. ``configuring(_:)`` and ``previewing(_:store:)`` return other clients,
/// which share its transport. You may release a client at any time; started streams continue.
public final class HTTPClient: Sendable {
    /// The settings that a client's requests share.
    public struct Configuration: Sendable {
        /// The URL that relative targets are appended to.
        public var baseURL: URL? {
            didSet {
                resolver = URLResolver(baseURL: baseURL)
                credentialScope = CredentialScope(baseURL: baseURL, named: credentialOrigins)
            }
        }
        /// The origins (RFC 6454) that may receive the client's credentials, besides that of ``baseURL``; none by
        /// default. Only the scheme, the host and the port of each URL count.
        ///
        /// The client's credentials are the sensitive ``defaultHeaders``, the client certificate of ``options``, those
        /// of ``authorization``, and the sensitive fields that ``interceptors`` add. A request to any other absolute
        /// URL is sent without them. A redirect between these origins keeps all credentials, also those of the request
        /// itself; a redirect to another one drops them.
        ///
        /// Without a base URL, no origin is implied: if the client has credentials and this is empty, a request that
        /// would use them fails with ``HTTPError/InvalidRequest/credentialsWithoutOrigin``.
        public var credentialOrigins: [URL] {
            get { credentialScope.named }
            set { credentialScope = CredentialScope(baseURL: baseURL, named: newValue) }
        }
        /// Whether a request's target may be an absolute URL; `true` by default. If not, requests with one fail with
        /// ``HTTPError/InvalidRequest/absoluteTarget(_:)`` before anything is sent. Redirects are not affected; see
        /// ``RedirectPolicy/follow(max:allowingInsecure:keepingMethod:where:)``.
        public var allowsAbsoluteTargets = true
        /// Header fields for requests that do not set them. Sensitive ones (``HTTPHeaders/Field/isSensitive``) are sent
        /// only to the origin of ``baseURL`` and to ``credentialOrigins``.
        public var defaultHeaders: HTTPHeaders
        /// Options for requests that do not set them; see ``RequestOptions`` for the order of precedence.
        public var options: RequestOptions
        /// Options for feeds that do not set them.
        public var feedOptions = FeedOptions()
        /// Options for WebSockets that do not set them, also for those of feeds.
        public var webSocketOptions = WebSocketOptions()
        /// Options for downloads that do not set them.
        public var downloadOptions = DownloadOptions()
        /// The coders that encode endpoints' parameters and decode their values; JSON by default.
        public var coders: CoderRegistry
        /// The keys of the objects that contain the value of a successful response, outermost first: `["data"]` for
        /// `{"data": {"name": "Ada"}}`. None by default.
        ///
        /// The keys are those after the decoder's conversion. An endpoint with a decoder of its own decodes the whole
        /// body, and so does one whose response is `Data` or `String`.
        public var envelope: [String] = []
        /// Query parameters for requests with a relative target, unless the target's query or the request's has one of
        /// that name. An absolute URL is not changed.
        public var defaultQuery: HTTPQuery
        /// The interceptors of requests, in this order.
        public var interceptors: [any Interceptor]
        /// The provider of credentials; none by default. It authorizes every request to the client's origins
        /// (``credentialOrigins``), unless ``RequestOptions/requiresAuthorization`` says otherwise: in ``options``, in
        /// an endpoint or in a request.
        public var authorization: (any AuthorizationProvider)? {
            didSet { authorizer = authorization.map(Authorizer.init) }
        }
        /// The store of the cookies that responses set and requests get; `nil`, the default, for none. Several clients
        /// may share it, and those that ``HTTPClient/configuring(_:)`` returns do.
        public var cookies: CookieJar?
        /// The cache of responses; `nil`, the default, for none. Several clients may share it, and those that
        /// ``HTTPClient/configuring(_:)`` returns do. <doc:Caching> describes it.
        public var cache: HTTPCache?
        /// The limits of the client's requests, together and for each origin.
        public var limits = Limits()
        /// The store of the responses in Xcode previews (``PreviewStore/Mode/automatic``); `nil`, the default, for
        /// responses from the network there as well. ``HTTPClient/previewing(_:store:)`` uses it by default.
        public var previewStore: PreviewStore?
        /// The source of responses in previews; `nil` unless it was set.
        var previewMode: PreviewStore.Mode?
        /// The observers of requests and their metrics. Without any, nothing is measured.
        public var monitors: [any EventMonitor]
        /// The names of values that errors, monitors and commands do not show; usual names by default.
        public var redaction = Redaction.usual
        /// The authorization state that copies of this configuration share.
        private(set) var authorizer: Authorizer?
        private(set) var resolver: URLResolver
        private(set) var credentialScope: CredentialScope
        /// Whether no request may be redirected to another origin outside of ``credentialScope``.
        var confinesRedirects = false

        /// Creates a configuration.
        public init(
            baseURL: URL? = nil, defaultHeaders: HTTPHeaders = [:], defaultQuery: HTTPQuery = [],
            options: RequestOptions = RequestOptions(), coders: CoderRegistry = CoderRegistry(),
            interceptors: [any Interceptor] = [], authorization: (any AuthorizationProvider)? = nil,
            monitors: [any EventMonitor] = []
        ) {
            self.baseURL = baseURL
            resolver = URLResolver(baseURL: baseURL)
            credentialScope = CredentialScope(baseURL: baseURL, named: [])
            self.defaultHeaders = defaultHeaders
            self.options = options
            self.coders = coders
            self.defaultQuery = defaultQuery
            self.interceptors = interceptors
            self.authorization = authorization
            self.monitors = monitors
            authorizer = authorization.map(Authorizer.init)
        }

        /// Creates a configuration whose base URL is a literal.
        ///
        /// An invalid literal stops the program when it is first used, as that of `URL(literal:)` does.
        ///
        /// - Parameters:
        ///   - baseURL: The percent-encoded URL that relative targets are appended to.
        ///   - authorization: The provider of credentials for requests to the client's origins.
        ///   - file: The file of the literal.
        ///   - line: The line of the literal.
        public init(
            baseURL: StaticString, authorization: (any AuthorizationProvider)? = nil, file: StaticString = #fileID,
            line: UInt = #line
        ) {
            self.init(baseURL: URL(literal: baseURL, file: file, line: line), authorization: authorization)
        }
    }

    /// The default value of the `User-Agent` field.
    public static let userAgent = "streams/\(version)"

    /// The version of this package.
    public static let version = "1.0.0"

    /// The settings of all requests.
    public let configuration: Configuration
    let transport: any HTTPTransport
    let clock: RequestClock
    // Asked for each request: to read one property of a configuration, all of it is copied.
    let hasAuthorizer: Bool
    let hasInterceptors: Bool
    let cookieJar: CookieJar?
    let cache: HTTPCache?
    let backgroundExchanges = BackgroundExchanges()
    /// Whether interceptors, the provider of credentials or monitors take part in requests.
    var runsUserCode: Bool { hasInterceptors || hasAuthorizer || !configuration.monitors.isEmpty }
    let retryTracker = RetryBudgetTracker()
    let requestQueue: RequestQueue
    /// The feeds and WebSockets under way.
    let feedQueue: RequestQueue
    /// The series of pages under way. They take no place among the client's other requests: each page has one itself.
    let pageQueue = RequestQueue(limit: nil)
    /// The requests of feeds without an end, WebSockets and downloads. They need no place among the client's other
    /// requests: a download has one itself.
    let innerRequestQueue = RequestQueue(limit: nil)
    let sharedRequests = SharedRequests()
    /// The permits of the policies that protect servers; `nil` if there are no such policies.
    let permits: ServerPermits?

    /// Creates a client that schedules its retries and deadlines on a scheduler. With a virtual-time scheduler, tests
    /// need not wait.
    public convenience init(
        configuration: Configuration, transport: any HTTPTransport, scheduler: some Scheduler & Sendable
    ) {
        self.init(configuration: configuration, transport: transport, clock: RequestClock(scheduler))
    }

    init(configuration: Configuration, transport: any HTTPTransport, clock: RequestClock) {
        self.configuration = configuration
        self.transport = PreviewTransport.wrapping(
            transport, mode: configuration.previewMode, store: configuration.previewStore)
        self.clock = clock
        hasAuthorizer = configuration.authorizer != nil
        hasInterceptors = !configuration.interceptors.isEmpty
        cookieJar = configuration.cookies
        // A preview is to be seen, not what was stored.
        cache = (self.transport as? PreviewTransport)?.isActive == true ? nil : configuration.cache
        requestQueue = RequestQueue(limit: configuration.limits.maxConcurrentRequests)
        feedQueue = RequestQueue(limit: configuration.limits.maxConcurrentFeeds)
        permits = PermitPolicies(configuration.limits).map { ServerPermits($0, clock: clock) }
    }

    /// Returns another client with a changed configuration.
    ///
    /// ```swift
    /// let patient = client.configuring { $0.options.timeouts.idle = .seconds(300) }
    /// ```
    ///
    /// Both clients share the transport with its connections, the scheduler, and the credentials of
    /// ``Configuration/authorization``, unless that is set. Everything else is the new client's own: its
    /// ``Configuration/limits`` count its requests only, requests are shared in flight only within it, and so
    /// ``cancelAll()`` and ``shutdown(deadline:)`` affect no other client.
    ///
    /// - Parameter change: Changes a copy of the configuration.
    public func configuring(_ change: (inout Configuration) -> Void) -> HTTPClient {
        var configuration = configuration
        change(&configuration)
        return HTTPClient(configuration: configuration, transport: transport, clock: clock)
    }
}

// Values of the program's own types may contain secrets, so mirrors show their types only.

extension HTTPClient: CustomReflectable {
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = ["configuration": configuration, "transport": type(of: transport)]
        return Mirror(self, children: children, displayStyle: .class)
    }
}

extension HTTPClient.Configuration: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "baseURL": baseURL.map { redaction.redacting($0) } as Any,
                "defaultHeaders": redaction.redacting(defaultHeaders),
                "defaultQuery": redaction.redactingParameters(in: "?\(defaultQuery.percentEncoded)"),
                "options": options, "feedOptions": feedOptions, "webSocketOptions": webSocketOptions,
                "downloadOptions": downloadOptions,
                "credentialOrigins": credentialOrigins.map { redaction.redacting($0) },
                "allowsAbsoluteTargets": allowsAbsoluteTargets, "interceptors": interceptors.map { type(of: $0) },
                "authorization": authorization.map { type(of: $0) } as Any,
                "cookies": cookies.map { type(of: $0) } as Any, "cache": cache.map { type(of: $0) } as Any,
                "limits": limits, "monitors": monitors.map { type(of: $0) },
                "redaction": redaction, "envelope": envelope, "previewStore": previewStore.map { type(of: $0) } as Any,
            ], displayStyle: .struct)
    }
}

extension HTTPClient {
    /// Returns another client with previews in place of responses. Everything above the transport is unchanged:
    /// requests are checked, responses validated and decoded, failures retried. Limits and requests under way are its
    /// own, as those of ``configuring(_:)``.
    ///
    /// ```swift
    /// MoviesScreen(client: client.previewing(.success, store: .directory("Previews")))
    /// MoviesScreen(client: client.previewing(.loading))
    /// MoviesScreen(client: client.previewing(.failure(HTTPStatus.notFound)))
    /// ```
    ///
    /// - Parameters:
    ///   - mode: The source of responses. A later call replaces the mode of an earlier one.
    ///   - store: The store of the responses of ``PreviewStore/Mode/success``. `nil` keeps that of
    ///     ``Configuration/previewStore``.
    public func previewing(_ mode: PreviewStore.Mode = .automatic, store: PreviewStore? = nil) -> HTTPClient {
        configuring {
            $0.previewMode = mode
            if let store { $0.previewStore = store }
        }
    }
}
