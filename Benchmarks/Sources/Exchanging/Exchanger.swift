import Foundation

/// A client under measurement.
public protocol Exchanger: Sendable {
    /// - Parameters:
    ///   - connections: The maximum number of open connections.
    ///   - version: The version of HTTP.
    init(connections: Int, version: ProtocolVersion) throws

    /// Gets a small document, decodes it, and returns its number.
    func document(at url: String) async throws -> Int

    /// Gets a large body without keeping it, and returns its size in bytes.
    ///
    /// - Parameter check: Called for each piece; `nil` while the download is measured.
    func download(_ url: String, check: PieceCheck?) async throws -> Int

    /// Uploads a file with PUT, without loading it into memory.
    func upload(_ path: String, to url: String) async throws

    /// Releases the resources that would keep the program running.
    func shutDown() async
}

extension Exchanger {
    public func shutDown() async {}

    /// Gets a large body without keeping it, and returns its size in bytes.
    public func download(_ url: String) async throws -> Int {
        try await download(url, check: nil)
    }
}

/// Checks a piece of a body, after a number of other bytes.
public typealias PieceCheck = @Sendable (_ piece: UnsafeRawBufferPointer, _ offset: Int) throws -> Void

/// A client that receives server-sent events.
public protocol EventReceiver: Exchanger {
    /// Receives a number of events through one connection, and returns the total size of their data in bytes.
    func receiveEvents(_ count: Int, from url: String) async throws -> Int

    /// Receives a number of events in the same way, and returns whether all of them are expected. It is not measured.
    ///
    /// - Parameter isExpected: Returns whether an event is expected, by its data and its number, from 0.
    func verifyEvents(
        _ count: Int, from url: String, isExpected: @escaping @Sendable (_ data: String, _ number: Int) -> Bool
    ) async throws -> Bool

    /// Keeps a number of feeds open until the task is cancelled.
    ///
    /// - Parameter onEvent: Called for each event with the number of its feed, from 0, and its data, on any thread.
    func openFeeds(_ count: Int, at url: String, onEvent: @escaping @Sendable (Int, String) -> Void) async throws
}

/// A version of HTTP.
public enum ProtocolVersion: String, Sendable {
    case http1
    case http2
}

/// The document that the server returns.
public struct Document: Codable, Sendable {
    public let id: Int
    public let name: String
    public let tags: [String]
    public let isPublic: Bool

    public static let sample = Document(
        id: 7, name: "a small document", tags: ["swift", "streams", "benchmark"], isPublic: true)
}

/// An error of a client or of the benchmark, described in one line.
public struct ExchangeFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
