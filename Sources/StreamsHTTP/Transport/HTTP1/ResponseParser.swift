/// A parser of the response to one request, from bytes that come in any number of parts (RFC 9112).
///
/// The caller keeps the bytes that have not been consumed, and passes them again at the start of the next part. Content
/// is consumed only as far as the caller takes it, so that it can wait for demand.
struct ResponseParser {
    /// The next part of a response.
    enum Part {
        case head(HTTPResponse<Void>)
        /// The number of bytes at the start of the input that are content. The caller takes some of them or all, and
        /// calls ``ResponseParser/consume(content:)``.
        case content(Int)
    }

    private enum State {
        case head
        /// Content of a declared length, of which this is left.
        case content(Int64)
        case untilClose
        case chunkSize
        /// A chunk, of which this is left.
        case chunk(Int64)
        /// The line break after a chunk.
        case chunkEnd
        case trailers
        case complete

        init(_ framing: BodyFraming) {
            self =
                switch framing {
                case .none, .length(0): .complete
                case .length(let length): .content(length)
                case .chunked: .chunkSize
                case .untilClose: .untilClose
                }
        }
    }

    private let request: TransportRequest
    private var parser: HeadParser
    private var state = State.head
    /// The number of bytes at the start of the next input that are known to have no line break.
    private var searchedCount = 0
    /// Whether the head says that the connection persists after the response (RFC 9112, section 9.3).
    private var isPersistent = false
    private var framing = BodyFraming.untilClose
    /// The size of the heads.
    private(set) var headSize = 0

    init(_ request: TransportRequest) {
        self.request = request
        parser = HeadParser(request.headLimits, mayUpgrade: request.isUpgrade)
    }

    var isComplete: Bool {
        if case .complete = state { true } else { false }
    }

    /// Whether the response is complete, and the server keeps the connection open after it.
    var keepsConnection: Bool {
        isPersistent && isComplete && framing != .untilClose && !parser.hasInformationalContent
    }

    /// Whether the server has asked for the request's content with 100 (Continue).
    var hasContinue: Bool { parser.hasContinue }

    /// The fields after the content, or `nil` if there are none.
    var trailers: HTTPHeaders? { parser.trailers }

    /// The number of bytes that are content if they come next. They can be received straight into the memory that is
    /// passed on; then ``consume(content:)`` must be called.
    var contentAhead: Int64 {
        switch state {
        case .content(let count), .chunk(let count): count
        case .untilClose: .max
        default: 0
        }
    }

    /// Parses the next part.
    ///
    /// - Parameter input: The bytes that have not been consumed. Those of heads and lines are removed.
    /// - Returns: The part, or `nil` if more bytes are needed or the response is complete.
    mutating func next(_ input: inout UnsafeRawBufferPointer) throws(HTTPError.Reason) -> Part? {
        while true {
            switch state {
            case .complete:
                return nil
            case .content, .chunk, .untilClose:
                let count = Int(clamping: min(contentAhead, Int64(input.count)))
                return count > 0 ? .content(count) : nil
            case .head, .chunkSize, .chunkEnd, .trailers:
                guard let line = try takeLine(of: &input) else { return nil }
                if let head = try consume(line) { return .head(head) }
            }
        }
    }

    /// Consumes content at the start of the input.
    mutating func consume(content count: Int) {
        switch state {
        case .content(let left): state = left > Int64(count) ? .content(left - Int64(count)) : .complete
        case .chunk(let left): state = left > Int64(count) ? .chunk(left - Int64(count)) : .chunkEnd
        default: break
        }
    }

    /// Ends the response, because the server has closed the connection.
    mutating func end() throws(HTTPError.Reason) {
        switch state {
        case .untilClose, .complete: state = .complete
        case .head: throw .transfer(headSize + searchedCount == 0 ? .emptyReply : .receiveFailed)
        case .content, .chunk, .chunkSize, .chunkEnd, .trailers: throw .transfer(.bodyEndedEarly)
        }
    }

    /// Takes the first line of the input with its line break, or returns `nil` if it is incomplete.
    private mutating func takeLine(
        of input: inout UnsafeRawBufferPointer
    ) throws(HTTPError.Reason) -> UnsafeRawBufferPointer? {
        guard let end = input.lineEnd(from: searchedCount) else {
            searchedCount = input.count
            if case .head = state, !parser.hasBegun, !input.mayBeginHead { throw .transfer(.notHTTP) }
            guard searchedCount < request.headLimits.maxLineSize else { throw .transfer(.headTooLarge) }
            return nil
        }
        searchedCount = 0
        defer { input = UnsafeRawBufferPointer(rebasing: input[(end + 1)...]) }
        return UnsafeRawBufferPointer(rebasing: input[...end])
    }

    /// Consumes a line.
    ///
    /// - Returns: The head, if the line ends it.
    private mutating func consume(_ line: UnsafeRawBufferPointer) throws(HTTPError.Reason) -> HTTPResponse<Void>? {
        switch state {
        case .head:
            headSize += line.count
            guard let head = try parser.consume(line, url: request.lazyURL) else { return nil }
            isPersistent = head.keepsConnection(inAnswerTo: request.method)
            framing =
                head.status == .switchingProtocols ? .untilClose : try BodyFraming(of: head, inAnswerTo: request.method)
            state = State(framing)
            return head
        case .chunkSize:
            guard line.count <= request.headLimits.maxLineSize else { throw .transfer(.headTooLarge) }
            let size = try line.chunkSize()
            state = size == 0 ? .trailers : .chunk(size)
        case .chunkEnd:
            guard line.count == 1 || line.count == 2 && line[0] == UInt8(ascii: "\r") else {
                throw .transfer(.protocolError(.chunk))
            }
            state = .chunkSize
        case .trailers:
            if try parser.consumeTrailer(line) { state = .complete }
        case .content, .untilClose, .chunk, .complete:
            break
        }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    /// The place of the first line feed at or after a place.
    fileprivate func lineEnd(from start: Int) -> Int? {
        let rest = self[start...]
        guard !rest.isEmpty, let base = baseAddress,
            let found = memchr(base + start, CInt(UInt8(ascii: "\n")), rest.count)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}

extension UnsafeRawBufferPointer {
    /// The size of a chunk, of which this is the line (RFC 9112, section 7.1).
    ///
    /// Extensions are ignored. Spaces may follow the size, since some servers write sizes of a fixed width. A sign, a
    /// prefix or a carriage return inside of the line is refused: other readers would take it for another size.
    fileprivate func chunkSize() throws(HTTPError.Reason) -> Int64 {
        var size: Int64 = 0
        // There may be any number of leading zeros.
        let start = firstIndex { $0 != UInt8(ascii: "0") } ?? count
        var end = start
        while end < count, let digit = self[end].hexadecimalValue {
            // Sixteen digits could be a negative number.
            guard end - start < 15 else { throw .transfer(.protocolError(.chunk)) }
            size = size << 4 | Int64(digit)
            end += 1
        }
        var rest = self[end...]
        if rest.last == UInt8(ascii: "\n") { rest.removeLast() }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        guard end > 0, !rest.contains(UInt8(ascii: "\r")), rest.isExtension else {
            throw .transfer(.protocolError(.chunk))
        }
        return size
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Whether only blanks or an extension follow a size.
    fileprivate var isExtension: Bool {
        guard let first = first(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) else { return true }
        return first == UInt8(ascii: ";")
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// The way in which the end of a response's content is found (RFC 9112, section 6.3).
enum BodyFraming: Equatable {
    /// There is no content, whatever the fields say.
    case none
    case length(Int64)
    case chunked
    /// The content ends with the connection.
    case untilClose

    init(of head: HTTPResponse<Void>, inAnswerTo method: HTTPMethod) throws(HTTPError.Reason) {
        guard head.hasContent(inAnswerTo: method) else {
            self = .none
            return
        }
        switch (try Self.isChunked(head.headers), head.headers.contentLength) {
        case (true, _): self = .chunked
        case (false, .bytes(let length)): self = .length(length)
        case (false, .undeclared): self = .untilClose
        case (false, .invalid): throw .transfer(.protocolError(.length))
        }
    }

    /// Returns whether the content has the transfer coding chunked. No other is ever requested (RFC 9112, section 7.4);
    /// `identity` and an empty field are remnants of RFC 2616 and change nothing.
    private static func isChunked(_ headers: HTTPHeaders) throws(HTTPError.Reason) -> Bool {
        let names = headers.listElements(of: "Transfer-Encoding")
        guard let last = names.last else { return false }
        let codings = names.filter { !$0.isEqualIgnoringASCIICase(to: "identity") }
        guard let first = codings.first else { return false }
        guard codings.count == 1, first.isEqualIgnoringASCIICase(to: "chunked") else {
            throw .transfer(.undecodableContent)
        }
        // A reader that looks at the last coding alone would read until the connection closes.
        guard last.isEqualIgnoringASCIICase(to: "chunked") else {
            throw .transfer(.protocolError(.transferCoding))
        }
        return true
    }
}

extension HTTPResponse<Void> {
    /// Returns whether the server keeps the connection open after the response to a method (RFC 9112, section 9.3).
    ///
    /// A framing that contradicts itself may be an attempt at smuggling, and what follows the response may be a body that
    /// it should not have. It is not trusted (RFC 9112, sections 6.1 and 6.3).
    func keepsConnection(inAnswerTo method: HTTPMethod) -> Bool {
        guard !hasContradictoryFraming(inAnswerTo: method), !headers.hasListElement("close", of: "Connection") else {
            return false
        }
        return version != .http10 || headers.hasListElement("keep-alive", of: "Connection")
    }

    /// Returns whether the framing of the response to a method contradicts itself.
    ///
    /// A response to HEAD and a 304 may have a transfer coding (RFC 9112, section 6.1). Some servers then send the last
    /// chunk, which could become the beginning of the next response.
    private func hasContradictoryFraming(inAnswerTo method: HTTPMethod) -> Bool {
        guard headers.contains("Transfer-Encoding") else { return status == .noContent && headers.declareContent }
        return !hasContent(inAnswerTo: method) || version == .http10 || headers.contains("Content-Length")
            || headers.hasCodingBesideChunked
    }
}

extension HTTPHeaders {
    /// Whether the fields declare content. A length of zero, which careless servers send with a 204, does not.
    var declareContent: Bool {
        switch contentLength {
        case .undeclared, .bytes(0): contains("Transfer-Encoding")
        case .bytes, .invalid: true
        }
    }

    /// Whether there is another transfer coding than chunked, or an empty list of them.
    var hasCodingBesideChunked: Bool {
        fields.contains {
            $0.name.isEqualIgnoringASCIICase(to: "Transfer-Encoding")
                && !$0.value.isEqualIgnoringASCIICase(to: "chunked")
        }
    }
}
