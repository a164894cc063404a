import Exchanging
import StreamsHTTP

/// This library's client.
public struct StreamsExchanger: Exchanger {
    private let client: HTTPClient

    public init(connections: Int, version: ProtocolVersion) {
        var configuration = HTTPClient.Configuration()
        configuration.options.connection = ConnectionOptions(
            protocolPolicy: version == .http1 ? .http1 : .automatic, trustRoots: .anyone)
        client = HTTPClient(configuration: configuration)
    }

    public func document(at url: String) async throws -> Int {
        try await client.value(for: GetDocument(path: url)).id
    }

    public func download(_ url: String) async throws -> Int {
        try await Self.download(url, by: client)
    }

    /// The same, of a server that is not asked for encoded content.
    public func downloadAsIs(_ url: String) async throws -> Int {
        var plain = client
        plain.configuration.options.connection?.decodesContent = false
        return try await Self.download(url, by: plain)
    }

    private static func download(_ url: String, by client: HTTPClient) async throws -> Int {
        var count = 0
        for try await event in client.events(for: HTTPRequest(.get, url)).values {
            if case .chunk(let chunk) = event { count += chunk.count }
        }
        return count
    }

    public func upload(_ path: String, to url: String) async throws {
        _ = try await client.data(for: HTTPRequest(.put, url, body: .file(path)))
    }
}

private struct GetDocument: Endpoint {
    typealias Response = Document

    let path: String
}
