import StreamsHTTP

/// The lines of standard input, without their line breaks, which can be read once. Reading waits for the writer.
struct InputLines: Sequence, IteratorProtocol {
    private var chunks = InputChunks.standardInput
    /// The bytes that have been read and are not part of a line yet.
    private var rest = Data()

    mutating func next() -> Result<Data, SystemError>? {
        var line = Data()
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
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
}
