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
        /// What decodes the values of endpoints.
        public var decoder: any DataDecoder
        /// Who is told of every request and what it has cost. Without any, nothing is measured.
        public var monitors: [any EventMonitor] = []

        public init(
            baseURL: URL? = nil, defaultHeaders: HTTPHeaders = [:], options: RequestOptions = RequestOptions(),
            decoder: any DataDecoder = JSONDecoder()
        ) {
            self.baseURL = baseURL
            self.defaultHeaders = defaultHeaders
            self.options = options
            self.decoder = decoder
        }
    }

    /// What requests say they come from unless they say otherwise.
    public static let userAgent = "streams/\(version)"

    /// The version of this package.
    public static let version = "1.0.0"

    public var configuration: Configuration
    var transport: any HTTPTransport
    let clock: RequestClock

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - configuration: What its requests have in common.
    ///   - transport: What carries them; by default one of the client's own, on libcurl.
    public init(configuration: Configuration, transport: any HTTPTransport = CurlTransport()) {
        self.init(configuration: configuration, transport: transport, scheduler: DispatchQueue.global())
    }

    /// Makes a client for requests below a URL, or for absolute URLs.
    public init(baseURL: URL? = nil) {
        self.init(configuration: Configuration(baseURL: baseURL))
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
