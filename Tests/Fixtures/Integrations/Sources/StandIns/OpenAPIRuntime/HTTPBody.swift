import Foundation

/// The number of times that a body can be iterated.
public enum IterationBehavior: Sendable {
    case single
    case multiple
}

/// A body as a sequence of chunks.
public final class HTTPBody: AsyncSequence, Sendable {
    public typealias ByteChunk = ArraySlice<UInt8>

    /// The length of a body in bytes.
    public enum Length: Sendable, Equatable {
        case unknown
        case known(Int64)
    }

    public let length: Length
    public let iterationBehavior: IterationBehavior
    private let iterate: @Sendable () -> Iterator

    public init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Length, iterationBehavior: IterationBehavior
    ) where Chunks.Element: Sequence<UInt8> & Sendable {
        self.length = length
        self.iterationBehavior = iterationBehavior
        iterate = {
            var iterator = chunks.makeAsyncIterator()
            return Iterator { try await iterator.next().map { ArraySlice($0) } }
        }
    }

    public convenience init(_ data: Data) {
        self.init(
            Chunk(data: data), length: .known(Int64(data.count)), iterationBehavior: .multiple)
    }

    public func makeAsyncIterator() -> Iterator { iterate() }

    public struct Iterator: AsyncIteratorProtocol {
        let produce: () async throws -> ByteChunk?

        public mutating func next() async throws -> ByteChunk? { try await produce() }
    }
}

/// A sequence of one chunk.
private struct Chunk: AsyncSequence {
    let data: Data

    func makeAsyncIterator() -> AsyncStream<Data>.Iterator {
        AsyncStream { continuation in
            continuation.yield(data)
            continuation.finish()
        }.makeAsyncIterator()
    }
}

extension Data {
    /// Collects a body up to a limit.
    public init(collecting body: HTTPBody, upTo limit: Int) async throws {
        self.init()
        for try await chunk in body {
            guard count + chunk.count <= limit else { throw TooManyBytes() }
            append(contentsOf: chunk)
        }
    }
}

/// The error of a body that is longer than a limit.
struct TooManyBytes: Error {}
