import Dispatch

/// Makes requests into streams of events.
///
/// ```swift
/// let client = HTTPClient(baseURL: URL(string: "https://api.example.com/v1"))
/// let user = try await client.value(for: GetUser(id: 7))
/// ```
///
/// A client is a value: copies share their transport, and with it their connections. It can be dropped at any time;
/// streams that were started go on.
public struct HTTPClient: Sendable {
    /// What a client's requests have in common.
    public struct Configuration: Sendable {
        /// What relative targets are appended to.
        public var baseURL: URL?
        /// Fields for requests that do not have them.
        public var defaultHeaders: HTTPHeaders
        /// Settings for requests that leave them open.
        public var options: RequestOptions
        /// What encodes the parameters of endpoints and decodes their values.
        public var coders: CoderRegistry
        /// Parameters for requests whose target is relative, where neither its query nor the request's has one of that
        /// name. An absolute URL is taken as it is.
        public var defaultQuery: HTTPQuery
        /// What requests pass on their way, in this order.
        public var interceptors: [any Interceptor]
        /// What gives requests that require authorization their credentials; without it they are sent as they are.
        public var authorization: (any AuthorizationProvider)? {
            didSet { authorizer = authorization.map(Authorizer.init) }
        }
        /// How many retries are added to what is asked of a host; `nil` is without limit.
        public var retryBudget: RetryBudget?
        /// How many requests of a client and its copies may be under way at once; `nil` is without limit, and less than
        /// one is one. Further requests wait, and begin in the order they came. The time they wait counts towards
        /// ``Timeouts/total``.
        public var maxConcurrentRequests: Int?
        /// Who is told of every request and what it has cost. Without any, nothing is measured.
        public var monitors: [any EventMonitor]
        /// What the copies of this configuration share of their authorization.
        private(set) var authorizer: Authorizer?

        /// - Parameters:
        ///   - baseURL: What relative targets are appended to.
        ///   - defaultHeaders: Fields for requests that do not have them.
        ///   - defaultQuery: Parameters for requests whose target is relative.
        ///   - options: Settings for requests that leave them open.
        ///   - coders: What encodes parameters and decodes values; JSON by default.
        ///   - interceptors: What requests pass on their way, in this order.
        ///   - authorization: What gives requests that require authorization their credentials.
        ///   - retryBudget: How many retries are added to what is asked of a host.
        ///   - maxConcurrentRequests: How many requests may be under way at once.
        ///   - monitors: Who is told of every request.
        public init(
            baseURL: URL? = nil, defaultHeaders: HTTPHeaders = [:], defaultQuery: HTTPQuery = [],
            options: RequestOptions = RequestOptions(), coders: CoderRegistry = CoderRegistry(),
            interceptors: [any Interceptor] = [], authorization: (any AuthorizationProvider)? = nil,
            retryBudget: RetryBudget? = RetryBudget(), maxConcurrentRequests: Int? = nil,
            monitors: [any EventMonitor] = []
        ) {
            self.baseURL = baseURL
            self.defaultHeaders = defaultHeaders
            self.options = options
            self.coders = coders
            self.defaultQuery = defaultQuery
            self.interceptors = interceptors
            self.authorization = authorization
            self.retryBudget = retryBudget
            self.maxConcurrentRequests = maxConcurrentRequests
            self.monitors = monitors
            authorizer = authorization.map(Authorizer.init)
        }

        /// Makes a configuration whose values are decoded by one decoder, whatever their media type.
        ///
        /// - Parameters:
        ///   - baseURL: What relative targets are appended to.
        ///   - defaultHeaders: Fields for requests that do not have them.
        ///   - options: Settings for requests that leave them open.
        ///   - decoder: What decodes every value.
        public init(
            baseURL: URL? = nil, defaultHeaders: HTTPHeaders = [:], options: RequestOptions = RequestOptions(),
            decoder: any DataDecoder
        ) {
            self.init(
                baseURL: baseURL, defaultHeaders: defaultHeaders, options: options,
                coders: CoderRegistry(decoder: decoder))
        }
    }

    /// What requests say they come from unless they say otherwise.
    public static let userAgent = "streams/\(version)"

    /// The version of this package.
    public static let version = "1.0.0"

    /// What the requests have in common that are made from now on; streams that were made before keep what they have.
    public var configuration: Configuration {
        // Requests under the old one may have come to something else.
        didSet { sharedRequests = SharedRequests() }
    }
    var transport: any HTTPTransport {
        didSet { sharedRequests = SharedRequests() }
    }
    let clock: RequestClock
    let ledger = RetryLedger()
    var registry = RequestRegistry()
    private(set) var sharedRequests = SharedRequests()

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - configuration: What its requests have in common.
    ///   - transport: What carries them; by default one of the client's own, on libcurl.
    public init(configuration: Configuration, transport: any HTTPTransport = CurlTransport()) {
        self.init(configuration: configuration, transport: transport, scheduler: DispatchQueue.global())
    }

    /// Makes a client for requests below a URL, or for absolute URLs.
    ///
    /// - Parameters:
    ///   - baseURL: What relative targets are appended to.
    ///   - authorization: What gives requests that require authorization their credentials.
    public init(baseURL: URL? = nil, authorization: (any AuthorizationProvider)? = nil) {
        self.init(configuration: Configuration(baseURL: baseURL, authorization: authorization))
    }

    /// Makes a client that waits on a scheduler: for retries, and for deadlines. With a virtual one, tests of time
    /// take none.
    public init(
        configuration: Configuration, transport: any HTTPTransport, scheduler: some Scheduler & Sendable
    ) {
        self.configuration = configuration
        self.transport = transport
        clock = RequestClock(scheduler)
    }
}
