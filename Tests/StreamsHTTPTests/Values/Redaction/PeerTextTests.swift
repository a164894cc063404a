import StreamsHTTP
import StreamsLoopback
import Testing

/// Control characters of a server reach no line of a log and no error.
@Suite(.reservesDescriptors) struct PeerTextTests {
    /// C0 but line breaks, DEL, C1, line and paragraph separators, and controls of the direction of text.
    static let controls = [
        "\u{1B}[2J", "\u{7}", "\u{7F}", "\u{9B}31m", "\u{85}", "\u{2028}", "\u{2029}", "\u{202E}", "\u{2066}",
    ]

    static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: false
            default: true
            }
        }
    }

    @Test(arguments: [
        ("plain ä 🎈", "plain ä 🎈"), ("a\n\r\tb", #"a\n\r\tb"#), ("\u{1B}[31m", #"\u{1B}[31m"#),
        ("\u{0}\u{7F}\u{9F}", #"\u{0}\u{7F}\u{9F}"#), ("\r\n", #"\r\n"#), ("a\u{2028}\u{301}", "a\\u{2028}\u{301}"),
        ("\u{202E}x\u{2069}", #"\u{202E}x\u{2069}"#), ("\\n", "\\n"),
    ])
    func escapesText(text: String, printable: String) {
        #expect(text.printable == printable)
    }

    @Test(arguments: controls) func escapesLocations(control: String) async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .redirect(to: "http://[a\(control)b]/"))
        let lines = Watched<[String]>([])
        let client = server.client().configuring {
            $0.monitors = [LogMonitor(.everything) { line in lines.update { $0.append(line) } }]
        }
        let error = try await failure { () throws(HTTPError) in try await client.response(for: HTTPRequest(.get, "/")) }
        guard case .redirect(let redirect) = error.reason, case .unfollowable = redirect else {
            Issue.record("failed with \(error)")
            return
        }
        let location = try #require(redirect.value)
        for text in lines.value + ["\(error)", "\(error.reason)", location] { #expect(Self.isPlain(text), "\(text)") }
    }

    @Test(arguments: controls) func escapesFields(control: String) async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", Reply(404, reason: "no\(control)t", headers: ["X-Odd": "a\(control)b"]))
        let error = try await failure { () throws(HTTPError) in
            try await server.client().response(for: HTTPRequest(.get, "/"))
        }
        let headers = try #require(error.response?.headers)
        #expect(headers["X-Odd"] == "a\(control)b")
        for field in headers { #expect(Self.isPlain("\(field)"), "\(field)") }
        #expect(headers.description.split(separator: "\n").allSatisfy { Self.isPlain(String($0)) })
        var dumped = ""
        dump(error, to: &dumped)
        #expect(dumped.split(separator: "\n").allSatisfy { Self.isPlain(String($0)) }, "\(dumped)")
    }

    @Test(arguments: controls + ["\n#1 finished", "\r\n"]) func escapesGaps(control: String) {
        struct Refused: Error, CustomStringConvertible {
            let description: String
        }
        let gap = FeedGap.undecodable(Refused(description: "a\(control)b"))
        #expect(Self.isPlain("\(gap)"), "\(gap)")
    }

    /// A decoder's error contains the server's text.
    @Test(arguments: controls + ["\n#1 finished", "\r\n"]) func escapesErrors(control: String) async throws {
        struct Refused: Error, CustomStringConvertible {
            let description: String
        }
        struct Decoder: DataDecoder {
            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
                throw Refused(description: String(decoding: data, as: UTF8.self))
            }
        }
        let server = try LoopbackServer()
        server.on("GET", "/", .text("a\(control)b"))
        let lines = Watched<[String]>([])
        let client = server.client().configuring {
            $0.coders = CoderRegistry(decoder: Decoder())
            $0.monitors = [LogMonitor { line in lines.update { $0.append(line) } }]
        }
        let error = try await failure { () throws(HTTPError) in
            try await client.value(for: Call<Greeting>(.get, "/"))
        }
        _ = try await lines.wait(for: "the end") { $0.contains { $0.contains("failed after") } }
        for text in lines.value + ["\(error)"] { #expect(Self.isPlain(text), "\(text)") }
    }
}
