import StreamsHTTP
import Testing

@Suite struct TextDecodingTests {
    private func text(_ bytes: [UInt8], _ contentType: String?) throws(DecodingError) -> String {
        let headers: HTTPHeaders = contentType.map { ["Content-Type": $0] } ?? [:]
        return try HTTPResponse(status: .ok, headers: headers, body: Data(bytes), url: URL(literal: "http://h/")).text()
    }

    @Test(
        arguments: [
            ("text/plain", [0xC3, 0xBC]), (nil, [0xC3, 0xBC]),
            ("text/plain; charset=UTF-8", [0xEF, 0xBB, 0xBF, 0xC3, 0xBC]),
            ("text/plain; charset=\"ISO-8859-1\"", [0xFC]), ("text/plain;x=y;Charset = windows-1252", [0xFC]),
            ("text/plain; a=\"; charset=ascii\"; charset=latin1", [0xFC]), ("text/plain; charset=utf-16be", [0, 0xFC]),
            ("text/plain; charset=utf-16le", [0xFC, 0]), ("text/plain; charset=utf-16", [0, 0xFC]),
            ("text/plain; charset=utf-16", [0xFF, 0xFE, 0xFC, 0]),
            ("text/plain; charset=utf-16", [0xFE, 0xFF, 0, 0xFC]),
        ] as [(String?, [UInt8])])
    func textsAreReadInTheirCharset(contentType: String?, bytes: [UInt8]) throws {
        #expect(try text(bytes, contentType) == "ü")
    }

    @Test func whatTheTwoLatinsHaveApart() throws {
        #expect(try text([0x80, 0x99], "text/plain; charset=windows-1252") == "€™")
        #expect(try text([0x80], "text/plain; charset=iso-8859-1") == "\u{80}")
        #expect(
            try text([0xD8, 0x3C, 0xDF, 0x88], "text/plain; charset=utf-16be") == "🎈".replacing("🎈", with: "\u{1F388}"))
    }

    @Test(
        arguments: [
            ("utf-8", [0xFC]), ("us-ascii", [0x80]), ("windows-1252", [0x81]), ("utf-16be", [0xD8, 0x00]),
            ("utf-16", [0]),
        ] as [(String, [UInt8])])
    func bytesThatMeanNothingAreRefused(charset: String, bytes: [UInt8]) {
        let error = #expect(throws: DecodingError.self) { try text(bytes, "text/plain; charset=\(charset)") }
        #expect(error?.explanation == "the body is not \(charset)")
    }

    @Test func charsetsThatAreNotKnownAreNamed() {
        let error = #expect(throws: DecodingError.self) { try text([0x41], "text/plain; charset=KOI8-R") }
        #expect(error?.explanation == #"the charset "koi8-r" is not known"#)
    }

    @Test func aResponseIsDecodedAsTextDataOrAValue() throws {
        let body = Data(#""ü""#.utf8)
        let response = HTTPResponse(status: .ok, body: body, url: URL(literal: "http://h/"))
        #expect(try response.decoded(as: Data.self) == body)
        #expect(try response.decoded(as: String.self) == #""ü""#)
        #expect(try response.decoded(as: Greeting?.self, decoder: Fixed()) == Greeting(text: "fixed"))
        #expect(throws: DecodingError.self) { try response.decoded(as: Greeting.self) }
    }

    private struct Fixed: DataDecoder {
        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            try JSONDecoder().decode(type, from: Data(#"{"text":"fixed"}"#.utf8))
        }
    }
}

extension DecodingError {
    /// The explanation of data that is corrupted.
    fileprivate var explanation: String? {
        if case .dataCorrupted(let context) = self { context.debugDescription } else { nil }
    }
}
