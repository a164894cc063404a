/// Puts a response's head together from the lines that libcurl passes on.
struct HeadParser {
    /// The largest head that is accepted; one that goes on for longer is an attack or a mistake.
    private static let limit = 256 * 1024
    /// So many fields many heads do not exceed; of longer ones the array grows once.
    private static let usualCount = 8

    private var size = 0
    private var version = HTTPVersion.http11
    private var status: HTTPStatus?
    private var fields: [HTTPHeaders.Field] = []

    enum Line {
        case incomplete
        case complete(HTTPResponse<Void>)
        /// It has no status line, or goes on in another protocol, which nobody here has asked for.
        case malformed
        case tooLarge
        /// It gives the body two lengths, which is how responses are smuggled (RFC 9112, section 6.3).
        case contradictory
    }

    /// Whether a part of a head has come.
    var hasBegun: Bool { size > 0 }

    /// Takes a line with its line break.
    mutating func consume(_ bytes: UnsafeRawBufferPointer, url: URL) -> Line {
        let isFirst = size == 0
        size += bytes.count
        guard size <= Self.limit else { return .tooLarge }
        let line = bytes.trimmingLineBreak
        if line.isEmpty {
            guard isFirst else { return finish(url: url) }
            // What is empty before a head is no part of it (RFC 9112, section 2.2, asks as much of servers).
            size = 0
        } else if isFirst {
            begin(line)
        } else if line[0].isBlank {
            fold(line)
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let name = UnsafeRawBufferPointer(rebasing: line[..<colon]).text
            let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmingBlanks.text
            fields.append(HTTPHeaders.Field(name: name, value: value))
        }
        return .incomplete
    }

    private mutating func begin(_ line: UnsafeRawBufferPointer) {
        guard line.isStatusLine else { return }
        let blank = UInt8(ascii: " ")
        let rest = line.dropFirst("HTTP/".utf8.count)
        let numbers = rest.prefix { $0 != blank }
        let major = numbers.prefix { $0 != UInt8(ascii: ".") }
        let minor = numbers[major.endIndex...].dropFirst()
        version = HTTPVersion(major: numbers.isEmpty ? 1 : major.number ?? 0, minor: minor.number ?? 0)
        let words = rest[numbers.endIndex...].drop { $0 == blank }
        // A status is three digits (RFC 9112, section 4), and libcurl takes what begins with them.
        let code = words.prefix { $0 != blank }
        status = code.count == 3 ? code.number.map { HTTPStatus($0) } : nil
        fields.reserveCapacity(Self.usualCount)
    }

    /// A line that begins with a blank goes on with the field before (RFC 9112, section 5.2).
    private mutating func fold(_ line: UnsafeRawBufferPointer) {
        guard let last = fields.indices.last else { return }
        fields[last].value += " " + line.trimmingBlanks.text
    }

    private mutating func finish(url: URL) -> Line {
        guard let status, status != .switchingProtocols else { return .malformed }
        let head = HTTPResponse(status: status, headers: HTTPHeaders(fields), body: (), url: url, version: version)
        self = HeadParser()
        guard head.headers.isUnambiguous("Content-Length") else { return .contradictory }
        // Informational heads come before the one that counts (RFC 9110, section 15.2).
        return status.isInformational ? .incomplete : .complete(head)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var isStatusLine: Bool {
        self[0] == UInt8(ascii: "H") && starts(with: "HTTP/".utf8)
    }

    fileprivate var trimmingLineBreak: UnsafeRawBufferPointer {
        var end = endIndex
        while end > 0, self[end - 1] == UInt8(ascii: "\n") || self[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[..<end])
    }

    fileprivate var trimmingBlanks: UnsafeRawBufferPointer {
        var (start, end) = (startIndex, endIndex)
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }

    /// As UTF-8, or as the Latin-1 that fields were allowed to be in once, so that no byte is lost.
    fileprivate var text: String {
        // What is ASCII needs no other check, and nearly everything is.
        reduce(0, |) < 0x80
            ? String(decoding: self, as: UTF8.self)
            : String(validating: self, as: UTF8.self) ?? String(String.UnicodeScalarView(map { Unicode.Scalar($0) }))
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The decimal number that these digits are; `nil` where they are anything else, or too many.
    fileprivate var number: Int? {
        guard !isEmpty, count < 10 else { return nil }
        var number = 0
        for byte in self {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
