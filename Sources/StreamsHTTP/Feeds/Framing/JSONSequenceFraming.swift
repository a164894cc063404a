/// A framing of a JSON text sequence (RFC 7464): each text is preceded by RS and followed by LF.
///
/// A text is an element as soon as its LF has come, without waiting for the next RS. A LF inside a text, between the
/// tokens of an array or object, does not end it. Empty texts are ignored. A text that another RS or the end of the
/// stream cuts off is a ``FramingError/truncatedElement``, and the texts behind it are still returned.
struct JSONSequenceFraming: Framing {
    private static let recordSeparator: UInt8 = 0x1E

    /// A text, or an error; `nil` if more bytes are needed.
    private typealias Step = Result<Data?, FramingError>

    private let maxElementSize: Int
    private var buffer = FramingBuffer()
    private var parser = Parser()
    private var isFinished = false

    /// - Parameter maxElementSize: The maximum number of bytes of a text.
    init(maxElementSize: Int) {
        self.maxElementSize = maxElementSize
    }

    mutating func append(_ bytes: Data) {
        if !isFinished { buffer.append(bytes) }
    }

    mutating func next() throws(FramingError) -> Data? {
        let (step, consumed) = buffer.withBytes { parser.parse($0, limit: maxElementSize, isFinished: isFinished) }
        buffer.consume(consumed)
        if case .failure(.elementTooLarge) = step {
            (buffer, parser) = (FramingBuffer(), Parser())
            isFinished = true
        }
        return try step.get()
    }

    mutating func finish() {
        isFinished = true
    }
}

extension JSONSequenceFraming {
    private struct Parser {
        private enum Place {
            /// Before the first RS or after the LF of a text.
            case between
            /// After bytes that belong to no text, which have been reported.
            case skipping
            case inText
        }

        private var place = Place.between
        private var text = TextState()
        /// The number of bytes of the text that have been looked at.
        private var scanned = 0

        /// Looks for the next text at the front of the buffer.
        mutating func parse(
            _ bytes: UnsafeBufferPointer<UInt8>, limit: Int, isFinished: Bool
        ) -> (step: Step, consumed: Int) {
            var start = 0
            while true {
                switch place {
                case .between:
                    while start < bytes.count, bytes[start].isJSONWhitespace { start += 1 }
                    guard start < bytes.count else { return (.success(nil), start) }
                    guard bytes[start] == recordSeparator else {
                        place = .skipping
                        return (.failure(.unexpectedBytes), start)
                    }
                    start += 1
                    begin()
                case .skipping:
                    guard let separator = bytes.firstIndex(of: recordSeparator, from: start, to: bytes.count) else {
                        return (.success(nil), bytes.count)
                    }
                    start = separator + 1
                    begin()
                case .inText:
                    guard let end = scan(bytes.part(start, bytes.count)).map({ start + $0 }) else {
                        if bytes.count - start > limit { return (.failure(.elementTooLarge(limit: limit)), 0) }
                        guard isFinished else { return (.success(nil), start) }
                        place = .between
                        guard text.hasBegun else { return (.success(nil), bytes.count) }
                        return (cutOff(bytes.part(start, bytes.count)), bytes.count)
                    }
                    let content = bytes.part(start, end)
                    if content.count > limit { return (.failure(.elementTooLarge(limit: limit)), 0) }
                    guard bytes[end] == recordSeparator else {
                        place = .between
                        return (.success(Data(buffer: content)), end + 1)
                    }
                    if text.hasBegun {
                        let step = cutOff(content)
                        begin()
                        return (step, end + 1)
                    }
                    start = end + 1
                    begin()
                }
            }
        }

        private mutating func begin() {
            place = .inText
            text = TextState()
            scanned = 0
        }

        /// Returns the index of the LF or RS that ends the text.
        private mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
            scanned = text.consume(bytes, from: scanned)
            return scanned < bytes.count ? scanned : nil
        }

        /// Returns the text that RS or the end of the stream has ended. A number or a literal may lack its end unless
        /// white space follows (RFC 7464, section 2.4).
        private func cutOff(_ content: UnsafeBufferPointer<UInt8>) -> Step {
            let isWhole = text.isBalanced && (text.delimitsItself || content.last?.isJSONWhitespace == true)
            return isWhole ? .success(Data(buffer: content)) : .failure(.truncatedElement)
        }
    }

    /// The state of a text up to a byte, as far as it tells where the text ends.
    private struct TextState {
        private(set) var hasBegun = false
        /// Whether the first token is an array, an object or a string, whose end shows.
        private(set) var delimitsItself = false
        private var depth = 0
        private var isInString = false
        private var isEscaped = false

        var isBalanced: Bool { depth <= 0 && !isInString }

        /// Looks at bytes from an index on.
        ///
        /// - Returns: The index of the byte that ends the text, or of the end.
        mutating func consume(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
            var (index, depth, isInString, isEscaped) = (start, depth, isInString, isEscaped)
            defer { (self.depth, self.isInString, self.isEscaped) = (depth, isInString, isEscaped) }
            while index < bytes.count {
                let byte = bytes[index]
                if isInString {
                    if byte == recordSeparator { return index }
                    if isEscaped {
                        isEscaped = false
                    } else if byte == UInt8(ascii: "\"") {
                        isInString = false
                    } else {
                        isEscaped = byte == UInt8(ascii: "\\")
                    }
                } else if byte > UInt8(ascii: "\"") {
                    // Brackets and braces differ in one bit.
                    switch byte | 0x20 {
                    case UInt8(ascii: "{"):
                        begin(delimitingItself: true)
                        depth += 1
                    case UInt8(ascii: "}"):
                        begin(delimitingItself: true)
                        depth -= 1
                    default:
                        begin(delimitingItself: false)
                    }
                } else if byte == UInt8(ascii: "\"") {
                    begin(delimitingItself: true)
                    isInString = true
                } else if byte == recordSeparator || (byte == .lineFeed && hasBegun && depth <= 0) {
                    return index
                } else if !byte.isJSONWhitespace {
                    begin(delimitingItself: false)
                }
                index += 1
            }
            return index
        }

        @inline(__always)
        private mutating func begin(delimitingItself: Bool) {
            if hasBegun { return }
            (hasBegun, delimitsItself) = (true, delimitingItself)
        }
    }
}
