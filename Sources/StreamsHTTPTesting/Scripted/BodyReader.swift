import StreamsHTTP

/// A reader of a request's body into memory.
// Safe because one thread at a time reads, and a source may be cancelled from any thread.
final class BodyReader: @unchecked Sendable {
    private static let capacity = 64 * 1024

    private let source: (any HTTPBody.Source)?
    private(set) var data = Data()
    private var buffer = [UInt8](repeating: 0, count: BodyReader.capacity)

    /// - Parameter source: The body's source; `nil` for an empty body.
    init(_ source: (any HTTPBody.Source)?) {
        self.source = source
    }

    /// The number of bytes that have been read.
    var count: Int64 { Int64(data.count) }
    var length: Int64? { source?.length }

    /// Reads the next bytes.
    func read() -> HTTPBody.ReadResult {
        guard let source else { return .end }
        let read = buffer.withUnsafeMutableBytes { source.read(into: $0) }
        switch read {
        case .bytes(let count):
            data.append(contentsOf: buffer[..<count])
        case .end:
            if let declared = source.length, declared != count {
                return .failed(HTTPBody.Failure.lengthMismatch(declared: declared, actual: count))
            }
        case .waiting, .failed:
            break
        }
        return read
    }

    /// Cancels the source. May be called from any thread.
    func cancel() {
        source?.cancel()
    }
}
