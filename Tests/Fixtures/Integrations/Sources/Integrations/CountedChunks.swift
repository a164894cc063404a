import StreamsHTTP
import StreamsLoopback
import Synchronization

/// The chunks of a long body, counted as they are requested.
final class CountedChunks: Sendable {
    static let size = 64 * 1024

    private let count: Int
    private let counter = Mutex(0)

    /// Creates the chunks of a body of a number of bytes.
    init(bytes: Int) {
        count = bytes / Self.size
    }

    /// The number of bytes that have been requested.
    var produced: Int { counter.withLock { $0 * Self.size } }

    /// The chunks, as a sequence that can be iterated once.
    var sequence: AsyncStream<ArraySlice<UInt8>> { AsyncStream { [self] in next() } }

    /// Returns the next chunk; `nil` at the end.
    func next() -> ArraySlice<UInt8>? {
        counter.withLock { counter in
            guard counter < count else { return nil }
            defer { counter += 1 }
            return GeneratedBytes.bytes(counter * Self.size..<(counter + 1) * Self.size)[...]
        }
    }

    /// Waits until no chunk is requested while the transport, which all clients share, performs other exchanges.
    func waitForBackPressure() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.on("GET", "/", .status(204))
        let client = HTTPClient()
        var last = 0
        while produced == 0 || produced != last {
            last = produced
            for _ in 0..<50 { _ = try await client.response(for: HTTPRequest(.get, server.url("/"))) }
        }
    }
}
