/// A reader of the frames that a server sends after it has opened a WebSocket, from bytes that come in any number of parts.
///
/// A message is kept until it is whole, and never exceeds the limit: a frame that would is refused by its header, and a
/// compressed message as soon as it has expanded so far.
package struct FrameReader {
    /// A message or a control frame that has been read.
    package enum Item: Equatable {
        case message(WebSocket.Message)
        case ping(Data)
        case pong(Data)
        /// The close frame, with ``WebSocketCloseCode/noCode`` if it has no code.
        case close(WebSocketCloseCode, reason: String)
    }

    /// The message whose frames are being read.
    private struct PartialMessage {
        let isText: Bool
        let isCompressed: Bool
        var content = Data()
        var validator = UTF8Validator()
    }

    private enum State {
        case header
        /// The payload of a frame, of which this is left.
        case payload(FrameHeader, left: Int)
        case closed
    }

    /// The size up to which memory is allocated for a frame before its payload has come.
    private static let maxReservedSize = 1 << 20

    private let maxMessageSize: Int
    private let inflater: MessageInflater?
    private var state = State.header
    /// The bytes of a header that is not whole yet.
    private var header: [UInt8] = []
    private var message: PartialMessage?
    /// The payload of a control frame.
    private var control = Data()

    /// Creates a reader of messages of any size that are not compressed.
    package init() {
        self.init(maxMessageSize: .max)
    }

    /// - Parameters:
    ///   - maxMessageSize: The largest message, in bytes, after decompression.
    ///   - inflater: The decompression; `nil` if none has been agreed on.
    init(maxMessageSize: Int, inflater: MessageInflater? = nil) {
        self.maxMessageSize = maxMessageSize
        self.inflater = inflater
    }

    /// Reads up to the end of the next item.
    ///
    /// - Parameter input: The bytes that follow, from whose start those that were read are removed.
    /// - Returns: The item, or `nil` if it is not whole yet. Then no input is left.
    package mutating func next(_ input: inout UnsafeRawBufferPointer) throws(WebSocketViolation) -> Item? {
        while true {
            switch state {
            case .header:
                guard let header = try readHeader(&input) else { return nil }
                try begin(header)
                if header.length > 0 {
                    state = .payload(header, left: header.length)
                } else if let item = try end(header) {
                    return item
                }
            case .payload(let header, let left):
                guard !input.isEmpty else { return nil }
                let part = UnsafeRawBufferPointer(rebasing: input.prefix(left))
                input = UnsafeRawBufferPointer(rebasing: input[part.count...])
                if left == header.length, part.count == left, let text = try wholeText(header, part) {
                    state = .header
                    return .message(.text(text))
                }
                if left == header.length, part.count < left { reserve(header) }
                try append(part, of: header)
                state = .payload(header, left: left - part.count)
                if part.count == left, let item = try end(header) { return item }
            case .closed:
                // Whatever follows a close frame is ignored (RFC 6455, section 5.5.1).
                input = UnsafeRawBufferPointer(rebasing: input[input.count...])
                return nil
            }
        }
    }
}

// MARK: Headers

extension FrameReader {
    private mutating func readHeader(
        _ input: inout UnsafeRawBufferPointer
    ) throws(WebSocketViolation) -> FrameHeader? {
        while true {
            let size = header.count < 2 ? 2 : FrameHeader.size(header[0], header[1])
            let part = input.prefix(size - header.count)
            header.append(contentsOf: part)
            input = UnsafeRawBufferPointer(rebasing: input[part.count...])
            guard header.count == size else { return nil }
            guard size == 2, FrameHeader.size(header[0], header[1]) > 2 else { break }
        }
        defer { header.removeAll(keepingCapacity: true) }
        return try FrameHeader(header, mayBeCompressed: inflater != nil)
    }

    /// Begins to read a frame.
    private mutating func begin(_ header: FrameHeader) throws(WebSocketViolation) {
        switch header.kind {
        case .text, .binary:
            guard message == nil else { throw .frame("a message inside of a message") }
            message = PartialMessage(isText: header.kind == .text, isCompressed: header.isCompressed)
        case .continuation:
            guard message != nil else { throw .frame("a continuation without a beginning") }
            guard !header.isCompressed else { throw .frame("reserved bits") }
        case .close, .ping, .pong:
            return control = Data()
        }
        // Of a compressed message, its content is bounded as it expands.
        guard message?.isCompressed == false else { return }
        let (size, isTooLarge) = (message?.content.count ?? 0).addingReportingOverflow(header.length)
        guard !isTooLarge, size <= maxMessageSize else { throw .tooLarge(limit: maxMessageSize) }
    }
}

// MARK: Payloads

extension FrameReader {
    /// Returns the text of a message that is one frame, which has been received at once: it needs no copy.
    private mutating func wholeText(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(WebSocketViolation) -> String? {
        guard header.kind == .text, header.isFinal, !header.isCompressed else { return nil }
        guard let text = String(validating: payload, as: UTF8.self) else { throw .text }
        message = nil
        return text
    }

    /// Allocates the memory for the first payload of a message that comes in parts.
    private mutating func reserve(_ header: FrameHeader) {
        guard !header.kind.isControl, message?.isCompressed == false, message?.content.isEmpty == true else { return }
        message?.content.reserveCapacity(min(header.length, Self.maxReservedSize))
    }

    private mutating func append(
        _ part: UnsafeRawBufferPointer, of header: FrameHeader
    ) throws(WebSocketViolation) {
        guard !header.kind.isControl else { return control.append(contentsOf: part) }
        guard message?.isCompressed == true, let inflater else {
            return try append(content: part)
        }
        try inflater.inflate(part) { part throws(WebSocketViolation) in try append(expanded: part) }
    }

    /// Appends content as far as the limit allows. A wrong text is refused only before the limit, so that the failure
    /// does not depend on the parts in which the content comes.
    private mutating func append(expanded part: UnsafeRawBufferPointer) throws(WebSocketViolation) {
        let room = maxMessageSize - (message?.content.count ?? 0)
        try append(content: UnsafeRawBufferPointer(rebasing: part.prefix(room)))
        guard part.count <= room else { throw .tooLarge(limit: maxMessageSize) }
    }

    private mutating func append(content part: UnsafeRawBufferPointer) throws(WebSocketViolation) {
        message?.content.append(contentsOf: part)
        guard message?.isText == true else { return }
        if message?.validator.accept(part) == false { throw .text }
    }

    /// Ends a frame.
    ///
    /// - Returns: What it completes.
    private mutating func end(_ header: FrameHeader) throws(WebSocketViolation) -> Item? {
        state = .header
        switch header.kind {
        case .ping: return .ping(control)
        case .pong: return .pong(control)
        case .close:
            state = .closed
            return try closing()
        case .text, .binary, .continuation:
            guard header.isFinal else { return nil }
            return try .message(endMessage())
        }
    }

    private mutating func endMessage() throws(WebSocketViolation) -> WebSocket.Message {
        if message?.isCompressed == true, let inflater {
            try inflater.endMessage { part throws(WebSocketViolation) in try append(expanded: part) }
        }
        guard let message = message.take() else { return .binary(Data()) }
        guard message.isText else { return .binary(message.content) }
        guard message.validator.isComplete else { throw .text }
        return .text(String(decoding: message.content, as: UTF8.self))
    }

    private func closing() throws(WebSocketViolation) -> Item {
        guard !control.isEmpty else { return .close(.noCode, reason: "") }
        guard control.count >= 2 else { throw .frame("a close frame of one byte") }
        let code = WebSocketCloseCode(rawValue: control.prefix(2).reduce(0) { $0 << 8 | UInt16($1) })
        guard code.isSendable else { throw .frame("the close code \(code)") }
        guard let reason = String(validating: control.dropFirst(2), as: UTF8.self) else { throw .text }
        return .close(code, reason: reason)
    }
}
