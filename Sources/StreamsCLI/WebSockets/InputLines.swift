import StreamsHTTP

/// The lines of standard input, without their line breaks, which can be read once. Reading waits for the writer.
struct InputLines: Sequence, IteratorProtocol {
    private var chunks = InputChunks.standardInput
    /// The bytes that have been read and are not part of a line yet.
    private var rest = Data()

    mutating func next() -> Result<Data, SystemError>? {
        var line = Data()
        while true {
            if let end = endOfLine {
                line += rest[..<end]
                rest = rest[(end + 1)...]
                return .success(line)
            }
            line += rest
            rest = Data()
            switch chunks.next() {
            case .success(let chunk): rest = chunk
            case .failure(let error): return .failure(error)
            // The last line may lack its line break.
            case nil: return line.isEmpty ? nil : .success(line)
            }
        }
    }

    /// The index of the first line feed in the bytes that have been read.
    private var endOfLine: Data.Index? {
        // By `memchr`: to look at each byte of a `Data` takes more than a hundred times as long.
        rest.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, 0x0A, bytes.count) else { return nil }
            return rest.startIndex + (UnsafeRawPointer(found) - start)
        }
    }
}
