import Testing

@testable import StreamsHTTP

@Suite struct SetCookieTests {
    @Test(arguments: [
        ("a=b", "a", "b"), (" a\t=\tb c ", "a", "b c"), ("a=b=c", "a", "b=c"), ("a", "", "a"), ("=a", "", "a"),
        ("a=", "a", ""), ("", "", ""), (";a=b", "", ""), ("a=\"b\"; c", "a", "\"b\""), ("a\tb=c\td", "a\tb", "c\td"),
        ("\u{e9}=\u{1F36A}", "\u{e9}", "\u{1F36A}"),
    ])
    func splitsNameAndValue(text: FieldText, name: FieldText, value: FieldText) throws {
        let field = try #require(SetCookie(text))
        #expect(field.name == name && field.value == value)
    }

    @Test(arguments: ["a=b\0", "a\u{1}=b", "a=b; path=/\u{7F}", "a=b\r\nSet-Cookie: c=d", "\u{1B}"])
    func refusesControlCharacters(text: FieldText) {
        #expect(SetCookie(text) == nil)
    }

    @Test func readsPartsOfOtherBytes() throws {
        let field = try #require(SetCookie(FieldText(bytes: Array("n\u{e9}=v".utf8) + [0xE9] + "; path=/\u{e9}".utf8)))
        #expect(field.name == "n\u{e9}" && field.path == "/\u{e9}" && field.value == FieldText(bytes: [0x76, 0xE9]))
    }

    @Test func readsAttributes() throws {
        let field = try #require(
            SetCookie("a=b; PATH = /x ;Domain=.Example.COM; secure; HTTPOnly=no; SameSite=lAx; max-age=10; Expires=x"))
        #expect(field.path == "/x" && field.domain == "example.com" && field.isSecure && field.isHTTPOnly)
        #expect(field.sameSite == .lax && field.maxAge == 10 && field.expires == nil)
    }

    @Test func takesTheLastOfRepeatedAttributes() throws {
        let field = try #require(
            SetCookie("a=b; path=/x; path=/y; path; max-age=1; max-age=2; max-age=x; domain=a; domain="))
        #expect(field.path == "" && field.maxAge == 2 && field.domain == "")
    }

    @Test(
        arguments: [
            ("0", 0), ("-1", 0), ("-", nil), ("+1", nil), ("1.5", nil), ("1 ", 1), ("", nil), ("0x1", nil),
            ("99999999999999999999", .max), ("-99999999999999999999", 0),
        ] as [(String, Int64?)])
    func readsMaxAge(text: String, seconds: Int64?) {
        #expect(SetCookie("a=b; max-age=\(text)")?.maxAge == seconds)
    }

    @Test func ignoresLongAttributes() throws {
        let path = "/" + String(repeating: "x", count: 1024)
        #expect(SetCookie("a=b; path=\(path)")?.path == nil)
        #expect(SetCookie("a=b; path=\(path.dropLast())")?.path?.byteCount == 1024)
    }
}
