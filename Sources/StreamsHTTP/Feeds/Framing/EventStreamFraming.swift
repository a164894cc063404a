/// A framing of server-sent events, as the WHATWG's HTML standard defines it, section 9.2.6.
///
/// A line ends with LF, CR or CRLF. A CR ends its line at once, and a LF that follows is ignored. A blank line delivers
/// the event and commits its ID, so that an event that is unfinished at the end of the stream leaves no trace.
struct EventStreamFraming: Framing {
    private enum Step {
        case item(EventStreamItem)
        case incomplete
        case tooLarge
    }

    private let maxElementSize: Int
    private var buffer = FramingBuffer()
    private var parser: Parser
    private var isFinished = false

    /// - Parameters:
    ///   - lastEventID: The last event ID of the connection before.
    ///   - maxElementSize: The maximum number of bytes of an event's data, and of any line.
    init(lastEventID: String = "", maxElementSize: Int) {
        self.maxElementSize = maxElementSize
        parser = Parser(event: PendingEvent(lastEventID: lastEventID))
    }

    /// The last event ID that a blank line has committed.
    var lastEventID: String { parser.event.lastEventID }
    /// Whether the event that was returned last has an `id` line of its own.
    var lastEventHasID: Bool { parser.event.deliveredHasID }

    mutating func append(_ bytes: Data) {
        if !isFinished { buffer.append(bytes) }
    }

    mutating func next() throws(FramingError) -> EventStreamItem? {
        let (step, consumed) = buffer.withBytes { parser.parse($0, limit: maxElementSize) }
        buffer.consume(consumed)
        switch step {
        case .item(let item):
            return item
        case .incomplete:
            if isFinished { discard() }
            return nil
        case .tooLarge:
            discard()
            isFinished = true
            throw .elementTooLarge(limit: maxElementSize)
        }
    }

    mutating func finish() {
        isFinished = true
    }

    /// Discards the unfinished event.
    private mutating func discard() {
        buffer = FramingBuffer()
        parser = Parser(event: PendingEvent(lastEventID: lastEventID))
    }
}

extension EventStreamFraming {
    private struct Parser {
        private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

        var event: PendingEvent
        private var isAtStart = true
        /// Whether the last line ended with CR, so that a LF belongs to its end.
        private var ignoresLineFeed = false
        /// The number of bytes at the front of the buffer without LF, and without CR.
        private var lineFeedSearch = 0
        private var carriageReturnSearch = 0

        init(event: PendingEvent) {
            self.event = event
        }

        /// Parses lines at the front of the buffer up to the next item.
        mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> (step: Step, consumed: Int) {
            var position = 0
            if isAtStart {
                guard let count = Self.countByteOrderMark(bytes) else { return (.incomplete, 0) }
                position = count
                isAtStart = false
            }
            while true {
                if ignoresLineFeed, position < bytes.count {
                    if bytes[position] == .lineFeed { position += 1 }
                    ignoresLineFeed = false
                }
                guard let end = lineEnd(in: bytes, from: position) else {
                    advanceSearch(by: position)
                    return (bytes.count - position > limit ? .tooLarge : .incomplete, position)
                }
                let line = bytes.part(position, end)
                ignoresLineFeed = bytes[end] == .carriageReturn
                position = end + 1
                let step = line.count > limit ? .tooLarge : event.consume(line, limit: limit)
                if let step {
                    advanceSearch(by: position)
                    return (step, position)
                }
            }
        }

        /// Returns the number of bytes of the byte order mark; `nil` if more bytes are needed to know.
        private static func countByteOrderMark(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
            let common = zip(bytes, byteOrderMark).prefix { $0 == $1 }.count
            if common == byteOrderMark.count { return common }
            return common == bytes.count ? nil : 0
        }

        /// Returns the index of the next LF or CR. No byte is searched twice for either.
        @inline(__always)
        private mutating func lineEnd(in bytes: UnsafeBufferPointer<UInt8>, from position: Int) -> Int? {
            lineFeedSearch =
                bytes.firstIndex(
                    of: .lineFeed, from: max(lineFeedSearch, position), to: bytes.count) ?? bytes.count
            carriageReturnSearch =
                bytes.firstIndex(
                    of: .carriageReturn, from: max(carriageReturnSearch, position), to: lineFeedSearch)
                ?? lineFeedSearch
            return carriageReturnSearch < bytes.count ? carriageReturnSearch : nil
        }

        private mutating func advanceSearch(by count: Int) {
            lineFeedSearch = max(lineFeedSearch - count, 0)
            carriageReturnSearch = max(carriageReturnSearch - count, 0)
        }
    }

    /// The fields of the event that has not been delivered yet.
    private struct PendingEvent {
        /// The ID that the last blank line has committed.
        private(set) var lastEventID: String
        private var id: String
        /// Whether the event has an ID of its own.
        private var hasID = false
        /// Whether the event before it had one.
        private(set) var deliveredHasID = false
        private var type = ""
        /// The data; `nil` if there was no `data` line.
        private var data: String?
        /// The number of bytes of the data on the wire.
        private var size = 0

        init(lastEventID: String) {
            self.lastEventID = lastEventID
            id = lastEventID
        }

        /// Processes a line.
        ///
        /// - Returns: The item that the line makes; `nil` if it only changes the event.
        @inline(__always)
        mutating func consume(_ line: UnsafeBufferPointer<UInt8>, limit: Int) -> Step? {
            guard !line.isEmpty else { return dispatch().map { .item($0) } }
            let colon = line.firstIndex(of: UInt8(ascii: ":"), from: 0, to: line.count)
            let name = line.part(0, colon ?? line.count)
            var value = line.part(min(name.count + 1, line.count), line.count)
            if value.first == UInt8(ascii: " ") { value = value.part(1, value.count) }
            if colon == 0 { return .item(.comment(value.text)) }
            if name.equals("data") {
                return append(value, limit: limit) ? nil : .tooLarge
            } else if name.equals("event") {
                type = value.text
            } else if name.equals("id") {
                if value.firstIndex(of: 0, from: 0, to: value.count) == nil {
                    id = value.text
                    hasID = true
                }
            } else if name.equals("retry") {
                return Self.retry(value).map { .item(.retry($0)) }
            }
            return nil
        }

        /// Appends a line to the data.
        ///
        /// - Returns: Whether the data is within the limit.
        private mutating func append(_ line: UnsafeBufferPointer<UInt8>, limit: Int) -> Bool {
            guard var text = data.take() else {
                data = line.text
                size = line.count
                return true
            }
            size += line.count + 1
            guard size <= limit else { return false }
            text.append("\n")
            text.append(line.text)
            data = text
            return true
        }

        /// Ends the event.
        private mutating func dispatch() -> EventStreamItem? {
            let hasNewID = id != lastEventID
            if hasNewID { lastEventID = id }
            let eventType = type.isEmpty ? "message" : type
            type = ""
            deliveredHasID = hasID
            hasID = false
            guard let data = data.take() else { return hasNewID ? .id(id) : nil }
            return .event(ServerSentEvent(type: eventType, data: data, id: id))
        }

        /// Returns a reconnection time; `nil` unless the value consists of digits. Larger times are reduced to 24 days,
        /// the range of a browser's timers.
        private static func retry(_ value: UnsafeBufferPointer<UInt8>) -> Duration? {
            guard !value.isEmpty else { return nil }
            var milliseconds: Int32 = 0
            for byte in value {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                let (shifted, overflows) = milliseconds.multipliedReportingOverflow(by: 10)
                let (sum, exceeds) = shifted.addingReportingOverflow(Int32(byte - UInt8(ascii: "0")))
                milliseconds = overflows || exceeds ? .max : sum
            }
            return .milliseconds(milliseconds)
        }
    }
}
