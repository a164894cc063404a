import Foundation

/// A client under measurement.
public protocol Exchanger: Sendable {
    /// - Parameters:
    ///   - connections: How many connections may be open at a time.
    ///   - version: Which version of HTTP is spoken.
    init(connections: Int, version: ProtocolVersion) throws

    /// Gets a small document, decodes it, and returns its number.
    func document(at url: String) async throws -> Int

    /// Gets a large body without keeping it, and returns how many bytes it had.
    func download(_ url: String) async throws -> Int

    /// Puts a file, without having it in memory as a whole.
    func upload(_ path: String, to url: String) async throws

    /// Ends what would keep the program going.
    func shutDown() async
}

extension Exchanger {
    public func shutDown() async {}
}

/// A version of HTTP.
public enum ProtocolVersion: String, Sendable {
    case http1
    case http2
}

/// The document that is asked for.
public struct Document: Codable, Sendable {
    public let id: Int
    public let name: String
    public let tags: [String]
    public let isPublic: Bool

    public static let sample = Document(
        id: 7, name: "a small document", tags: ["swift", "streams", "benchmark"], isPublic: true)
}

/// What a client could not do.
public struct ExchangeFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
