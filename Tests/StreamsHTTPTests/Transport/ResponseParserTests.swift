import Testing

@testable import StreamsHTTP

/// Messages by HTTP/1.1 as values, without a connection.
@Suite struct ResponseParserTests {
    /// A message, and the result of its parsing: the content, or the failure.
    struct Example: Sendable, CustomTestStringConvertible {
        let text: String
        var method = HTTPMethod.get
        var content = ""
        var failure: String?
        /// The fields after the content.
        var trailers: [String] = []
        /// The bytes that follow the message.
        var rest = ""
        /// Whether the message ends with the connection.
        var isEndedByClosing = false
        var keepsConnection = true

        var testDescription: String { text.debugDescription }
    }

    struct Outcome: Equatable {
        var statuses: [Int] = []
        var content = ""
        var trailers: [String] = []
        var failure: String?
        var rest = ""
        var isComplete = false
        var keepsConnection = false
    }

    /// Parses a message whose bytes come in parts that end at some places.
    private static func parse(_ example: Example, endingPartsAt ends: [Int]) throws -> Outcome {
        let bytes = Array(example.text.utf8)
        var request = TransportRequest(method: example.method, url: try #require(URL(string: "http://h/")))
        request.headLimits.maxLineSize = 200
        var parser = ResponseParser(request)
        var outcome = Outcome()
        var kept: [UInt8] = []
        var start = 0
        do throws(HTTPError.Reason) {
            for end in ends + [bytes.count] {
                kept += bytes[start..<end]
                start = end
                try consume(&kept, &parser, &outcome)
            }
            if example.isEndedByClosing { try parser.end() }
        } catch {
            outcome.failure = error.outline
        }
        outcome.isComplete = parser.isComplete
        outcome.keepsConnection = parser.keepsConnection
        outcome.trailers = parser.isComplete ? parser.trailers?.map { "\($0.name)=\($0.value)" } ?? [] : []
        if outcome.failure == nil { outcome.rest = String(decoding: kept, as: UTF8.self) }
        return outcome
    }

    private static func consume(
        _ kept: inout [UInt8], _ parser: inout ResponseParser, _ outcome: inout Outcome
    ) throws(HTTPError.Reason) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: kept.count, alignment: 1)
        defer { buffer.deallocate() }
        buffer.copyBytes(from: kept)
        var input = UnsafeRawBufferPointer(buffer)
        while let part = try parser.next(&input) {
            switch part {
            case .head(let head): outcome.statuses.append(head.status.code)
            case .content(let count):
                outcome.content += String(decoding: input[..<count], as: UTF8.self)
                parser.consume(content: count)
                input = UnsafeRawBufferPointer(rebasing: input[count...])
            }
        }
        kept = Array(input)
    }

    private static let head = "HTTP/1.1 200 OK\r\n"
    private static let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"

    private static let complete = [
        Example(text: head + "Content-Length: 5\r\n\r\nhello", content: "hello"),
        Example(text: head + "Content-Length: 5, 5\r\nContent-Length: 5\r\n\r\nhello", content: "hello"),
        Example(text: head + "Content-Length: 0\r\n\r\nHTTP/1.1", rest: "HTTP/1.1"),
        // Without harm: bare line feeds, no reason phrase, empty lines before the head.
        Example(text: "\r\n\nHTTP/1.1 200\nContent-Length: 2\n\nab", content: "ab"),
        Example(text: head + "\r\nall of it", content: "all of it", isEndedByClosing: true, keepsConnection: false),
        Example(
            text: "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", content: "a", keepsConnection: false),
        Example(text: "HTTP/1.0 200 OK\r\nConnection: x, Keep-Alive\r\nContent-Length: 1\r\n\r\na", content: "a"),
        Example(text: head + "Connection: close\r\nContent-Length: 1\r\n\r\na", content: "a", keepsConnection: false),
        Example(
            text: head + "Connection: keep-alive\r\nConnection: x ,CLOSE\r\nContent-Length: 1\r\n\r\na",
            content: "a", keepsConnection: false),
        Example(text: head + "Content-Length: 5\r\n\r\n", method: .head),
        Example(text: "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n"),
        Example(text: "HTTP/1.1 204 No Content\r\n\r\n"),
        Example(text: "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"),
        Example(
            text: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: 1\r\n\r\n" + head
                + "Content-Length: 1\r\n\r\na", content: "a"),
        Example(text: chunked + "5\r\nhello\r\n0\r\n\r\n", content: "hello"),
        Example(text: chunked + "5\nhello\n0\n\n", content: "hello"),
        Example(text: chunked + "00a\r\n0123456789\r\n0\r\n\r\n", content: "0123456789"),
        Example(text: chunked + "A;name=\"value\"\r\n0123456789\r\n0;last\r\n\r\n", content: "0123456789"),
        Example(text: chunked + "1  \r\na\r\n1 ;x\r\nb\r\n0\r\n\r\nrest", content: "ab", rest: "rest"),
        Example(
            text: chunked + "1\r\na\r\n0\r\nDigest: x\r\nB:\r\n\r\n", content: "a", trailers: ["Digest=x", "B="]),
        Example(
            text: head + "Transfer-Encoding: identity\r\nContent-Length: 1\r\n\r\na", content: "a",
            keepsConnection: false),
        Example(
            text: head + "Transfer-Encoding:\r\n\r\na", content: "a", isEndedByClosing: true, keepsConnection: false),
        Example(text: chunked + zeros + "1\r\na\r\n" + zeros + "\r\n\r\n", content: "a"),
    ]

    /// Leading zeros, as many as a line may have beside a digit.
    private static let zeros = String(repeating: "0", count: 197)

    /// Framings that contradict themselves. What follows is not trusted (RFC 9112, sections 6.1 and 6.3).
    private static let contradictory = [
        Example(
            text: "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc", rest: "abc", keepsConnection: false),
        Example(text: "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", keepsConnection: false),
        Example(text: "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", keepsConnection: false),
        Example(text: head + "Transfer-Encoding: chunked\r\n\r\n", method: .head, keepsConnection: false),
        Example(
            text: "HTTP/1.1 100 Continue\r\nContent-Length: 1\r\n\r\n" + head + "Content-Length: 1\r\n\r\na",
            content: "a", keepsConnection: false),
        Example(
            text: "HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: chunked\r\n\r\n" + head
                + "Content-Length: 1\r\n\r\na", content: "a", keepsConnection: false),
        Example(
            text: head + "Transfer-Encoding: identity, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", content: "a",
            keepsConnection: false),
        Example(
            text: head + "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            content: "a", keepsConnection: false),
        Example(
            text: head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", content: "a",
            keepsConnection: false),
        Example(
            text: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            content: "a", keepsConnection: false),
    ]

    private static let refused = [
        Example(text: "", failure: "transfer.empty-reply", isEndedByClosing: true),
        Example(text: "HTTP/1.1 200", failure: "transfer.receive-failed", isEndedByClosing: true),
        Example(text: head + "A: 1\r\n", failure: "transfer.receive-failed", isEndedByClosing: true),
        Example(text: "220 ready\r\n\r\n", failure: "transfer.not-http"),
        Example(text: "HTTP/1.1 101 Switching Protocols\r\n\r\n", failure: "transfer.not-http"),
        Example(text: head + "Content-Length: +1\r\n\r\n", failure: "transfer.protocol-error"),
        Example(text: head + "Content-Length: 1, 2\r\n\r\n", failure: "transfer.protocol-error"),
        Example(text: head + "Content-Length: 0x1\r\n\r\n", failure: "transfer.protocol-error"),
        Example(text: head + "A : 1\r\n\r\n", failure: "transfer.protocol-error"),
        Example(text: head + " A: 1\r\n\r\n", failure: "transfer.protocol-error"),
        Example(text: head + "A: \(String(repeating: "x", count: 200))\r\n\r\n", failure: "transfer.head-too-large"),
        Example(text: head + "A: \(String(repeating: "x", count: 200))", failure: "transfer.head-too-large"),
        Example(text: head + "Transfer-Encoding: gzip, chunked\r\n\r\n", failure: "transfer.undecodable-content"),
        Example(text: head + "Transfer-Encoding: chunked, identity\r\n\r\n", failure: "transfer.protocol-error"),
        Example(
            text: head + "Content-Length: 5\r\n\r\nhell", content: "hell", failure: "transfer.body-ended-early",
            isEndedByClosing: true),
        Example(text: chunked, failure: "transfer.body-ended-early", isEndedByClosing: true),
        Example(
            text: chunked + "5\r\nhello", content: "hello", failure: "transfer.body-ended-early",
            isEndedByClosing: true),
        Example(
            text: chunked + "1\r\na\r\n0\r\n", content: "a", failure: "transfer.body-ended-early",
            isEndedByClosing: true),
        Example(text: chunked + "1\r\nab\r\n", content: "a", failure: "transfer.protocol-error"),
        Example(text: chunked + "1\r\na\r\n0\r\nno field\r\n\r\n", content: "a", failure: "transfer.protocol-error"),
        Example(text: chunked + "1\r\na\r\n0\r\n(x): y\r\n\r\n", content: "a", failure: "transfer.protocol-error"),
        Example(text: "HTTP/2.0 200 OK\r\n\r\n", failure: "transfer.protocol-error"),
        Example(text: "HTTP/1.1 042\r\n\r\n", failure: "transfer.protocol-error"),
        Example(text: chunked + zeros + "000001\r\n", failure: "transfer.head-too-large"),
        Example(text: chunked + "1;\(String(repeating: "x", count: 200))\r\n", failure: "transfer.head-too-large"),
    ]

    private static let chunkSizes = [
        "", "+2", "-2", "0x2", "2_", "2g", " 2", "2\r", "2;a\rb", "2 2", "g", "8000000000000000", "ffffffffffffffff",
        "1000000000000000", "0000ffffffffffffffff", "10000000000000002",
    ]

    @Test(
        arguments: complete + contradictory + refused
            + chunkSizes.map {
                Example(text: chunked + "\($0)\r\nab\r\n0\r\n\r\n", failure: "transfer.protocol-error")
            })
    func partsOfAnySizeGiveTheSame(_ example: Example) throws {
        let whole = try Self.parse(example, endingPartsAt: [])
        #expect(whole.failure == example.failure)
        #expect(whole.content == example.content)
        #expect(whole.trailers == example.trailers)
        #expect(whole.rest == example.rest)
        #expect(whole.isComplete == (example.failure == nil))
        if example.failure == nil { #expect(whole.keepsConnection == example.keepsConnection) }
        let count = example.text.utf8.count
        for end in 0..<count {
            #expect(try Self.parse(example, endingPartsAt: [end]) == whole, "in two parts at \(end)")
        }
        #expect(try Self.parse(example, endingPartsAt: Array(0..<count)) == whole, "byte by byte")
    }
}
