import StreamsHTTP
import StreamsLoopback
import Testing

/// Feeds of a service that knows one token at a time.
@Suite(.reservesDescriptors) struct FeedAuthorizationTests {
    private func record(_ accounts: AccountServer) async throws -> FeedRecording<ServerSentEvent<String>> {
        let recorder = FeedRecorder<ServerSentEvent<String>>()
        let request = HTTPRequest(.get, "/feed")
        accounts.client().serverSentEvents(for: request, options: .immediate).events.subscribe(recorder)
        return try await recorder.finished()
    }

    @Test func refreshesCredentialsAndGoesOn() async throws {
        let accounts = try AccountServer(access: "old")
        let token = accounts.token
        accounts.server.on("POST", "/refresh") { _ in .json(#"{"access":"\#(token.value)"}"#) }
        accounts.server.on("GET", "/feed") { request in
            guard request.headers["Authorization"] == "Bearer \(token.value)" else { return .status(401) }
            let last = request.headers["Last-Event-ID"].flatMap(Int.init) ?? 0
            guard last < 3 else { return .status(204) }
            // Each connection is the last one of its token.
            token.update { $0 = "token \(last)" }
            return Reply(
                headers: ["Content-Type": "text/event-stream"], body: .text("id: \(last + 1)\ndata: \(last + 1)\n\n"))
        }
        let recording = try await record(accounts)
        #expect(recording.failure == nil)
        #expect(recording.elements.map(\.data) == ["1", "2", "3"])
        #expect(recording.outline.count { $0 == "open 200" } == 3)
        #expect(!recording.outline.contains("waiting: status"))
        #expect(accounts.requests("/refresh").count == 4)
    }

    @Test func failsWhenTheNewCredentialsAreRefusedToo() async throws {
        let accounts = try AccountServer(access: "old")
        accounts.server.on("GET", "/feed", .status(401))
        let recording = try await record(accounts)
        #expect(recording.failure?.response?.status == .unauthorized)
        #expect(accounts.requests("/feed").count == 2)
    }
}
