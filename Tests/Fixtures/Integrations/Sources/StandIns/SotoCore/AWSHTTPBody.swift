import NIOCore

/// A body in one buffer, or as a sequence of buffers.
public struct AWSHTTPBody: AsyncSequence, Sendable {
    public typealias Element = ByteBuffer

    public let length: Int?
    public let isStreaming: Bool
    private let iterate: @Sendable () -> AsyncIterator

    public init() {
        self.init(buffer: ByteBuffer())
    }

    public init(buffer: ByteBuffer) {
        length = buffer.readableBytes
        isStreaming = false
        iterate = {
            var buffers = [buffer].makeIterator()
            return AsyncIterator { buffers.next() }
        }
    }

    public init<Chunks: AsyncSequence & Sendable>(
        asyncSequence chunks: Chunks, length: Int?
    ) where Chunks.Element: Collection<UInt8> & Sendable {
        self.length = length
        isStreaming = true
        iterate = {
            var iterator = chunks.makeAsyncIterator()
            return AsyncIterator { try await iterator.next().map { ByteBuffer(bytes: $0) } }
        }
    }

    public var isEmpty: Bool { length == 0 }

    public func collect(upTo limit: Int) async throws -> ByteBuffer {
        var collected = ByteBuffer()
        for try await var buffer in self {
            guard collected.readableBytes + buffer.readableBytes <= limit else { throw TooManyBytes() }
            collected.writeBuffer(&buffer)
        }
        return collected
    }

    public func makeAsyncIterator() -> AsyncIterator { iterate() }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let produce: () async throws -> ByteBuffer?

        public mutating func next() async throws -> ByteBuffer? { try await produce() }
    }
}

/// The error of a body that is longer than a limit.
struct TooManyBytes: Error {}
