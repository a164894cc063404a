import Testing

@testable import StreamsHTTP

@Suite struct DeclaredLengthTests {
    /// RFC 9110, section 8.6: digits, and nothing else.
    @Test(arguments: [("5", 5), ("+5", nil), ("-5", nil), ("5.0", nil), ("", nil)] as [(String, Int64?)])
    func aLengthIsMadeOfDigits(text: String, length: Int64?) throws {
        let url = try #require(URL(string: "http://h/"))
        let head = HTTPResponse(status: .ok, headers: ["Content-Length": text], body: (), url: url)
        #expect(head.contentLength(inAnswerTo: .get) == length)
        #expect(head.contentLength(inAnswerTo: .head) == nil)
    }
}
