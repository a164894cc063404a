/// A parser of a response's heads and trailers, one line at a time (RFC 9112, sections 4 and 5).
///
/// The limits apply to all lines together, as a defence against heads and trailers without end.
struct HeadParser {
    /// The maximum number of informational heads.
    private static let maxInformationalHeads = 100
    /// The initial capacity for fields, sufficient for most heads.
    private static let usualCount = 8

    private let limits: RequestOptions.HeadLimits
    /// Whether a 101 is the final head.
    private let mayUpgrade: Bool
    private var size = 0
    private var fieldCount = 0
    private var informationalHeadCount = 0
    /// Whether the server has asked for the request's content with 100 (Continue).
    private(set) var hasContinue = false
    /// Whether an informational head declares content, which none has (RFC 9110, section 8.6; RFC 9112, section 6.1).
    private(set) var hasInformationalContent = false
    /// Whether a part of a head has been parsed.
    private(set) var hasBegun = false
    private var version = HTTPVersion.http11
    private var status: HTTPStatus?
    private var reasonPhrase: FieldText = ""
    /// The fields of the head under way, then the trailers.
    private var fields: [HTTPHeaders.Field] = []

    init(_ limits: RequestOptions.HeadLimits, mayUpgrade: Bool = false) {
        self.limits = limits
        self.mayUpgrade = mayUpgrade
    }

    /// Whether the last head has a valid status line.
    var hasStatus: Bool { status != nil }

    /// The fields after the complete head, or `nil` if there are none.
    var trailers: HTTPHeaders? { hasBegun || fields.isEmpty ? nil : HTTPHeaders(fields) }

    /// Parses a line of a head with its line break.
    ///
    /// - Returns: The final head, if the line ends it. Informational heads are skipped.
    mutating func consume(_ bytes: UnsafeRawBufferPointer, url: LazyURL) throws(HTTPError.Reason) -> HTTPResponse<Void>?
    {
        try count(bytes)
        let line = bytes.trimmingLineBreak
        if line.isEmpty {
            // Empty lines before a head are ignored, as RFC 9112, section 2.2, requires of servers.
            return hasBegun ? try finish(url: url) : nil
        }
        if hasBegun { try append(line) } else { try begin(line) }
        return nil
    }

    /// Parses a line after the complete head with its line break.
    ///
    /// - Returns: Whether the line ends the trailers.
    @discardableResult
    mutating func consumeTrailer(_ bytes: UnsafeRawBufferPointer) throws(HTTPError.Reason) -> Bool {
        try count(bytes)
        let line = bytes.trimmingLineBreak
        guard !line.isEmpty else { return true }
        try append(line)
        return false
    }

    private mutating func count(_ line: UnsafeRawBufferPointer) throws(HTTPError.Reason) {
        size += line.count
        guard line.count <= limits.maxLineSize, size <= limits.maxSize else { throw .transfer(.headTooLarge) }
    }

    private mutating func append(_ line: UnsafeRawBufferPointer) throws(HTTPError.Reason) {
        if line[0].isBlank { return try fold(line) }
        // Readers that take such a line for different fields, or for none, could be made to disagree on the length.
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, line[..<colon].allSatisfy(\.isTokenByte)
        else {
            throw .transfer(.protocolError(.field))
        }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon]).text.string
        let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmingBlanks.text
        fields.append(HTTPHeaders.Field(name: name, text: value))
        fieldCount += 1
        guard fieldCount <= limits.maxFieldCount else { throw .transfer(.headTooLarge) }
    }

    private mutating func begin(_ line: UnsafeRawBufferPointer) throws(HTTPError.Reason) {
        hasBegun = true
        // An informational head may have set it.
        status = nil
        guard line.isStatusLine else { throw .transfer(.notHTTP) }
        let blank = UInt8(ascii: " ")
        let rest = line.dropFirst("HTTP/".utf8.count)
        let number = rest.prefix { $0 != blank }
        let words = rest[number.endIndex...].drop { $0 == blank }
        let code = words.prefix { $0 != blank }
        reasonPhrase = UnsafeRawBufferPointer(rebasing: words[code.endIndex...]).trimmingBlanks.text
        version = try version(number)
        status = try HTTPStatus(digits: code)
        fields.reserveCapacity(Self.usualCount)
    }

    /// Returns the version of a status line (RFC 9112, section 2.3).
    ///
    /// Another version than the connection's could be taken for one whose messages end otherwise: HTTP/2 tells a cut body
    /// from a complete one.
    private func version(_ number: Slice<UnsafeRawBufferPointer>) throws(HTTPError.Reason) -> HTTPVersion {
        guard number.count == 3, number.starts(with: "1.".utf8), let minor = number.last, minor.isDigit else {
            throw .transfer(.protocolError(.version))
        }
        // A higher minor version is treated as the highest that is known (RFC 9110, section 2.5).
        return minor == UInt8(ascii: "0") ? .http10 : .http11
    }

    /// Appends a line that begins with a blank to the field before it (RFC 9112, section 5.2).
    private mutating func fold(_ line: UnsafeRawBufferPointer) throws(HTTPError.Reason) {
        // Before the first field, it could hide one (RFC 9112, section 2.2).
        guard let last = fields.indices.last else { throw .transfer(.protocolError(.field)) }
        let addition = line.trimmingBlanks.text
        guard !addition.isEmpty else { return }
        if fields[last].text.isEmpty { fields[last].text = addition } else { fields[last].text.append(" ", addition) }
        guard fields[last].value.utf8.count <= limits.maxLineSize else { throw .transfer(.headTooLarge) }
    }

    private mutating func finish(url: LazyURL) throws(HTTPError.Reason) -> HTTPResponse<Void>? {
        guard let status else { throw .transfer(.notHTTP) }
        let head = HTTPResponse(
            status: status, headers: HTTPHeaders(fields), body: (), url: url, version: version,
            reasonPhrase: reasonPhrase)
        hasBegun = false
        fields = []
        // No other request than one for a WebSocket takes what follows for something else than HTTP, also if a field
        // `Upgrade` of its own asked for it.
        guard status != .switchingProtocols || mayUpgrade else {
            throw .transfer(.notHTTP(switchedTo: head.headers["Upgrade"]))
        }
        // A length that is no number, or two lengths, may be an attempt at smuggling (RFC 9112, section 6.3).
        guard head.headers.contentLength != .invalid else { throw .transfer(.protocolError(.length)) }
        guard status.isInformational, status != .switchingProtocols else { return head }
        // Informational heads precede the final one (RFC 9110, section 15.2).
        informationalHeadCount += 1
        guard informationalHeadCount <= Self.maxInformationalHeads else { throw .transfer(.headTooLarge) }
        if status == .continue { hasContinue = true }
        if head.headers.declareContent { hasInformationalContent = true }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var isStatusLine: Bool {
        self[0] == UInt8(ascii: "H") && starts(with: "HTTP/".utf8)
    }

    /// Whether these bytes, without a line break, may be the start of a status line or of an empty line before it.
    var mayBeginHead: Bool {
        isEmpty || self[0] == UInt8(ascii: "\r") || zip(self, "HTTP/".utf8).allSatisfy { $0 == $1 }
    }

    fileprivate var trimmingLineBreak: UnsafeRawBufferPointer {
        var end = endIndex
        if end > 0, self[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > 0, self[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[..<end])
    }

    fileprivate var trimmingBlanks: UnsafeRawBufferPointer {
        var (start, end) = (startIndex, endIndex)
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }

    /// The text of the bytes. Line breaks and NUL become spaces (RFC 9110, section 5.5).
    fileprivate var text: FieldText {
        // Nearly all fields are printable ASCII, which needs no validation: both terms then leave the highest bit unset.
        let isPrintable = reduce(0 as UInt8) { $0 | $1 | ($1 &- 0x20) } < 0x80
        guard !isPrintable else { return FieldText(String(decoding: self, as: UTF8.self)) }
        return FieldText(bytes: map { $0.isBlank && $0 != UInt8(ascii: "\t") ? UInt8(ascii: " ") : $0 })
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether this is a space, a tab, or a character that counts as a space (RFC 9110, section 5.5).
    fileprivate var isBlank: Bool {
        switch self {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), 0: true
        default: false
        }
    }
}

extension HTTPStatus {
    /// Creates the status of three digits (RFC 9112, section 4; RFC 9113, section 8.3.2).
    ///
    /// A status outside of 100 to 599 is refused. RFC 9110, section 15, has it treated as a 5xx, which fails the request as
    /// well. curl accepts 600 to 999, and Go all.
    init(digits: some Collection<UInt8>) throws(HTTPError.Reason) {
        // libcurl accepts more than three digits.
        guard digits.count == 3, digits.allSatisfy(\.isDigit) else { throw .transfer(.notHTTP) }
        self.init(digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
        guard isValid else { throw .transfer(.protocolError(.status)) }
    }
}
