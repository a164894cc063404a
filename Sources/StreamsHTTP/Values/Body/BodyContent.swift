/// The content of a body, whether it can be sent again or not.
package enum BodyContent: Sendable {
    case empty
    case data(Data)
    case file(path: String)
    /// A source that is made for each exchange. Boxed, so that the rarest case does not enlarge every request.
    indirect case stream(
        length: Int64?, open: @Sendable (@escaping @Sendable () -> Void) throws -> (any HTTPBody.Source)?)
    /// Bodies, one after another, without values that a client encodes.
    case sequence([HTTPBody])
    /// A content that is made with the coders of the client that sends it.
    indirect case encoding(@Sendable (CoderRegistry) throws -> BodyContent)
    /// A content that is compressed while it is sent, or has been compressed before.
    indirect case compressed(BodyContent, HTTPBody.Compression, result: Data?)

    /// The length; `nil` if it is unknown before the body is opened, as for a file, which may change until then.
    var length: Int64? {
        switch self {
        case .empty, .file, .encoding: nil
        case .data(let data): Int64(data.count)
        case .stream(let length, _): length
        case .sequence(let bodies): Self.sum(bodies.lazy.map(\.content.length))
        case .compressed(_, _, let result): result.map { Int64($0.count) }
        }
    }

    /// Returns the current length; `nil` if it is unknown before the end.
    ///
    /// - Throws: ``FileError`` for a file that cannot be opened; the error of an encoder.
    func measuredLength() throws -> Int64? {
        switch self {
        case .empty: return 0
        case .data, .stream, .compressed: return length
        case .file(let path): return try FileBody(path: path).length
        case .sequence(let bodies):
            var lengths: [Int64?] = []
            for body in bodies { lengths.append(try body.content.measuredLength()) }
            return Self.sum(lengths)
        case .encoding: return try encoded(by: CoderRegistry()).measuredLength()
        }
    }

    func open(onReadable: @escaping @Sendable () -> Void) throws -> (any HTTPBody.Source)? {
        switch self {
        case .empty: nil
        case .data(let data): DataBody(data)
        case .file(let path): try FileBody(path: path)
        case .stream(_, let open): try open(onReadable)
        case .sequence(let bodies): try SequenceBody(bodies, onReadable: onReadable)
        case .encoding: try encoded(by: CoderRegistry()).open(onReadable: onReadable)
        case .compressed(_, _, let result?): DataBody(result)
        case .compressed(let content, let compression, nil):
            try BodyCompressor.open(content, compression, onReadable: onReadable)
        }
    }

    /// Returns this content with the values in it encoded.
    func encoded(by coders: CoderRegistry) throws -> BodyContent {
        switch self {
        case .encoding(let encode): try encode(coders)
        case .compressed(let content, let compression, nil):
            .compressed(try content.encoded(by: coders), compression, result: nil)
        default: self
        }
    }

    /// Whether there are values that the client encodes.
    var hasValues: Bool {
        switch self {
        case .encoding: true
        case .compressed(let content, _, _): content.hasValues
        default: false
        }
    }

    /// - Returns: The sum; `nil` if a length is unknown or the sum overflows.
    static func sum(_ lengths: some Sequence<Int64?>) -> Int64? {
        var total: Int64 = 0
        for length in lengths {
            guard let length else { return nil }
            let (sum, isTooLarge) = total.addingReportingOverflow(length)
            guard !isTooLarge else { return nil }
            total = sum
        }
        return total
    }
}

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
