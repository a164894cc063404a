import Foundation
import Testing

@testable import StreamsHTTP

/// The public cases of the working group that wrote RFC 6265: fields that a server sets, and those that browsers send
/// afterwards. `.ci/http-state` fetches them, and `STREAMS_HTTP_STATE` names the file.
@Suite(
    .enabled(
        if: HTTPStateCase.path != nil || Program.areRequired, "STREAMS_HTTP_STATE names no file with the cases"))
struct HTTPStateTests {
    /// The time at which the cases were written: their dates were to come then.
    private static let date = Date(timeIntervalSince1970: 1_293_840_000)

    /// The cases that RFC 6265bis decides in another way than RFC 6265, by the reason.
    private static let contradictions = [
        "A field without a name is a cookie without one (section 5.6, step 3).": [
            "0004", "0021", "0023", "0024", "0025", "0026", "0027", "0028", "CHROMIUM0009", "CHROMIUM0010",
            "CHROMIUM0012", "MOZILLA0012", "MOZILLA0014", "MOZILLA0015", "MOZILLA0016", "MOZILLA0017", "NAME0017",
            "NAME0023", "NAME0025", "NAME0028", "NAME0031", "NAME0032", "NAME0033",
        ],
        "A field with a control character is ignored (section 5.6, step 1).": [
            "DISABLED_CHROMIUM0022", "DISABLED_CHROMIUM0023",
        ],
        "Paths are compared as they are, and not decoded (section 5.1.4).": ["DISABLED_PATH0029"],
        "If the last domain is empty, the cookie is for the host (section 5.7, step 7).": ["OPTIONAL_DOMAIN0042"],
    ]

    @Test func sendsWhatBrowsersSend() throws {
        let path = try #require(HTTPStateCase.path)
        let cases = try JSONDecoder().decode([HTTPStateCase].self, from: Data(contentsOf: URL(filePath: path)))
        #expect(cases.count > 200)
        let contradictions = Set(Self.contradictions.values.joined())
        var contradictory: Set<String> = []
        for test in cases {
            let session = CookieSession(at: Self.date)
            session.receive(test.received, from: "http://home.example.org:8888/cookie-parser?\(test.test)")
            let target = test.sentTo ?? "/cookie-parser-result?\(test.test)"
            let url = target.hasPrefix("/") ? "http://home.example.org:8888\(target)" : target
            let expected = test.sent.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
            let field = session.field(for: url)
            if field == expected.joined(separator: "; ") { continue }
            contradictory.insert(test.test)
            #expect(
                contradictions.contains(test.test),
                "\(test.test): \(test.received) to \(url): \(field), and not \(test.sent)")
        }
        #expect(contradictory == contradictions)
    }
}

/// A case: the fields of a response, and the cookies of the next request.
private struct HTTPStateCase: Decodable {
    struct Pair: Decodable {
        let name: String
        let value: String
    }

    /// The file with the cases; `nil` if there is none.
    static let path = ProcessInfo.processInfo.environment["STREAMS_HTTP_STATE"]

    let test: String
    let received: [String]
    let sent: [Pair]
    let sentTo: String?

    enum CodingKeys: String, CodingKey {
        case test, received, sent
        case sentTo = "sent-to"
    }
}
