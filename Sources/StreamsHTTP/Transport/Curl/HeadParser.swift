/// Puts a response's head together from the lines that libcurl passes on.
struct HeadParser {
    /// The largest head that is accepted; one that goes on for longer is an attack or a mistake.
    private static let limit = 256 * 1024

    private var size = 0
    private var version = HTTPVersion.http11
    private var status: HTTPStatus?
    private var fields: [HTTPHeaders.Field] = []

    enum Line {
        case incomplete
        case complete(HTTPResponse<Void>)
        case tooLarge
        /// It gives the body two lengths, which is how responses are smuggled (RFC 9112, section 6.3).
        case contradictory
    }

    /// Whether a part of a head has come.
    var hasBegun: Bool { size > 0 }

    /// Takes a line with its line break.
    mutating func consume(_ bytes: UnsafeRawBufferPointer, url: URL) -> Line {
        size += bytes.count
        guard size <= Self.limit else { return .tooLarge }
        let line = bytes.trimmingLineBreak
        if line.isEmpty { return finish(url: url) }
        if line.starts(with: "HTTP/".utf8) {
            begin(line)
        } else if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            fold(line)
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let name = UnsafeRawBufferPointer(rebasing: line[..<colon]).text
            let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmingBlanks.text
            fields.append(HTTPHeaders.Field(name: name, value: value))
        }
        return .incomplete
    }

    private mutating func begin(_ line: UnsafeRawBufferPointer) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        let numbers = parts[0].dropFirst("HTTP/".utf8.count).split(separator: UInt8(ascii: "."))
        let minor = numbers.count > 1 ? numbers[1].number ?? 0 : 0
        version = HTTPVersion(major: numbers.first.map { $0.number ?? 0 } ?? 1, minor: minor)
        status = parts.count > 1 ? parts[1].number.map { HTTPStatus($0) } : nil
        fields = []
    }

    /// A line that begins with a blank goes on with the field before (RFC 9112, section 5.2).
    private mutating func fold(_ line: UnsafeRawBufferPointer) {
        guard let last = fields.indices.last else { return }
        fields[last].value += " " + line.trimmingBlanks.text
    }

    private mutating func finish(url: URL) -> Line {
        guard let status else { return .incomplete }
        let head = HTTPResponse(status: status, headers: HTTPHeaders(fields), body: (), url: url, version: version)
        self = HeadParser()
        let lengths = head.headers.values(for: "Content-Length")
        guard lengths.dropFirst().allSatisfy({ $0 == lengths[0] }) else { return .contradictory }
        // Informational heads come before the one that counts (RFC 9110, section 15.2).
        return status.isInformational ? .incomplete : .complete(head)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var trimmingLineBreak: UnsafeRawBufferPointer {
        var rest = self[...]
        while let last = rest.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { rest.removeLast() }
        return UnsafeRawBufferPointer(rebasing: rest)
    }

    fileprivate var trimmingBlanks: UnsafeRawBufferPointer {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var rest = self[...].drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return UnsafeRawBufferPointer(rebasing: rest)
    }

    /// As UTF-8, or as the Latin-1 that fields were allowed to be in once, so that no byte is lost.
    fileprivate var text: String {
        String(validating: self, as: UTF8.self) ?? String(String.UnicodeScalarView(map { Unicode.Scalar($0) }))
    }
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
