/// The content of a body, whether it can be sent again or not.
enum BodyContent: Sendable {
    case empty
    case data(Data)
    case file(path: String)
    // Boxed, so that the rarest case does not enlarge every request.
    indirect case stream(any StreamedBody, length: Int64?)
    /// Bodies, one after another.
    case sequence([HTTPBody])
    /// A content that is made with the coders of the client that sends it.
    indirect case encoding(@Sendable (CoderRegistry) throws -> BodyContent)
    /// A body whose source is wrapped, so that another object sees the bytes.
    indirect case tapped(BodyContent, @Sendable (any HTTPBody.Source) -> any HTTPBody.Source)

    /// The length; `nil` if it is unknown before the body is opened, as for a file, which may change until then.
    var length: Int64? {
        switch self {
        case .empty, .file, .encoding: nil
        case .data(let data): Int64(data.count)
        case .stream(_, let length): length
        case .sequence(let bodies): Self.sum(bodies.lazy.map(\.content.length))
        case .tapped(let content, _): content.length
        }
    }

    /// Whether the content has values that a client encodes.
    var hasValues: Bool {
        switch self {
        case .empty, .data, .file, .stream: false
        case .sequence(let bodies): bodies.contains(where: \.hasValues)
        case .encoding: true
        case .tapped(let content, _): content.hasValues
        }
    }

    /// Returns the current length; `nil` if it is unknown before the end.
    ///
    /// - Throws: ``FileError`` for a file whose length cannot be read; the error of an encoder.
    func measuredLength() throws -> Int64? {
        switch self {
        case .empty: return 0
        case .data, .stream: return length
        case .file(let path): return try FileBody.length(ofFileAt: path)
        case .sequence(let bodies):
            var lengths: [Int64?] = []
            for body in bodies { lengths.append(try body.content.measuredLength()) }
            return Self.sum(lengths)
        case .encoding: return try encoded(by: CoderRegistry()).measuredLength()
        case .tapped(let content, _): return try content.measuredLength()
        }
    }

    func open(onReadable: @escaping @Sendable () -> Void) throws -> (any HTTPBody.Source)? {
        switch self {
        case .empty: nil
        case .data(let data): DataBody(data)
        case .file(let path): try FileBody(path: path)
        case .stream(let chunks, let length): BodyPipe(chunks, length: length, onReadable: onReadable)
        case .sequence(let bodies): try SequenceBody(bodies, onReadable: onReadable)
        case .encoding: try encoded(by: CoderRegistry()).open(onReadable: onReadable)
        case .tapped(let content, let tap): try content.open(onReadable: onReadable).map(tap)
        }
    }

    /// Returns this content with the values in it encoded.
    func encoded(by coders: CoderRegistry) throws -> BodyContent {
        switch self {
        case .empty, .data, .file, .stream: self
        case .sequence(let bodies): .sequence(try bodies.map { try $0.encoded(by: coders) })
        case .encoding(let encode): try encode(coders)
        case .tapped(let content, let tap): .tapped(try content.encoded(by: coders), tap)
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
