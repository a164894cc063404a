import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// The program of the article "Streaming from language models and MCP servers", as a process of its own.
@Suite(.reservesDescriptors) struct LanguageModelsSamples {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private var questions: [RecordedRequest] { server.requests.filter { $0.path == "/v1/chat/completions" } }

    private func assistant() throws -> Running {
        let arguments = [server.url("/v1"), server.url("/mcp"), "Where is it warmer?"]
        return try Tool(arguments, program: "Assistant").start()
    }

    private static func stream(_ texts: [String]) -> Reply {
        let body = Reply.Body(texts.map { .bytes(Array("data: \($0)\n\n".utf8)) }, framing: .chunked)
        return Reply(headers: ["Content-Type": "text/event-stream"], body: body)
    }

    private static func delta(_ delta: String) -> String {
        #"{"id":"1","choices":[{"index":0,"delta":\#(delta),"finish_reason":null}]}"#
    }

    private static func delta(call: String) -> String {
        delta(#"{"tool_calls":[\#(call)]}"#)
    }

    private struct RPC: Decodable {
        struct Params: Decodable { let arguments: [String: String]? }
        let method: String, id: String?, params: Params?
    }

    private static func rpc(in request: RecordedRequest) -> RPC? {
        try? JSONDecoder().decode(RPC.self, from: Data(request.body))
    }

    /// An MCP server whose tool answers once both calls have arrived: one with JSON, one with a stream of events.
    private func openSession(holdingCallsBy gate: Gate) {
        server.on("POST", "/mcp") { request in
            let call = Self.rpc(in: request)
            if call?.method == "notifications/initialized" { return .status(202) }
            if let call, let id = call.id, let city = call.params?.arguments?["city"] {
                let result = #"{"content":[{"type":"text","text":"\#(city): 20"}],"isError":false}"#
                let answer = #"{"jsonrpc":"2.0","id":"\#(id)","result":\#(result)}"#
                let progress = #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#
                let reply = city == "Paris" ? Reply.json(answer) : Self.stream(["", progress, answer])
                return reply.held(by: gate)
            }
            return Reply(
                headers: ["Content-Type": "application/json", "Mcp-Session-Id": "s1"],
                body: .text(#"{"jsonrpc":"2.0","id":"0","result":{"protocolVersion":"2025-11-25"}}"#))
        }
        var notices = FeedScript(.serverSentEvents, count: 9, .elements(2, then: .close), .elements(2, then: .stall))
        notices.retry = .milliseconds(10)
        server.on("GET", "/mcp", feed: notices)
    }

    @Test func answersWithToolsThatRunInParallel() async throws {
        let (calls, end) = (Gate(), Gate())
        openSession(holdingCallsBy: calls)
        let parts = [
            Self.delta(#"{"role":"assistant","content":"Let me see. "}"#),
            Self.delta(call: #"{"index":0,"id":"call_1","type":"function","function":{"name":"weather"}}"#),
            Self.delta(call: #"{"index":0,"function":{"arguments":"{\"city\":"}}"#),
            Self.delta(call: #"{"index":0,"function":{"arguments":"\"Paris\"}"}}"#),
            Self.delta(call: #"{"index":1,"id":"call_2","type":"function","function":{"name":"weather"}}"#),
            Self.delta(call: #"{"index":1,"function":{"arguments":"{\"city\":\"Rome\"}"}}"#),
        ]
        server.on(
            "POST", "/v1/chat/completions",
            Self.stream(parts + ["[DONE]"]),
            Self.stream([Self.delta(#"{"content":"In "}"#), Self.delta(#"{"content":"Rome."}"#), "[DONE]"]).held(
                by: end))
        let assistant = try assistant()
        try await server.wait { $0.requests.count { Self.rpc(in: $0)?.method == "tools/call" } == 2 }
        calls.open()
        let listening = try await server.wait { $0.requests.count { $0.method == "GET" } == 2 }
        end.open()

        let run = try await assistant.end(within: .seconds(60))
        #expect(run.status == 0)
        // A notice may come at any time.
        #expect(run.text.replacing(#/notice: .*\n/#, with: "").hasSuffix("In Rome.\n"), "\(run.text)")
        #expect(run.text.contains("Let me see. ") && run.text.contains(#"notice: {"n":2}"#))
        let positions = listening.requests.filter { $0.method == "GET" }.map { $0.headers["Last-Event-ID"] }
        #expect(positions == [nil, "2"])
        #expect(server.requests.filter { $0.path == "/mcp" }.map { $0.headers["Mcp-Session-Id"] }.first == .some(nil))
        #expect(
            server.requests.filter { $0.path == "/mcp" }.dropFirst().allSatisfy {
                $0.headers["Mcp-Session-Id"] == "s1" && $0.headers["MCP-Protocol-Version"] == "2025-11-25"
            })
        #expect(questions.count == 2)
        #expect(try outputs(in: questions[1]) == ["call_1": "Paris: 20", "call_2": "Rome: 20"])
    }

    /// The texts of the tools in a question.
    private func outputs(in request: RecordedRequest) throws -> [String: String] {
        struct Message: Decodable { let role: String, content: String?, toolCallId: String? }
        struct Question: Decodable { let messages: [Message] }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let messages = try decoder.decode(Question.self, from: Data(request.body)).messages
        #expect(messages.map(\.role) == ["user", "assistant", "tool", "tool"])
        return Dictionary(uniqueKeysWithValues: messages.suffix(2).map { ($0.toolCallId ?? "", $0.content ?? "") })
    }

    /// A request to a model is not idempotent, so none of these is sent again.
    @Test(arguments: [
        (stream([delta(#"{"content":"It"}"#), #"{"error":{"message":"overloaded","type":"server"}}"#]), "overloaded"),
        (stream([delta(#"{"content":"It"}"#)]), "the answer is incomplete"),
        (stream([delta(#"{"content":"It"}"#)]).failing(with: .close(at: .inBody(after: .max))), "ended early"),
        (stream([delta("1")]), "DecodingError.typeMismatch"),
        (.status(503), "503"),
    ])
    func failsWithoutAnotherRequest(reply: Reply, message: String) async throws {
        openSession(holdingCallsBy: Gate())
        server.on("POST", "/v1/chat/completions", reply)
        let run = try await assistant().end(within: .seconds(60))
        #expect(run.status == 1)
        #expect(run.text.contains(message), "\(run.text)")
        #expect(questions.count == 1)
    }

    @Test func abortsTheRequestOnAnInterrupt() async throws {
        openSession(holdingCallsBy: Gate())
        server.on(
            "POST", "/v1/chat/completions",
            Self.stream([Self.delta(#"{"content":"It"}"#)]).failing(with: .stall(at: .inBody(after: .max))))
        let assistant = try assistant()
        let journal = try await server.wait { $0.requests.contains { $0.path == "/v1/chat/completions" } }
        assistant.send(SIGINT)
        let number = try #require(journal.requests.last { $0.path == "/v1/chat/completions" }?.number)
        try await server.waitForDisconnection(of: number)
        let run = try await assistant.end(within: .seconds(60))
        #expect(run.status == 1 && run.text.contains("the answer is incomplete"))
    }

    @Test func hidesTheSession() {
        #expect(HTTPHeaders.Field(name: "Mcp-Session-Id", value: "s1").isSensitive)
    }

    @Test func articleHasTheProgramThatRuns() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/LanguageModels.md")
        try article.expectProgram("Tests/Fixtures/Assistant/Assistant.swift", maxLineCount: 100)
    }
}
