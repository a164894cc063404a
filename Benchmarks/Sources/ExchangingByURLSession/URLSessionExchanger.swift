import Exchanging
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An exchanger on `URLSession`.
public struct URLSessionExchanger: Exchanger {
    private let session: URLSession

    public init(connections: Int, version: ProtocolVersion) throws {
        guard version == .http1 else { throw ExchangeFailure("URLSession has no say in the version") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.timeoutIntervalForRequest = 300
        session = URLSession(configuration: configuration)
    }

    public func document(at url: String) async throws -> Int {
        try JSONDecoder().decode(Document.self, from: try await data(at: url)).id
    }

    /// Keeps the whole body in memory. On Linux, `URLSession` has no other way to await one.
    public func download(_ url: String, check: PieceCheck?) async throws -> Int {
        let body = try await data(at: url)
        if let check { try body.withUnsafeBytes { try check($0, 0) } }
        return body.count
    }

    public func upload(_ path: String, to url: String) async throws {
        var request = URLRequest(url: try parsed(url))
        request.httpMethod = "PUT"
        let (_, response) = try await session.upload(for: request, fromFile: URL(fileURLWithPath: path))
        try check(response)
    }

    private func data(at url: String) async throws -> Data {
        let (data, response) = try await session.data(from: try parsed(url))
        try check(response)
        return data
    }

    private func parsed(_ url: String) throws -> URL {
        guard let url = URL(string: url) else { throw ExchangeFailure("\(url) is no URL") }
        return url
    }

    private func check(_ response: URLResponse) throws {
        guard let status = (response as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) else {
            throw ExchangeFailure("\(response)")
        }
    }
}
