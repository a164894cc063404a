/// A body in memory.
final class DataBody: BodySource {
    private let data: Data
    // Safe because the transport alone reads, one call at a time.
    nonisolated(unsafe) private var position: Data.Index

    init(_ data: Data) {
        self.data = data
        position = data.startIndex
    }

    var length: Int64? { Int64(data.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
        let count = min(buffer.count, data.endIndex - position)
        guard count > 0 else { return .end }
        data.copyBytes(to: buffer, from: position..<position + count)
        position += count
        return .bytes(count)
    }

    func cancel() {}
}
