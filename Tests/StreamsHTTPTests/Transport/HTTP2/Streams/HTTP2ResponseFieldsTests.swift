import Testing

@testable import StreamsHTTP

/// The fields of responses by HTTP/2 (RFC 9113, sections 8.2 and 8.3).
struct HTTP2ResponseFieldsTests {
    typealias Field = HTTPHeaders.Field

    private static let status = Field(name: ":status", value: "200")

    @Test func readsTheStatusAndTheFields() throws {
        let fields = try HTTP2ResponseFields([
            Field(name: ":status", value: "418"), Field(name: "a", value: "1"), Field(name: "set-cookie", value: "b=c"),
            Field(name: "a", value: ""), Field(name: "!#$%&'*+-.^_`|~9", value: "\u{1}\u{7F}é,\tx"),
            Field(name: "te", value: "trailers"),
        ])
        #expect(fields.status == 418)
        #expect(
            fields.headers.fields.map(\.name) == ["a", "set-cookie", "a", "!#$%&'*+-.^_`|~9", "te"])
        #expect(fields.headers.fields.map(\.value) == ["1", "b=c", "", "\u{1}\u{7F}é,\tx", "trailers"])
    }

    @Test func trailersHaveNoStatus() throws {
        #expect(try HTTP2ResponseFields([]).status == nil)
        let fields = try HTTP2ResponseFields([Field(name: "digest", value: "x")])
        #expect(fields.status == nil && fields.headers == ["digest": "x"])
    }

    @Test func bytesOfValuesAreKept() throws {
        let bytes: [UInt8] = [0x20, 0xE9, 0x20, 0xFF, 0x09]
        let fields = try HTTP2ResponseFields([Self.status, Field(name: "a", bytes: bytes)])
        #expect(fields.headers.fields.first?.bytes == [0xE9, 0x20, 0xFF])
        // The bytes that are left may be UTF-8.
        let blank = try HTTP2ResponseFields([Self.status, Field(name: "a", value: " \t ")])
        #expect(blank.headers.fields.first?.bytes == [])
    }

    // Section 8.2.2 names the fields of a connection, 8.2.1 the bytes of names and values.
    @Test(arguments: [
        ("connection", "close"), ("keep-alive", "timeout=5"), ("proxy-connection", "keep-alive"),
        ("transfer-encoding", "chunked"), ("transfer-encoding", ""), ("upgrade", "h2c"), ("A", "b"), ("aB", "c"),
        ("", "a"), ("a b", "c"), ("a:", "b"), (":", "b"), ("é", "b"), ("a\u{0}", "b"), ("a\r\nb", "c"),
        ("a", "b\u{0}c"),
        ("a", "b\rc"), ("a", "b\nc"), ("a", "b\r\nx: y"), ("a", "\r"), (":status", "200"), (":path", "/"),
        (":Status", "200"), ("\u{7F}", "a"),
    ])
    func refusesMalformedFields(name: String, value: String) {
        let field = Field(name: name, value: value)
        for fields in [[Self.status, field], [Self.status, Field(name: "a", value: "b"), field]] {
            let error = #expect(throws: HTTP2StreamError.self) { try HTTP2ResponseFields(fields) }
            #expect(error?.code == .protocolError)
            #expect(error.map { TransportFailure($0.reason).text } == "field")
        }
    }

    // Section 8.3.2: three digits, and first.
    @Test(arguments: ["", "20", "2000", "+20", "20x", "099", "600", "999", " 200", "２００", "200 OK"])
    func refusesMalformedStatuses(value: String) {
        let error = #expect(throws: HTTP2StreamError.self) {
            try HTTP2ResponseFields([Field(name: ":status", value: value)])
        }
        #expect(error?.code == .protocolError)
        #expect(error.map { TransportFailure($0.reason).text } == "status")
    }

    @Test(arguments: [":path", ":method", ":protocol", ":", ":statuS"])
    func refusesOtherPseudoHeaderFields(name: String) {
        #expect(throws: HTTP2StreamError.self) { try HTTP2ResponseFields([Field(name: name, value: "200")]) }
    }
}
