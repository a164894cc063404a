/// A body source that reads from memory.
final class DataBody: HTTPBody.Source {
    private let data: Data
    // Safe because only the transport reads, one call at a time.
    nonisolated(unsafe) private var position: Data.Index

    init(_ data: Data) {
        self.data = data
        position = data.startIndex
    }

    var length: Int64? { Int64(data.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
        let count = min(buffer.count, data.endIndex - position)
        guard count > 0 else { return .end }
        data.copyBytes(to: buffer, from: position..<position + count)
        position += count
        return .bytes(count)
    }

    func cancel() {}
}
