import StreamsHTTP
import Testing

@Suite struct TextDecodingTests {
    private func text(_ bytes: [UInt8], _ contentType: String?) throws(TextDecodingError) -> String {
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
        #expect(throws: TextDecodingError.malformed(charset: charset)) {
            try text(bytes, "text/plain; charset=\(charset)")
        }
    }

    @Test func charsetsThatAreNotKnownAreNamed() {
        #expect(throws: TextDecodingError.unknownCharset("koi8-r")) { try text([0x41], "text/plain; charset=KOI8-R") }
    }
}
