// Smithy (smithy-swift): conversions of bodies, whose chunks are requested by demand.
import Smithy
import StreamsHTTP
import Synchronization

extension HTTPBody {
    /// Creates a body. A stream can be sent once.
    init(_ body: ByteStream, length: Int64?) {
        switch body {
        case .data(let data?): self = .data(data, contentType: nil)
        case .data(nil), .noStream: self = .empty
        case .stream(let stream):
            let chunks = AsyncThrowingStream {
                try await stream.readAsync(upToCount: CHUNK_SIZE_BYTES).flatMap { $0.isEmpty ? nil : $0 }
            }
            self = .stream(length: length, contentType: nil, chunks.publisher)
        }
    }
}

/// The body of a response as a stream that is read asynchronously, by one task at a time.
final class ResponseStream: Smithy.Stream {
    private struct State {
        var rest = Data()
        var position = 0
    }

    private let chunks: any AsyncSequence<Data, HTTPError> & Sendable
    private let state = Mutex(State())
    let length: Int? = nil
    let isEmpty = false
    let isSeekable = false
    var position: Int { state.withLock { $0.position } }

    init(_ chunks: some AsyncSequence<Data, HTTPError> & Sendable) { self.chunks = chunks }

    func readAsync(upToCount count: Int) async throws -> Data? {
        var state = self.state.withLock { $0 }
        // All iterations share the exchange, so the first chunk is the next one.
        if state.rest.isEmpty { state.rest = try await chunks.first { _ in true } ?? Data() }
        guard !state.rest.isEmpty else { return nil }
        let data = Data(state.rest.prefix(max(count, 1)))
        state.rest.removeFirst(data.count)
        state.position += data.count
        self.state.withLock { [state] in $0 = state }
        return data
    }

    func readToEndAsync() async throws -> Data? {
        var data = Data()
        while let chunk = try await readAsync(upToCount: .max) { data.append(chunk) }
        return data
    }

    func read(upToCount count: Int) throws -> Data? { throw Self.notSupported }
    func readToEnd() throws -> Data? { throw Self.notSupported }
    func write(contentsOf data: Data) throws { throw Self.notSupported }
    func close() {}
    func closeWithError(_ error: any Error) {}

    private static var notSupported: StreamError { .notSupported("The body of a response is read asynchronously.") }
}
