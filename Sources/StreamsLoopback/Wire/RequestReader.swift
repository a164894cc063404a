/// A parser of the requests on a connection.
struct RequestReader {
    private let line: Line
    private let headLimit: Int
    private var storage = [UInt8](repeating: 0, count: 16 * 1024)
    private var unread = 0..<0

    init(line: Line, headLimit: Int) {
        self.line = line
        self.headLimit = headLimit
    }

    /// Reads bytes at the beginning of the connection, if it begins with them.
    ///
    /// - Returns: Whether it does. Otherwise, nothing is consumed.
    mutating func skip(_ prefix: [UInt8]) throws(Line.Break) -> Bool {
        while unread.count < prefix.count {
            guard prefix.starts(with: storage[unread]), try fillMore() else { return false }
        }
        guard storage[unread].starts(with: prefix) else { return false }
        unread = (unread.lowerBound + prefix.count)..<unread.upperBound
        return true
    }

    /// Reads the next request's head.
    ///
    /// - Returns: The head; `nil` if the client has closed the connection between requests.
    mutating func nextHead() throws(Line.Break) -> RequestHead? {
        if unread.isEmpty, try !fill() { return nil }
        var budget = headLimit
        var first = try nextLine(&budget)
        // Old clients may send an empty line after a body (RFC 9112 section 2.2).
        if first.isEmpty { first = try nextLine(&budget) }
        return try RequestHead(requestLine: first, fieldLines: nextLines(&budget))
    }

    /// The state of a body that is being read.
    struct Body {
        fileprivate enum Position {
            /// In the content, with the number of bytes that are left of it or of its chunk.
            case content(left: Int)
            /// Before a chunk's size, or before the line break of the previous chunk.
            case betweenChunks(isFirst: Bool)
            case end
        }

        fileprivate let isChunked: Bool
        fileprivate var position: Position
        /// Whether all of it was read.
        var isComplete: Bool {
            if case .end = position { true } else { false }
        }
        /// The fields after the last chunk.
        fileprivate(set) var trailers = HeaderFields()

        init(_ framing: RequestHead.Framing) {
            switch framing {
            case .chunked:
                isChunked = true
                position = .betweenChunks(isFirst: true)
            case .length(let length):
                isChunked = false
                position = length == 0 ? .end : .content(left: length)
            }
        }
    }

    /// Reads the next bytes of a body.
    ///
    /// - Returns: At least one byte and at most `count`; `nil` at the end of the body.
    mutating func next(of body: inout Body, atMost count: Int) throws(Line.Break) -> ArraySlice<UInt8>? {
        if case .betweenChunks(let isFirst) = body.position {
            if !isFirst { try endChunk() }
            try beginChunk(of: &body)
        }
        guard case .content(let left) = body.position else { return nil }
        if unread.isEmpty, try !fill() { throw .disconnected }
        let part = unread.prefix(min(left, count))
        unread = part.upperBound..<unread.upperBound
        if part.count < left {
            body.position = .content(left: left - part.count)
        } else {
            body.position = body.isChunked ? .betweenChunks(isFirst: false) : .end
        }
        return storage[part]
    }

    /// Reads bytes without a framing.
    ///
    /// - Returns: At least one byte and at most `count`; `nil` if there are none before a time or a signal.
    mutating func nextBytes(
        atMost count: Int, until deadline: ContinuousClock.Instant?, or signals: [Signal]
    ) throws(Line.Break) -> ArraySlice<UInt8>? {
        if unread.isEmpty {
            guard try line.waitForBytes(until: deadline, or: signals) else { return nil }
            guard try fill() else { throw .disconnected }
        }
        let part = unread.prefix(count)
        unread = part.upperBound..<unread.upperBound
        return storage[part]
    }

    /// Reads the line break after a chunk's content.
    private mutating func endChunk() throws(Line.Break) {
        for expected in "\r\n".utf8 {
            if unread.isEmpty, try !fill() { throw .disconnected }
            guard storage[unread.removeFirst()] == expected else {
                throw .malformed(status: 400, reason: "a chunk is longer than its size")
            }
        }
    }

    /// Reads a chunk's size, and the trailers after the last chunk (RFC 9112 section 7.1).
    private mutating func beginChunk(of body: inout Body) throws(Line.Break) {
        var budget = headLimit
        let line = try nextLine(&budget)
        let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        let text = trimmed(digits[...])
        guard !text.hasPrefix("+"), !text.hasPrefix("-"), let size = Int(text, radix: 16) else {
            throw .malformed(status: 400, reason: "not the size of a chunk: \(digits)")
        }
        if size > 0 {
            body.position = .content(left: size)
        } else {
            body.trailers = try RequestHead.fields(nextLines(&budget))
            body.position = .end
        }
    }

    /// Reads the lines up to an empty one.
    private mutating func nextLines(_ budget: inout Int) throws(Line.Break) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        while true {
            let line = try nextLine(&budget)
            guard !line.isEmpty else { return lines }
            lines.append(line)
        }
    }

    /// Reads the bytes up to a CRLF, at most `budget` bytes with it, and subtracts them from the budget.
    private mutating func nextLine(_ budget: inout Int) throws(Line.Break) -> [UInt8] {
        var line: [UInt8] = []
        while true {
            if unread.isEmpty, try !fill() { throw .disconnected }
            let end = storage[unread].firstIndex(of: UInt8(ascii: "\n"))
            let part = unread.lowerBound..<(end.map { $0 + 1 } ?? unread.upperBound)
            guard part.count <= budget else {
                throw .malformed(status: 431, reason: "a head of more than \(headLimit) bytes")
            }
            budget -= part.count
            line.append(contentsOf: storage[part])
            unread = part.upperBound..<unread.upperBound
            guard end != nil else { continue }
            guard line.dropLast().last == UInt8(ascii: "\r") else {
                throw .malformed(status: 400, reason: "a line that does not end in CRLF")
            }
            return Array(line.dropLast(2))
        }
    }

    /// Reads more bytes after all were consumed.
    ///
    /// - Returns: Whether there are more; `false` at the end of the client's stream.
    private mutating func fill() throws(Line.Break) -> Bool {
        unread = 0..<0
        return try fillMore()
    }

    /// Reads more bytes after the unread ones, for which the storage has room.
    ///
    /// - Returns: Whether there are more; `false` at the end of the client's stream.
    private mutating func fillMore() throws(Line.Break) -> Bool {
        let line = line
        let end = unread.upperBound
        var result: Result<Int, Line.Break> = .success(0)
        storage.withUnsafeMutableBytes { room in
            let room = UnsafeMutableRawBufferPointer(rebasing: room[end...])
            result = Result { () throws(Line.Break) in try line.read(into: room) }
        }
        let count = try result.get()
        unread = unread.lowerBound..<(end + count)
        return count > 0
    }
}
