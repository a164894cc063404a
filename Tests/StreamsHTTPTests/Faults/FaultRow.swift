import StreamsHTTP

/// A way in which a server, a proxy or the network misbehaves, and its expected effect: a row of the article "Failures of
/// the network and of servers".
struct FaultRow: Sendable {
    /// The misbehaviour, as the article names it.
    let name: String
    /// The outline of the expected reason; `nil` if the request succeeds nevertheless.
    let reason: String?
    /// Whether a retry policy retries the failure by its default rule.
    let isRetried: Bool
    /// The exit status of the tool; `nil` if the tool lacks an option that the row needs.
    let exitStatus: Int32?
    /// The option that bounds the time or memory of the misbehaviour, as a symbol of the module.
    let bound: String?
    let setting: FaultSetting
    let method: HTTPMethod
    /// The size of the request's body, in bytes.
    let bodySize: Int
    let use: FaultUse
    /// The number of bytes by which the process may grow; `nil` if the peer sends little.
    let maxGrowth: Int?
    /// Whether the row needs libcurl 7.88. Version 7.74 does not tell when a proxy has opened a tunnel.
    let needsTunnelState: Bool
    /// The peers that misbehave in this way.
    let peers: [FaultPeer]

    init(
        _ name: String, _ reason: String?, isRetried: Bool = false, exitStatus: Int32?, bound: String? = nil,
        setting: FaultSetting = .usual, method: HTTPMethod = .get, bodySize: Int = 0, use: FaultUse = .response,
        maxGrowth: Int? = nil, needsTunnelState: Bool = false, _ peers: FaultPeer...
    ) {
        self.name = name
        self.reason = reason
        self.isRetried = isRetried
        self.exitStatus = exitStatus
        self.bound = bound
        self.setting = setting
        self.method = method
        self.bodySize = bodySize
        self.use = use
        self.maxGrowth = maxGrowth
        self.needsTunnelState = needsTunnelState
        self.peers = peers
    }

    /// The row as the article has it.
    var line: String {
        let error = reason.map { "`\($0.prefix { $0 != "(" })`" } ?? "none"
        let isRetried = reason.map { _ in self.isRetried ? "yes" : "no" }
        let cells = [name, error, isRetried, exitStatus.map { "\($0)" }, bound.map { "``\($0)``" }]
        return cells.reduce("|") { line, cell in line + (cell.map { " \($0) |" } ?? " |") }
    }
}

/// The use of a client that meets the misbehaviour.
enum FaultUse: Sendable {
    /// A response with its body.
    case response
    /// A response that is decoded as JSON.
    case value
    /// A response for the second time, with a cache that has received the first one.
    case stored
    /// A list of pages, each of which links to the next one.
    case pages
    /// A WebSocket with these options.
    case webSocket(WebSocketOptions)
}

/// Options of a request, and those of the tool that have the same effect.
struct FaultSetting: Sendable {
    /// The tool's options; `nil` if it has none.
    let arguments: [String]?
    let apply: @Sendable (inout RequestOptions) -> Void
    /// The time before which a timeout of these options does not expire.
    var time = Duration.zero

    init(_ arguments: [String]?, time: Duration = .zero, _ apply: @escaping @Sendable (inout RequestOptions) -> Void) {
        self.arguments = arguments
        self.apply = apply
        self.time = time
    }

    static let usual = FaultSetting([]) { _ in }
    static let connectTimeout = FaultSetting(["--connect-timeout", "0.3"], time: .seconds(0.3)) {
        $0.timeouts.connect = .milliseconds(300)
    }
    static let idleTimeout = FaultSetting(["--timeout", "0.2"], time: .seconds(0.2)) {
        $0.timeouts.idle = .milliseconds(200)
    }
    /// Longer than a busy machine may keep a head waiting.
    static let longIdleTimeout = FaultSetting(["--timeout", "2"], time: .seconds(2)) {
        $0.timeouts.idle = .seconds(2)
    }
    static let errorBodyTimeout = FaultSetting(nil, time: .seconds(0.2)) {
        $0.timeouts.errorBody = .milliseconds(200)
    }
    static let totalTimeout = FaultSetting(["--max-time", "0.5"], time: .seconds(0.5)) {
        $0.timeouts.total = .milliseconds(500)
    }
    static let http2 = FaultSetting(["--http2-prior-knowledge"]) { $0.connection.protocolPolicy = .http2 }
    static let pongTimeout = FaultSetting(nil, time: .seconds(0.2)) { _ in }
    static let minimumRate = FaultSetting(nil, time: .seconds(0.2)) {
        $0.timeouts.minimumRate = .init(bytesPerSecond: 10_000, over: .milliseconds(200))
    }
    static let retry = FaultSetting(nil) { $0.retry = RetryPolicy(maxRetries: 1, backoff: .constant(.zero)) }
    static let staleIfError = FaultSetting(nil) { $0.cache.staleIfError = .seconds(60) }
    static let missingSocket = FaultSetting(["--unix-socket", "/nonexistent/socket"]) {
        $0.connection.unixSocketPath = "/nonexistent/socket"
    }
    static let maxBodySize = FaultSetting(["--max-bytes", "1000"]) { $0.maxBodySize = 1000 }
    static let publicAddresses = FaultSetting(nil) { $0.connection.allowsAddress = .publicOnly }
    static let otherKey = FaultSetting(nil) {
        let key = Data(repeating: 7, count: 32).base64EncodedString()
        $0.connection.pinnedPublicKeys = [key]
    }
}
