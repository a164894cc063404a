import Foundation

/// The number of bytes to read from a stream at once.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CHUNK_SIZE_BYTES = 65_536

/// A stream that is read.
public protocol ReadableStream: AnyObject, Sendable {
    var position: Data.Index { get }
    var length: Int? { get }
    var isEmpty: Bool { get }
    var isSeekable: Bool { get }
    func read(upToCount count: Int) throws -> Data?
    func readAsync(upToCount count: Int) async throws -> Data?
    func readToEnd() throws -> Data?
    func readToEndAsync() async throws -> Data?
    func seek(toOffset offset: Int) throws
}

/// A stream that is written.
public protocol WriteableStream: AnyObject, Sendable {
    func write(contentsOf data: Data) throws
    func close()
    func closeWithError(_ error: any Error)
}

/// A stream that is read and written.
public protocol Stream: ReadableStream, WriteableStream {}

extension Stream {
    public func seek(toOffset offset: Int) throws {
        guard isSeekable else { throw StreamError.notSupported("seek") }
    }
}

/// The error of a stream.
public enum StreamError: Error, Sendable {
    case notSupported(String)
}

/// A body.
public enum ByteStream: Sendable {
    case data(Data?)
    case stream(any Stream)
    case noStream

    public func readData() async throws -> Data? {
        switch self {
        case .data(let data): data
        case .stream(let stream): try await stream.readToEndAsync()
        case .noStream: nil
        }
    }
}
