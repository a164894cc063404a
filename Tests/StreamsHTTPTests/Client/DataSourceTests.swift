import StreamsHTTP
import StreamsLoopback
import Testing

@Suite(.serialized, .reservesDescriptors) struct DataSourceTests {
    private struct Notes: DataSource {
        typealias Item = [Greeting]
        let client: HTTPClient
        var request = HTTPRequest(.get, "/notes", headers: ["X-A": "1"])
    }

    private struct Raw: DataSource {
        let client: HTTPClient
        let request = HTTPRequest(.get, "/raw")
    }

    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        client = server.client()
        server.otherwise { .json(#"[{"text":"\#($0.target)"}]"#) }
    }

    @Test func callersShapeTheRequestTheyRead() async throws {
        let notes = Notes(client: client)
        #expect(try await notes.read() == [Greeting(text: "/notes")])
        let page = try await notes.read { request in
            request
                .addingQueryItem("offset", "10")
                .addingQueryItem("limit", "20")
        }
        #expect(page == [Greeting(text: "/notes?offset=10&limit=20")])
        #expect(server.requests.allSatisfy { $0.headers["X-A"] == "1" })
        #expect(try await Raw(client: client).read() == Data(#"[{"text":"/raw"}]"#.utf8))
    }

    @Test func itemsAreWritten() async throws {
        let client = client.configuring { $0.coders = .json(keys: .snakeCase) }
        let notes = Notes(client: client)
        #expect(try await notes.write(Greeting(text: "ü")).status == .ok)
        try await notes.write(Greeting(text: "x")) { $0.settingMethod(.post).settingPath("/notes/1") }
        #expect(server.requests.map(\.method) == ["PUT", "POST"])
        #expect(server.requests.map(\.target) == ["/notes", "/notes/1"])
        #expect(server.requests.map(\.text) == [#"{"text":"ü"}"#, #"{"text":"x"}"#])
    }

    @Test func itemsAreDeleted() async throws {
        let notes = Notes(client: client)
        try await notes.delete()
        try await notes.delete { $0.settingPath("/notes/7") }
        #expect(server.requests.map(\.method) == ["DELETE", "DELETE"])
        #expect(server.requests.map(\.target) == ["/notes", "/notes/7"])
    }

    @Test func anItemBesideABodyIsRefused() async throws {
        let notes = Notes(client: client, request: HTTPRequest(.put, "/notes", body: .text("mine")))
        let error = try await failure { () async throws(HTTPError) in try await notes.write(Greeting(text: "x")) }
        #expect(error.reason.outline == "thrown.encoder(besideParameters)")
        #expect(server.requests.isEmpty)
    }
}
