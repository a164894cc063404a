/// The head of a request. It is parsed strictly, so that a client's mistakes cause status 400 (RFC 9112).
struct RequestHead: Sendable {
    /// The framing of the request's body.
    enum Framing: Sendable, Equatable {
        case length(Int)
        case chunked
    }

    let method: String
    let target: String
    let version: String
    let headers: HeaderFields
    let framing: Framing

    /// - Parameters:
    ///   - requestLine: The first line, without its line break.
    ///   - fieldLines: The following lines, without their line breaks.
    init(requestLine: [UInt8], fieldLines: [[UInt8]]) throws(Line.Break) {
        let parts = requestLine.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, Self.isToken(parts[0]), !parts[1].isEmpty,
            parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw .malformed(status: 400, reason: "not a request line") }
        method = decoded(parts[0])
        target = decoded(parts[1])
        version = decoded(parts[2])
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw .malformed(status: 505, reason: "not a version of HTTP/1: \(version)")
        }
        headers = try Self.fields(fieldLines)
        let hosts = headers.values(of: "Host").count
        guard hosts == 1 || (hosts == 0 && version == "HTTP/1.0") else {
            throw .malformed(status: 400, reason: "\(hosts) Host fields")
        }
        framing = try Self.framing(headers)
    }

    /// Returns header or trailer fields from their lines (RFC 9112 section 5).
    static func fields(_ lines: [[UInt8]]) throws(Line.Break) -> HeaderFields {
        var fields = HeaderFields()
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else {
                throw .malformed(status: 400, reason: "not a header field: \(decoded(line[...]))")
            }
            let value = line[(colon + 1)...]
            guard value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
                throw .malformed(status: 400, reason: "a control character in the field \(decoded(line[..<colon]))")
            }
            let isPadding = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
            let start = value.firstIndex { !isPadding($0) } ?? value.endIndex
            let end = value.lastIndex { !isPadding($0) }.map { $0 + 1 } ?? start
            fields.append(HeaderFields.Field(name: decoded(line[..<colon]), bytes: value[start..<end]))
        }
        return fields
    }

    /// Returns the framing of the body (RFC 9112 section 6.3). An ambiguous one is an error.
    private static func framing(_ headers: HeaderFields) throws(Line.Break) -> Framing {
        let codings = headers.values(of: "Transfer-Encoding")
        let lengths = headers.values(of: "Content-Length")
        if !codings.isEmpty {
            guard lengths.isEmpty else {
                throw .malformed(status: 400, reason: "both Transfer-Encoding and Content-Length")
            }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw .malformed(status: 501, reason: "not a known transfer coding: \(codings.joined(separator: ", "))")
            }
            return .chunked
        }
        guard let text = lengths.first else { return .length(0) }
        guard lengths.allSatisfy({ $0 == text }), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(text)
        else { throw .malformed(status: 400, reason: "not a length: \(lengths.joined(separator: ", "))") }
        return .length(length)
    }

    /// Returns whether bytes are a token (RFC 9110 section 5.6.2).
    static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && !delimiters.contains($0) }
    }

    private static let delimiters = Set("\"(),/:;<=>?@[\\]{}".utf8)
}

extension RequestHead {
    /// Whether another request may follow on the connection (RFC 9112 section 9.3).
    var keepsAlive: Bool {
        if headers.list("Connection", contains: "close") { return false }
        return version == "HTTP/1.1" || headers.list("Connection", contains: "keep-alive")
    }

    /// Whether the client waits for `100 Continue` before it sends the body.
    var expectsContinue: Bool {
        version == "HTTP/1.1" && framing != .length(0) && headers.list("Expect", contains: "100-continue")
    }

    /// The path and the query of the target, which may have the absolute form (RFC 9112 section 3.2).
    var location: (path: String, query: String?) {
        var rest = target[...]
        if let scheme = rest.firstRange(of: "://"), !rest.hasPrefix("/") {
            rest = rest[scheme.upperBound...]
            rest = rest[(rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex)...]
        }
        let mark = rest.firstIndex(of: "?")
        let path = rest[..<(mark ?? rest.endIndex)]
        let query = mark.map { String(rest[rest.index(after: $0)...]) }
        return (path.isEmpty ? "/" : String(path), query)
    }
}
