/// A framing of lines, as `Data` or as text.
///
/// A line ends with LF; a CR before it is dropped. Other line separators, such as U+2028, are ordinary characters.
struct LineFraming<Element: FramedLine>: Framing {
    private enum Step {
        case line(Element, consumed: Int)
        case incomplete
        case tooLarge
    }

    private let maxElementSize: Int
    private var buffer = FramingBuffer()
    /// The number of bytes at the front without a line feed.
    private var scanned = 0
    private var isFinished = false

    /// - Parameter maxElementSize: The maximum number of bytes of a line, without its line break.
    init(maxElementSize: Int) {
        self.maxElementSize = maxElementSize
    }

    mutating func append(_ bytes: Data) {
        if !isFinished { buffer.append(bytes) }
    }

    mutating func finish() {
        isFinished = true
    }

    @inline(__always)
    mutating func next() throws(FramingError) -> Element? {
        let step: Step = buffer.withBytes { bytes in
            let lineFeed = bytes.firstIndex(of: .lineFeed, from: scanned, to: bytes.count)
            var line = bytes.part(0, lineFeed ?? bytes.count)
            if line.last == .carriageReturn { line = line.part(0, line.count - 1) }
            if line.count > maxElementSize { return .tooLarge }
            if let lineFeed { return .line(Element(line: line), consumed: lineFeed + 1) }
            return isFinished && !bytes.isEmpty ? .line(Element(line: line), consumed: bytes.count) : .incomplete
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
            throw .elementTooLarge(limit: maxElementSize)
        }
    }
}

/// A line that a framing makes from its bytes without the line break.
protocol FramedLine: Sendable {
    init(line: UnsafeBufferPointer<UInt8>)
}

extension Data: FramedLine {
    init(line: UnsafeBufferPointer<UInt8>) { self.init(buffer: line) }
}

extension String: FramedLine {
    /// Creates a line of text. Invalid UTF-8 is replaced by U+FFFD.
    init(line: UnsafeBufferPointer<UInt8>) { self = line.text }
}
