import Foundation
import Testing

@testable import StreamsHTTP

/// Texts of fields, and the bytes that they stand for.
@Suite struct FieldTextTests {
    @Test(arguments: [
        ([], "", false), (Array("caf\u{e9}".utf8), "caf\u{e9}", false), ([0x63, 0xE9], "c\u{e9}", true),
        // Valid UTF-8 and other bytes in one text: all are read as ISO-8859-1.
        ([0xC3, 0xA9, 0xE9], "\u{c3}\u{a9}\u{e9}", true), ([0x80, 0xFF], "\u{80}\u{ff}", true),
    ])
    func readsUTF8OrElseLatin1(bytes: [UInt8], string: String, isLatin1: Bool) throws {
        let text = FieldText(bytes: bytes)
        #expect(text.string == string && text.isLatin1 == isLatin1)
        #expect(text.bytes == bytes && text.byteCount == bytes.count)
        let copy = try JSONDecoder().decode([FieldText].self, from: JSONEncoder().encode([text]))
        #expect(copy == [text])
    }

    @Test func comparesBytes() {
        #expect(FieldText(bytes: [0xE9]) != "\u{e9}")
        // Canonically equivalent.
        #expect(FieldText("\u{e9}") != FieldText("e\u{301}"))
        #expect(FieldText(bytes: [0xE9]) == FieldText(bytes: [0xE9]))
        #expect(Set([FieldText(bytes: [0xE9]), "\u{e9}", "e\u{301}", FieldText(bytes: [0xE9])]).count == 3)
    }

    /// A part of bytes that are not valid UTF-8 may be valid.
    @Test func readsPartsAnew() {
        let text = FieldText(bytes: [0xC3, 0xA9, 0x3D, 0xE9])
        let parts = text.string.split(separator: "=").map { FieldText($0, of: text) }
        #expect(parts == ["\u{e9}", FieldText(bytes: [0xE9])])
    }

    @Test func appendsBytes() {
        let texts: [FieldText] = ["\u{e9}", FieldText(bytes: [0xE9])]
        for (first, second) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            var text = texts[first]
            text.append("; ", texts[second])
            #expect(text == FieldText(bytes: texts[first].bytes + "; ".utf8 + texts[second].bytes))
        }
        #expect(([] as [FieldText]).joined(separator: ",") == "")
    }

    @Test func encodesOnlyBytesThatAreNotUTF8() {
        #expect(FieldText(bytes: Array("/a b%20?".utf8) + [0xC3, 0xA9, 0xE9]).urlText == "/a b%20?%C3%A9%E9")
        #expect(FieldText("/\u{e9}").urlText == "/\u{e9}")
    }
}

/// The bytes of header fields.
@Suite struct HTTPHeadersBytesTests {
    @Test func keepsBytes() {
        var headers: HTTPHeaders = [.accept: "*/*"]
        headers[bytes: "X-A"] = [0x63, 0xE9]
        headers.add(HTTPHeaders.Field(name: "x-a", bytes: [0xFF], isSensitive: true))
        #expect(headers["x-a"] == "c\u{e9}" && headers[bytes: "x-a"] == [0x63, 0xE9])
        #expect(headers.values(for: "X-A") == ["c\u{e9}", "\u{ff}"] && headers.map(\.bytes).last == [0xFF])
        #expect(headers[bytes: .accept] == Array("*/*".utf8) && headers[bytes: "X-B"] == nil)
        headers[bytes: "X-a"] = [0xE8]
        #expect(headers.values(for: "X-A") == ["\u{e8}"] && headers.last?.isSensitive == true)
        headers[bytes: .accept] = nil
        #expect(headers.map(\.name) == ["X-a"])
    }

    @Test func textReplacesBytes() {
        var field = HTTPHeaders.Field(name: "X-A", bytes: [0xE9])
        #expect(field != HTTPHeaders.Field(name: "x-a", value: "\u{e9}"))
        field.value = field.value
        #expect(field == HTTPHeaders.Field(name: "x-a", value: "\u{e9}") && field.bytes == [0xC3, 0xA9])
        field.bytes = [0xE9]
        #expect(field.hashValue == HTTPHeaders.Field(name: "x-A", bytes: [0xE9]).hashValue)
    }

    @Test(arguments: [[0xE9, 0x0D, 0x0A], [0xE9, 0], [0x7F, 0xFF]] as [[UInt8]])
    func refusesControlCharacters(bytes: [UInt8]) async {
        await expect(refusing: .headerValue(of: "X-Value")) {
            var request = HTTPRequest(.get, "http://127.0.0.1/")
            request.headers[bytes: "X-Value"] = bytes
            return request
        }
    }

    @Test func redactionKeepsBytes() {
        let headers = HTTPHeaders([
            HTTPHeaders.Field(name: "Location", bytes: Array("/\u{e9}".utf8) + [0xE9] + Array("?token=s3cret".utf8)),
            HTTPHeaders.Field(name: "Link", bytes: [0xE9]), HTTPHeaders.Field(name: "X-A", bytes: [0xE9]),
            HTTPHeaders.Field(name: "Cookie", bytes: [0xE9]),
        ])
        let bytes = Redaction.usual.redacting(headers).map(\.bytes)
        #expect(bytes[0] == Array("/\u{e9}".utf8) + [0xE9] + Array("?token=\(Redaction.mark)".utf8))
        #expect(bytes.dropFirst() == [[0xE9], [0xE9], Array(Redaction.mark.utf8)])
    }
}
