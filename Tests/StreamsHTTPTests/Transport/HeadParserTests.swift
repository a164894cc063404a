import Testing

@testable import StreamsHTTP

@Suite struct HeadParserTests {
    private func parse(_ lines: [[UInt8]]) throws(HTTPError.Reason) -> HTTPResponse<Void>? {
        var parser = HeadParser(RequestOptions.HeadLimits())
        return try parse(lines, &parser)
    }

    private func parse(_ lines: [[UInt8]], _ parser: inout HeadParser) throws(HTTPError.Reason) -> HTTPResponse<Void>? {
        let url = LazyURL("http://h/")
        for line in lines {
            let head = line.withUnsafeBytes { bytes in
                Result { () throws(HTTPError.Reason) in try parser.consume(bytes, url: url) }
            }
            if let head = try head.get() { return head }
        }
        return nil
    }

    private func parse(_ text: String) throws(HTTPError.Reason) -> HTTPResponse<Void>? {
        var parser = HeadParser(RequestOptions.HeadLimits())
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return try parse(lines.map { Array("\($0)\r\n".utf8) }, &parser)
    }

    private func reason(_ text: String) -> HTTPError.Reason? {
        do throws(HTTPError.Reason) {
            _ = try parse(text)
            return nil
        } catch {
            return error
        }
    }

    private func failure(_ text: String) -> String? {
        reason(text)?.outline
    }

    private func description(of text: String) -> String? {
        reason(text)?.description
    }

    @Test func aHeadIsPutTogether() throws {
        let head = try #require(try parse("HTTP/1.1 404 Not Found\nA:  1 \na: 2\nEmpty:\n\n"))
        #expect(head.status == .notFound)
        #expect(head.version == .http11)
        #expect(head.reasonPhrase == "Not Found")
        #expect(head.headers.map { "\($0.name)=\($0.value)" } == ["A=1", "a=2", "Empty="])
    }

    @Test(arguments: [
        ("HTTP/1.1 200", ""), ("HTTP/1.1 200 ", ""), ("HTTP/1.0 200  Very   Well: \t", "Very   Well:"),
        ("HTTP/1.1 200 d\u{E9}j\u{E0}", "d\u{E9}j\u{E0}"),
    ]) func reasonPhraseIsTheRestOfTheLine(line: String, phrase: String) throws {
        #expect(try #require(try parse("\(line)\n\n")).reasonPhrase == phrase)
    }

    /// RFC 9110, section 2.5: a higher minor version is treated as the highest that is known.
    @Test(arguments: [
        ("HTTP/1.0", HTTPVersion.http10), ("HTTP/1.1", .http11), ("HTTP/1.2", .http11), ("HTTP/1.9", .http11),
    ])
    func acceptsVersionsOfHTTP1(text: String, version: HTTPVersion) throws {
        #expect(try #require(try parse("\(text) 200 OK\n\n")).version == version)
    }

    /// RFC 9112, section 2.3.
    @Test(
        arguments: [
            "HTTP/2", "HTTP/2.0", "HTTP/3", "HTTP/", "HTTP/1", "HTTP/1.", "HTTP/1.x", "HTTP/1.1abc", "HTTP/1.10",
            "HTTP/01.1", "HTTP/1.1.1", "HTTP/0.9", "HTTP/4.0", "HTTP/-1.1", "HTTP/1.1\t",
        ])
    func refusesOtherVersions(text: String) {
        #expect(failure("\(text) 200 OK\n\n") == "transfer.protocol-error")
        #expect(failure("\(text) 200 \n\n") == "transfer.protocol-error")
    }

    /// RFC 9110, section 15.
    @Test(arguments: ["000", "042", "099", "600", "999"])
    func refusesStatusesThatAreNone(status: String) {
        #expect(failure("HTTP/1.1 \(status) OK\n\n") == "transfer.protocol-error")
    }

    @Test(arguments: ["102", "200", "299", "599"]) func acceptsStatusesWithoutNames(status: String) throws {
        let text = "HTTP/1.1 \(status)\n\n" + (status == "102" ? "HTTP/1.1 201\n\n" : "")
        #expect(try #require(try parse(text)).status.code == (status == "102" ? 201 : Int(status)))
    }

    @Test(arguments: ["HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\n\n", "HTTP/1.1 101\n\n"])
    func namesTheProtocolThatTheServerSwitchesTo(text: String) {
        #expect(failure(text) == "transfer.not-http")
        let name = text.contains("websocket") ? "websocket" : "another protocol"
        #expect(description(of: text) == "the server switched to \(name)")
    }

    @Test(
        arguments: [
            "HTTP/1.1 +200 OK", "HTTP/1.1 2x0 OK", "HTTP/1.1 20000000000000000000 OK", "HTTP/1.1 2000 OK",
            "HTTP/1.1 200OK", "HTTP/1.1 200\tOK", "HTTP/1.1", "200 OK",
        ])
    func aHeadWithoutAStatusOfThreeDigitsIsNone(_ line: String) {
        #expect(failure(line) == "transfer.not-http")
    }

    /// Readers could take such a line for different fields.
    @Test(
        arguments: [
            "HTTP/1.1 404: 2", "A : 1", "A\t: 1", ": 1", "A", " A: 1", "A B: 1", " ", "\r ", "\0", "A\u{B}: 1",
            "(A): 1", "A@: 1", "\u{E9}A: 1", "A\0: 1", "A\r: 1", "\"A\": 1", "A\u{7F}: 1",
        ])
    func refusesALineThatIsNoField(line: String) {
        #expect(failure("HTTP/1.1 200 OK\n\(line)\n\n") == "transfer.protocol-error")
        #expect(failure("HTTP/1.1 103 Early Hints\n\(line)\n\n") == "transfer.protocol-error")
    }

    @Test func refusesNamesOfOtherBytesThanTokens() throws {
        for byte in UInt8.min ... .max where byte != UInt8(ascii: "\n") && byte != UInt8(ascii: ":") {
            let line = [byte] + Array("Content-Length: 5\r\n".utf8)
            let head = Result { () throws(HTTPError.Reason) in
                try parse([Array("HTTP/1.1 200 OK\r\n".utf8), line, Array("\r\n".utf8)])
            }
            let isToken = "!#$%&'*+-.^_`|~".utf8.contains(byte) || byte < 128 && Unicode.Scalar(byte).isLetterOrDigit
            #expect(((try? head.get()) != nil) == isToken, "\(byte)")
        }
    }

    @Test(arguments: [("HTTP/5.1 200 OK", "transfer.protocol-error"), ("200 OK", "transfer.not-http")])
    func aHeadWithoutAStatusDoesNotHaveThatOfTheHeadBefore(line: String, failure expected: String) throws {
        #expect(failure("HTTP/1.1 103 Early Hints\n\n\(line)\n\nHTTP/1.1 200 OK\n\n") == expected)
    }

    @Test func informationalHeadsAreNotTheHead() throws {
        let head = try #require(try parse("HTTP/1.1 103 Early Hints\nLink: x\n\nHTTP/1.1 200 OK\nA: 1\n\n"))
        #expect(head.status == .ok)
        #expect(head.headers == ["A": "1"])
    }

    @Test func foldedLinesGoOn() throws {
        let head = try #require(try parse("HTTP/1.1 200 OK\nA: 1\n  2\n\n"))
        #expect(head.headers["A"] == "1 2")
    }

    @Test func foldsWithoutAddingBlanks() throws {
        let head = try #require(try parse("HTTP/1.1 200 OK\nA:\n 1\nB: 2\n \n\n"))
        #expect(head.headers.map(\.value) == ["1", "2"])
    }

    @Test(arguments: [0x0D, 0x00] as [UInt8])
    func replacesForbiddenCharactersBySpaces(_ character: UInt8) throws {
        let text = "HTTP/1.1 200 OK\nA: x?y? \n\n"
        let bytes = text.utf8.map { $0 == UInt8(ascii: "?") ? character : $0 }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let head = try #require(try parse(lines.map { Array($0) + Array("\r\n".utf8) }))
        #expect(head.headers["A"] == "x y")
    }

    @Test func noByteIsLost() throws {
        let line = Array("A: ".utf8) + [0xE4] + Array("\r\n".utf8)
        let lines = [Array("HTTP/1.1 200 OK\r\n".utf8), line, Array("B: ü\r\n".utf8), Array("\r\n".utf8)]
        let head = try #require(try parse(lines))
        #expect(head.headers["A"] == "ä")
        #expect(head.headers["B"] == "ü")
    }

    @Test func twoLengthsAreOneTooMany() throws {
        #expect(failure("HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 6\n\n") == "transfer.protocol-error")
        #expect(try parse("HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 5\n\n") != nil)
    }

    @Test func headsThatGoOnForeverAreRefused() throws {
        let line = Array("A: \(String(repeating: "x", count: 1000))\r\n".utf8)
        #expect(throws: HTTPError.Reason.self) {
            try parse([Array("HTTP/1.1 200 OK\r\n".utf8)] + Array(repeating: line, count: 300))
        }
    }
}

extension Unicode.Scalar {
    /// Whether this is a letter or a digit of ASCII.
    fileprivate var isLetterOrDigit: Bool {
        isASCII && (properties.isAlphabetic || properties.numericType == .decimal)
    }
}
