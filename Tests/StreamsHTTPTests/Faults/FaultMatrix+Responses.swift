import StreamsHTTP
import StreamsLoopback

/// Responses that are malformed, too large or errors.
extension FaultMatrix {
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let field = "X-N: \(String(repeating: "x", count: 1000))\r\n"

    static let headRows: [FaultRow] = [
        FaultRow(
            "The response is not HTTP", "transfer.not-http", exitStatus: 1, .reply(Reply().failing(with: .garbage())),
            .text("hello"), .text("\u{16}\u{3}\u{1}\u{2}\u{0}")),
        FaultRow(
            "The version of HTTP is unsupported", "transfer.protocol-error", isRetried: true, exitStatus: 1,
            .text("HTTP/4.0 200 OK\r\n\r\n"), .text("HTTP/0.9 200 OK\r\n\r\n"),
            .text("HTTP/2.0 200 OK\r\nContent-Length: 50\r\n\r\nhello"), .text("HTTP/1.1abc 200 OK\r\n\r\n")),
        FaultRow(
            "The status is not one of 100 to 599", "transfer.protocol-error", isRetried: true, exitStatus: 1,
            .text("HTTP/1.1 000 None\r\nContent-Length: 5\r\n\r\nhello"),
            .text("HTTP/1.1 042 None\r\n\r\n"), .text("HTTP/1.1 600 None\r\n\r\n")),
        FaultRow(
            "The status line is malformed", "transfer.not-http", exitStatus: 1, .text("HTTP/1.1 200OK\r\n\r\n"),
            .text("HTTP/1.1 OK\r\n\r\n"), .text("HTTP/1.1 20\r\n\r\n")),
        FaultRow(
            "The server switches to another protocol", "transfer.not-http", exitStatus: 1,
            .text("HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n\r\nhello")),
        FaultRow(
            "A field is malformed, or its name is no token", "transfer.protocol-error", isRetried: true, exitStatus: 8,
            .text("HTTP/1.1 200 OK\r\nno field\r\n\r\n"), .text("HTTP/1.1 200 OK\r\n(Content-Length): 5\r\n\r\nhello"),
            .text("HTTP/1.1 200 OK\r\nContent-Length\u{B}: 5\r\n\r\nhello"),
            .text("\(chunked)1\r\na\r\n0\r\n(x): y\r\n\r\n")),
        FaultRow(
            "The head is too large", "transfer.head-too-large", exitStatus: 56, bound: headLimits, maxGrowth: growth,
            .reply(Reply().failing(with: .oversizedHead(bytes: 2 << 20))),
            .text("HTTP/1.1 200 OK\r\nX-N: \(String(repeating: "x", count: 70_000))\r\n\r\n"),
            .text("HTTP/1.1 200 OK\r\n\(String(repeating: "a: b\r\n", count: 1001))\r\n")),
        FaultRow(
            "The head has no end", "transfer.head-too-large", exitStatus: 56, bound: headLimits, maxGrowth: growth,
            .endless("HTTP/1.1 200 OK\r\n", field), .endless("HTTP/1.1 200 OK\r\nX-N: ", "x")),
        FaultRow(
            "Informational heads have no end", "transfer.head-too-large", exitStatus: 56, bound: headLimits,
            maxGrowth: growth, .endless("", "HTTP/1.1 100 Continue\r\n\r\n"),
            .endless("", "HTTP/1.1 103 Early Hints\r\n\(field)\r\n")),
        FaultRow(
            "The trailers have no end", "transfer.head-too-large", exitStatus: 56, bound: headLimits, maxGrowth: growth,
            .endless("\(chunked)1\r\na\r\n0\r\n", field),
            .endless("\(chunked)1\r\na\r\n0\r\n", "X-N: \(String(repeating: "x", count: 5000))\r\n"),
            .endless("\(chunked)1\r\na\r\n0\r\n", "a:b\r\n"),
            .endless("\(chunked)1\r\na\r\n0\r\nX-N: ", "x")),
    ]

    private static let headLimits = "RequestOptions/headLimits-swift.property"

    static let bodyRows: [FaultRow] = [
        FaultRow(
            "The length is invalid", "transfer.protocol-error", isRetried: true, exitStatus: 8, length("-5"),
            length("5x"), length("0x5"), length(""), length("+5"), length("5,")),
        FaultRow(
            "The length overflows", "transfer.protocol-error", isRetried: true, exitStatus: 8,
            length("9223372036854775808"), length("99999999999999999999")),
        FaultRow(
            "There are two lengths that differ", "transfer.protocol-error", isRetried: true, exitStatus: 8,
            length("5, 6"), length("5\r\nContent-Length: 6")),
        FaultRow(
            "The body is shorter than its length", "transfer.body-ended-early", isRetried: true, exitStatus: 18,
            length("6"), length("9223372036854775807")),
        FaultRow("The body is longer than its length", nil, exitStatus: 0, length("4")),
        FaultRow(
            "The size of a chunk is invalid", "transfer.protocol-error", isRetried: true, exitStatus: 56,
            .reply(.generated(1000, framing: .chunked).failing(with: .malformedChunkSize(after: 500))),
            .text("\(chunked)-5\r\nhello\r\n0\r\n\r\n"), .text("\(chunked)\r\nhello\r\n0\r\n\r\n"),
            .text("\(chunked)fffffffffffffffff5\r\nhello\r\n0\r\n\r\n")),
        FaultRow(
            "A chunk is longer than its size", "transfer.protocol-error", isRetried: true, exitStatus: 56,
            .text("\(chunked)4\r\nhello\r\n0\r\n\r\n")),
        FaultRow(
            "The body has another transfer coding", "transfer.undecodable-content", exitStatus: 61,
            .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
            .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: compress, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")),
        FaultRow(
            "The body is too large", "transfer.body-too-large(1000)", exitStatus: 63,
            bound: "RequestOptions/maxBodySize",
            setting: .maxBodySize, maxGrowth: growth, .reply(.generated(1 << 30)),
            .reply(.generated(1 << 30, framing: .chunked)), .reply(.generated(1 << 30, framing: .untilClose))),
    ]

    private static func length(_ value: String) -> FaultPeer {
        .text("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello")
    }

    static let contentRows: [FaultRow] = [
        FaultRow(
            "The end of the content coding is missing", "transfer.body-ended-early", isRetried: true, exitStatus: 18,
            content("gzip", EncodedText.gzip.bytes.dropLast()), content("gzip", EncodedText.gzip.bytes.prefix(30)),
            content("deflate", EncodedText.zlib.bytes.dropLast())),
        FaultRow(
            "The checksum of the content coding differs", "transfer.undecodable-content", exitStatus: 61,
            content("gzip", EncodedText.gzip.bytes.dropLast(8) + [0, 0, 0, 0] + EncodedText.gzip.bytes.suffix(4))),
        FaultRow(
            "The content is not encoded as declared", "transfer.undecodable-content", exitStatus: 61,
            content("gzip", Array("not at all".utf8)), content("deflate", [0xFF, 0xFF, 0xFF])),
        FaultRow(
            "The content coding is unknown", "transfer.undecodable-content", exitStatus: 61,
            content("compress", Array("hello".utf8)), content("gzip, compress", EncodedText.gzip.bytes)),
        FaultRow(
            "The decoded content is too large", "transfer.body-too-large(1000)", exitStatus: 63,
            bound: "RequestOptions/maxBodySize", setting: .maxBodySize, maxGrowth: growth,
            content("deflate", Deflate.densestZeros(matches: 1 << 19)),
            content("deflate, deflate", Deflate.stored(Deflate.densestZeros(matches: 1 << 19)))),
    ]

    private static func content(_ coding: String, _ bytes: some Sequence<UInt8>) -> FaultPeer {
        .reply(Reply(headers: ["Content-Encoding": coding], body: .bytes(bytes)))
    }

    static let redirectRows: [FaultRow] = [
        FaultRow(
            "Redirects have no end", "redirect.too-many(10)", exitStatus: 47, bound: "RequestOptions/redirects",
            .reply(.redirect(to: "/"))),
        FaultRow(
            "The body of a redirect breaks or cannot be decoded", nil, exitStatus: 0,
            redirect("Content-Length: 20\r\n\r\n"), redirect("Content-Length: 20\r\n\r\nmoved"),
            redirect("Transfer-Encoding: chunked\r\n\r\nx"),
            redirect("Content-Encoding: compress\r\nContent-Length: 5\r\n\r\nmoved")),
        FaultRow(
            "The body of a redirect has no end", nil, exitStatus: 0, maxGrowth: growth,
            .redirecting(body: .generated(1 << 30)),
            .redirecting(body: .generated(1 << 20), drip(from: .inBody(after: 3)))),
        FaultRow("A redirect has no target", "status(302)", exitStatus: 0, .reply(Reply(302))),
        FaultRow(
            "The target of a redirect is no URL", "redirect.unfollowable(http://a b/)", exitStatus: 3,
            .reply(.redirect(to: "http://a b/"))),
        FaultRow(
            "A redirect leads to another scheme", "redirect.unsupported-scheme(file)", exitStatus: 1,
            .reply(.redirect(to: "file:///etc/passwd"))),
        FaultRow(
            "A redirect leads from https to http", "redirect.insecure", exitStatus: 1,
            bound: "RequestOptions/redirects", .secured(.redirect(to: "http://127.0.0.1:1/"))),
    ]

    /// A server whose first connection has a redirect that ends with a text, and whose others have a complete response.
    private static func redirect(_ end: String) -> FaultPeer {
        .connection { connection in
            guard connection.readRequest() != nil else { return }
            guard connection.number == 1 else {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                return
            }
            connection.write("HTTP/1.1 302 Found\r\nLocation: /next\r\n\(end)")
        }
    }

    static let responseRows: [FaultRow] = [
        FaultRow(
            "The status is an error that can be transient", "status(503)", isRetried: true, exitStatus: 22,
            bound: "RequestOptions/maxErrorBodySize", maxGrowth: growth, .reply(.text("busy", status: 503)),
            .reply(Reply(503, body: .generated(1 << 30)))),
        FaultRow(
            "The status is another error", "status(404)", exitStatus: 22, bound: "RequestOptions/maxErrorBodySize",
            .reply(.text("gone", status: 404))),
        FaultRow(
            "The connection closes in the body of an error", "status(404)", exitStatus: 22,
            .reply(Reply(404, body: .generated(1000)).failing(with: .close(at: .inBody(after: 3)))),
            .reply(Reply(404, body: .generated(1000, framing: .chunked)).failing(with: .close(at: .inBody(after: 3))))),
        FaultRow(
            "The connection is reset in the body of an error", "status(404)", exitStatus: 22,
            .reply(Reply(404, body: .generated(1000)).failing(with: .reset(at: .inBody(after: 3))))),
        FaultRow(
            "The connection closes in the body of an error that can be transient", "status(503)", isRetried: true,
            exitStatus: 22, .reply(Reply(503, body: .generated(1000)).failing(with: .close(at: .inBody(after: 3))))),
        FaultRow(
            "The body of an error stalls", "status(404)", exitStatus: 22, bound: "RequestOptions/Timeouts/idle",
            setting: .longIdleTimeout,
            .reply(Reply(404, body: .generated(1000)).failing(with: .stall(at: .inBody(after: 3))))),
        FaultRow(
            "The body of an error is not encoded as declared, or in an unknown coding", "status(404)", exitStatus: 22,
            .reply(Reply(404, headers: ["Content-Encoding": "gzip"], body: .text("gone"))),
            .reply(Reply(404, headers: ["Content-Encoding": "compress"], body: .text("gone")))),
        FaultRow(
            "The body of an error has no end", "status(404)", exitStatus: nil,
            bound: "RequestOptions/Timeouts/errorBody", setting: .errorBodyTimeout,
            .reply(Reply(404, body: .generated(1 << 20)).failing(with: drip(from: .inBody(after: 3)))),
            .reply(
                Reply(404, body: .generated(1 << 20, framing: .chunked)).failing(with: drip(from: .inBody(after: 3))))),
        FaultRow(
            "The body of an error that can be transient has no end", "status(503)", isRetried: true, exitStatus: nil,
            bound: "RequestOptions/Timeouts/errorBody", setting: .errorBodyTimeout,
            .reply(Reply(503, body: .generated(1 << 20)).failing(with: drip(from: .inBody(after: 3))))),
        FaultRow(
            "The server refuses a request's body that it has not read, and closes the connection", "status(413)",
            exitStatus: 22, method: .put, bodySize: 16 << 20, refusal("too large"),
            .nginx { $0.secureURL("/capped/") }),
        FaultRow(
            "The server refuses a request's body that it has not read, and ends the stream of HTTP/2", "status(413)",
            exitStatus: 22, setting: .http2, method: .put, bodySize: 16 << 20,
            .connection { $0.refuseHTTP2(sending: "too large") }, .connection { $0.refuseHTTP2(sending: "too") }),
        FaultRow(
            "The connection closes in the refusal of a request's body", "status(413)", exitStatus: 22, method: .put,
            bodySize: 16 << 20, refusal(""), refusal("too")),
        FaultRow(
            "The body cannot be decoded to the value", "decoding(DecodingError)", exitStatus: nil, use: .value,
            .reply(.json(#"{"other":1}"#)), .reply(.json("{"))),
    ]

    /// A server that refuses a request when it has a part of its content, and closes the connection after a part of its
    /// response.
    private static func refusal(_ part: String) -> FaultPeer {
        .connection { connection in
            guard connection.readHead() != nil, connection.read(1000).count == 1000 else { return }
            connection.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\n\(part)")
        }
    }
}
