import StreamsHTTP
import Testing

@Suite struct URLLiteralTests {
    @Test func aLiteralIsAURL() {
        let url = URL(literal: "https://api.example.com/v1?x=%20#f")
        #expect(url.absoluteString == "https://api.example.com/v1?x=%20#f")
        #expect(URL(literal: "http://[::1]:8080/").port == 8080)
    }

    @Test func aLiteralWithoutASchemeEndsTheProgram() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = URL(literal: "api.example.com/v1")
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains(#""api.example.com/v1" is no absolute URL"#))
        #expect(text.contains("URLLiteralTests.swift"))
    }

    @Test func aClientTakesALiteral() async {
        let url = HTTPClient(baseURL: "https://api.example.com/v1").configuration.baseURL
        #expect(url?.absoluteString == "https://api.example.com/v1")
        await #expect(processExitsWith: .failure) { _ = HTTPClient(baseURL: "api.example.com/v1") }
    }

    @Test func aLiteralThatWouldHaveToBeEncodedEndsTheProgram() async {
        await #expect(processExitsWith: .failure) { _ = URL(literal: "https://h/a b") }
        await #expect(processExitsWith: .failure) { _ = URL(literal: "https://h/ü") }
        await #expect(processExitsWith: .failure) { _ = URL(literal: "https:///path") }
    }
}
