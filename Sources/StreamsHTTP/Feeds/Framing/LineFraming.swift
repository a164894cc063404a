/// A framing of lines as `Data`.
///
/// A line ends with LF; a CR before it is dropped. Other line separators, such as U+2028, are ordinary characters.
struct LineFraming: Framing {
    private var lines: LineBuffer

    /// - Parameter maxElementSize: The maximum number of bytes of a line, without its line break.
    init(maxElementSize: Int = defaultMaxElementSize) {
        lines = LineBuffer(maxLength: maxElementSize)
    }

    mutating func append(_ bytes: Data) {
        lines.append(bytes)
    }

    mutating func next() throws(FramingError) -> Data? {
        try lines.next { Data(buffer: $0) }
    }

    mutating func finish() {
        lines.finish()
    }
}

/// A framing of lines as text. Invalid UTF-8 is replaced by U+FFFD.
struct TextLineFraming: Framing {
    private var lines: LineBuffer

    /// - Parameter maxElementSize: The maximum number of bytes of a line, without its line break.
    init(maxElementSize: Int = defaultMaxElementSize) {
        lines = LineBuffer(maxLength: maxElementSize)
    }

    mutating func append(_ bytes: Data) {
        lines.append(bytes)
    }

    mutating func next() throws(FramingError) -> String? {
        try lines.next { $0.text }
    }

    mutating func finish() {
        lines.finish()
    }
}

/// A buffer that is consumed by lines.
struct LineBuffer {
    private enum Step<Line> {
        case line(Line, consumed: Int)
        case incomplete
        case tooLarge
    }

    private let maxLength: Int
    private var buffer = FramingBuffer()
    /// The number of bytes at the front without a line feed.
    private var scanned = 0
    private var isFinished = false

    init(maxLength: Int) {
        self.maxLength = maxLength
    }

    mutating func append(_ bytes: Data) {
        if !isFinished { buffer.append(bytes) }
    }

    mutating func finish() {
        isFinished = true
    }

    /// Returns the next line, made from its bytes without the line break.
    @inline(__always)
    mutating func next<Line>(_ make: (UnsafeBufferPointer<UInt8>) -> Line) throws(FramingError) -> Line? {
        let step: Step<Line> = buffer.withBytes { bytes in
            let lineFeed = bytes.firstIndex(of: .lineFeed, from: scanned, to: bytes.count)
            let line = bytes.part(0, lineFeed ?? bytes.count).droppingCarriageReturn
            if line.count > maxLength { return .tooLarge }
            if let lineFeed { return .line(make(line), consumed: lineFeed + 1) }
            return isFinished && !bytes.isEmpty ? .line(make(line), consumed: bytes.count) : .incomplete
        }
        switch step {
        case .line(let line, let consumed):
            buffer.consume(consumed)
            scanned = 0
            return line
        case .incomplete:
            scanned = buffer.count
            return nil
        case .tooLarge:
            buffer = FramingBuffer()
            scanned = 0
            isFinished = true
            throw .elementTooLarge(limit: maxLength)
        }
    }
}
