import Foundation
import Testing

@testable import StreamsHTTP

/// Encoded values, compared with those of Python's `urllib` and `email`.
@Suite(.needs(.python3), .reservesDescriptors) struct PythonTests {
    private struct Pair: Codable, Equatable {
        let name: String
        let value: String
    }

    private let pairs = nastyTexts.map { Pair(name: "n\($0)", value: $0) }

    /// Returns the output of a program for a value.
    private func python<Output: Decodable>(_ program: String, _ input: some Encodable) throws -> Output {
        let output = try Program.python3.output(of: ["-c", program], input: JSONEncoder().encode(input))
        return try JSONDecoder().decode(Output.self, from: output)
    }

    private var query: HTTPQuery { HTTPQuery(pairs.map { ($0.name, $0.value) }) }

    @Test func queriesAreEncodedAsURLLibEncodesThem() throws {
        let program = """
            import json, sys, urllib.parse as u
            pairs = [(p["name"], p["value"]) for p in json.load(sys.stdin)]
            print(json.dumps([u.urlencode(pairs, quote_via=u.quote, safe="")]))
            """
        let expected: [String] = try python(program, pairs)
        #expect([query.percentEncoded] == expected)
    }

    @Test func segmentsAreEncodedAsURLLibEncodesThem() throws {
        let program = """
            import json, sys, urllib.parse as u
            print(json.dumps(["/".join(u.quote(t, safe="") for t in json.load(sys.stdin))]))
            """
        let expected: [String] = try python(program, nastyTexts)
        #expect([HTTPRequest.path(components: nastyTexts)] == expected)
    }

    /// `urllib` follows RFC 3986 where the WHATWG's form differs, in two characters.
    @Test func formsAreEncodedAsURLLibEncodesThem() throws {
        let program = """
            import json, sys, urllib.parse as u
            pairs = [(p["name"], p["value"]) for p in json.load(sys.stdin)]
            print(json.dumps([u.urlencode(pairs, safe="*").replace("~", "%7E")]))
            """
        let expected: [String] = try python(program, pairs)
        #expect([query.formEncoded] == expected)
    }

    @Test func formsAreReadByURLLibAsTheyWereMeant() throws {
        let program = """
            import json, sys, urllib.parse as u
            pairs = u.parse_qsl(json.load(sys.stdin)[0], keep_blank_values=True)
            print(json.dumps([{"name": n, "value": v} for n, v in pairs]))
            """
        #expect(try python(program, [query.formEncoded]) == pairs)
        #expect(try python(program, [query.percentEncoded]) == pairs)
    }

    private struct ParsedPart: Codable, Equatable {
        let name: String
        let filename: String?
        let type: String?
        let content: Data
    }

    /// Names as the HTML standard writes them.
    private func escaped(_ text: String) -> String {
        text.replacing("\"", with: "%22").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
            .replacing("\r\n", with: "%0D%0A")
    }

    @Test func partsAreReadByEmailAsTheyWereMeant() throws {
        // A backslash in a header means itself to the HTML standard, and what follows it to `email`.
        let names = nastyTexts.filter { !$0.contains("\\") && !$0.isEmpty && !$0.contains("\u{7f}") }
        let bytes = Data((0...255).map { UInt8($0) } + Array("\r\n--b".utf8))
        var form = MultipartForm(names.map { .data($0, Data($0.utf8) + bytes, filename: $0) })
        for text in nastyTexts { form.append(.text("text", text)) }
        let body = try HTTPBody.multipart(form)
        guard case .data(let data) = body.content else { throw UnexpectedSuccess() }
        let program = """
            import base64, email, email.message, json, sys
            given = json.load(sys.stdin)
            head = ("Content-Type: " + given["name"] + "\\r\\n\\r\\n").encode()
            message = email.message_from_bytes(head + base64.b64decode(given["value"]))
            parts = []
            for part in message.get_payload():
                raw = dict(part._headers)["Content-Disposition"]
                part.replace_header("Content-Disposition", raw.encode("ascii", "surrogateescape").decode())
                content = base64.b64encode(part.get_payload(decode=True)).decode()
                names = {key: part.get_param(key, header="content-disposition") for key in ("name", "filename")}
                parts.append(names | {"type": part.get("content-type"), "content": content})
            print(json.dumps(parts))
            """
        let contentType = try #require(body.contentType)
        let parsed: [ParsedPart] = try python(program, Pair(name: contentType, value: data.base64EncodedString()))
        let expected =
            names.map { name in
                // A line break of a name is one of two characters, whatever it was.
                let lines = name.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
                return ParsedPart(
                    name: escaped(lines).replacing("%0A", with: "%0D%0A"), filename: escaped(name),
                    type: "application/octet-stream", content: Data(name.utf8) + bytes)
            }
            + nastyTexts.map { ParsedPart(name: "text", filename: nil, type: nil, content: Data($0.utf8)) }
        #expect(parsed.count == expected.count)
        for (found, wanted) in zip(parsed, expected) { #expect(found == wanted) }
    }
}
