import Exchanging
import StreamsHTTP

/// An exchanger on this library's client.
public struct StreamsExchanger: Exchanger {
    private let client: HTTPClient
    private let cache: HTTPCache?

    public init(connections: Int, version: ProtocolVersion) {
        self.init(connections: connections, version: version, engineCount: 1)
    }

    /// - Parameter engineCount: The number of the transport's threads.
    public init(connections: Int, version: ProtocolVersion, engineCount: Int) {
        self.init(version, cache: nil, engineCount: engineCount)
    }

    /// - Parameter cache: The path of a folder for a cache; `nil` for one in memory.
    public init(cache path: String?) throws {
        let cache =
            try path.map { try HTTPCache(path: $0, maxSize: 4 << 30, maxEntries: 1_000_000) }
            ?? HTTPCache(maxMemory: 256 << 20)
        self.init(.http1, cache: cache)
    }

    private init(_ version: ProtocolVersion, cache: HTTPCache?, engineCount: Int = 1) {
        var configuration = HTTPClient.Configuration()
        configuration.options.connection.protocolPolicy = version == .http1 ? .http1 : .automatic
        configuration.options.connection.trustRoots = .insecureAcceptAny
        configuration.cache = cache
        let transport = CurlTransport(configuration: CurlTransport.Configuration(engineCount: engineCount))
        client = HTTPClient(configuration: configuration, transport: transport)
        self.cache = cache
    }

    /// The number of requests that the cache has not answered; `nil` without a cache.
    public var missCount: Int? { cache?.statistics.misses }

    public func document(at url: String) async throws -> Int {
        try await client.value(for: GetDocument(path: url)).id
    }

    public func download(_ url: String, check: PieceCheck?) async throws -> Int {
        try await Self.download(url, by: client, check)
    }

    /// Downloads without `Accept-Encoding`.
    public func downloadAsIs(_ url: String, check: PieceCheck? = nil) async throws -> Int {
        let plain = client.configuring { $0.options.connection.decodesContent = false }
        return try await Self.download(url, by: plain, check)
    }

    private static func download(_ url: String, by client: HTTPClient, _ check: PieceCheck?) async throws -> Int {
        var count = 0
        for try await event in client.events(for: HTTPRequest(.get, url)).values {
            guard case .chunk(let chunk) = event else { continue }
            if let check { try chunk.withUnsafeBytes { try check($0, count) } }
            count += chunk.count
        }
        return count
    }

    public func upload(_ path: String, to url: String) async throws {
        _ = try await client.response(for: HTTPRequest(.put, url, body: .file(path)))
    }
}

extension StreamsExchanger: EventReceiver {
    public func receiveEvents(_ count: Int, from url: String) async throws -> Int {
        try await feed(at: url).prefix(count).reduce(0) { $0 + $1.data.utf8.count }.first().value ?? 0
    }

    public func verifyEvents(
        _ count: Int, from url: String, isExpected: @escaping @Sendable (_ data: String, _ number: Int) -> Bool
    ) async throws -> Bool {
        // The number of the events that are expected; negative after another one.
        let number = try await feed(at: url).prefix(count).reduce(0) { number, event in
            number >= 0 && isExpected(event.data, number) ? number + 1 : -1
        }.first().value
        return number == count
    }

    /// Receives events by an asynchronous sequence.
    public func awaitEvents(_ count: Int, from url: String) async throws -> Int {
        var size = 0
        for try await event in feed(at: url).prefix(count).values { size += event.data.utf8.count }
        return size
    }

    public func openFeeds(
        _ count: Int, at url: String, onEvent: @escaping @Sendable (Int, String) -> Void
    ) async throws {
        let feed = feed(at: url)
        let subscriptions = (0..<count).map { number in
            // A feed that ends is missed by its events.
            feed.sink(receiveCompletion: { _ in }, receiveValue: { onEvent(number, $0.data) })
        }
        try? await Task.sleep(for: .seconds(3600))
        withExtendedLifetime(subscriptions) {}
    }

    private func feed(at url: String) -> Feed<ServerSentEvent<String>> {
        client.serverSentEvents(for: HTTPRequest(.get, url))
    }
}

private struct GetDocument: Endpoint {
    typealias Response = Document

    let path: String
}
