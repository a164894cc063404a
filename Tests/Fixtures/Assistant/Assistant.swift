#if canImport(CLibcurl)
import StreamsHTTP

/// Writes at once, also to a pipe, for which `print` waits until it has some KiB.
func show(_ text: String) { write(STDOUT_FILENO, text, text.utf8.count) }

/// Answers a question with a language model, which may call a tool of an MCP server.
@main struct Assistant {
    struct Failure: Error, Decodable { let message: String }
    struct Call: Codable { var id: String?, type: String?, function: [String: String] = [:], index: Int? }
    struct Message: Codable { var role: String?, content: String?, toolCalls: [Call]?, toolCallId: String? }
    struct Choice: Decodable { let delta: Message }
    struct Chunk: Decodable { let choices: [Choice]?, error: Failure? }
    struct Tool: Encodable { let type = "function", function = ["name": "weather", "description": "Needs a city"] }
    struct Question: Encodable { var model = "small", stream = true, tools = [Tool()], messages: [Message] = [] }
    struct Params: Encodable {
        var protocolVersion: String?, capabilities: [String: String]?, clientInfo: [String: String]?
        var name: String?, arguments: [String: String]?
    }
    struct RPC: Encodable { var jsonrpc = "2.0", id: String?, method = "tools/call", params: Params? }
    struct Output: Decodable { let content: [[String: String]] }
    struct Reply: Decodable { let result: Output?, error: Failure? }

    let model: HTTPClient, mcp: HTTPClient

    init(model: String, mcp: String) async throws {
        self.model = HTTPClient(baseURL: URL(string: model)).configuring { $0.coders = .json(keys: .snakeCase) }
        let server = HTTPClient(baseURL: URL(string: mcp)).configuring {
            $0.defaultHeaders = ["Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"]
        }
        let assistant = ["name": "assistant", "version": "1"]
        let hello = Params(protocolVersion: "2025-11-25", capabilities: [:], clientInfo: assistant)
        let greeting = HTTPRequest(.post, "", body: .json(RPC(id: "0", method: "initialize", params: hello)))
        let session = try await server.response(for: greeting).headers["Mcp-Session-Id"]
        self.mcp = server.configuring { $0.defaultHeaders["Mcp-Session-Id"] = session }
        let started = RPC(method: "notifications/initialized")
        _ = try await self.mcp.response(for: HTTPRequest(.post, "", body: .json(started)))
    }

    static func main() async {
        do {
            let arguments = CommandLine.arguments
            guard arguments.count == 4 else { throw Failure(message: "usage: Assistant MODEL-URL MCP-URL QUESTION") }
            try await Assistant(model: arguments[1], mcp: arguments[2]).answer(arguments[3])
        } catch {
            show("\n\(error)\n")
            exit(1)
        }
    }

    func answer(_ question: String) async throws {
        let notices = mcp.serverSentEvents(for: HTTPRequest(.get, ""))
            .sink(receiveCompletion: { _ in }, receiveValue: { show("notice: \($0.data)\n") })
        defer { notices.cancel() }
        var messages = [Message(role: "user", content: question)]
        for _ in 1...8 {
            messages.append(try await ask(messages))
            guard let calls = messages.last?.toolCalls, !calls.isEmpty else { return show("\n") }
            let outputs = calls.publisher.asyncMap(maxConcurrent: 4) { call in
                Message(role: "tool", content: (try? await use(call)) ?? "failed", toolCallId: call.id)
            }
            for await output in outputs.values { messages.append(output) }
        }
        throw Failure(message: "the model calls its tool again and again")
    }

    func ask(_ messages: [Message]) async throws -> Message {
        let request = HTTPRequest(.post, "/chat/completions", body: .json(Question(messages: messages)))
        let events = model.serverSentEvents(for: request, options: FeedOptions(reconnection: .never))
        var text = "", calls: [Int: Call] = [:], isComplete = false
        for try await event in events.prefix(untilOutputFrom: Operators.Signals(SIGINT)).values {
            isComplete = event.data == "[DONE]"
            if isComplete { continue }
            let chunk = try event.decoded(as: Chunk.self, using: model.configuration.coders.decoder)
            if let failure = chunk.error { throw failure }
            guard let delta = chunk.choices?.first?.delta else { continue }
            for part in delta.toolCalls ?? [] {
                let start = Call(id: part.id, type: part.type)
                calls[part.index ?? 0, default: start].function.merge(part.function) { $0 + $1 }
            }
            text += delta.content ?? ""
            show(delta.content ?? "")
        }
        guard isComplete else { throw Failure(message: "the answer is incomplete") }
        return Message(role: "assistant", content: text, toolCalls: calls.sorted { $0.key < $1.key }.map(\.value))
    }

    func use(_ call: Call) async throws -> String {
        let arguments = try JSONDecoder().decode(
            [String: String].self, from: Data((call.function["arguments"] ?? "{}").utf8))
        let use = RPC(id: call.id, params: Params(name: call.function["name"], arguments: arguments))
        let response = try await mcp.response(for: HTTPRequest(.post, "", body: .json(use)))
        let isStream = response.headers["Content-Type"]?.hasPrefix("text/event-stream") == true
        let events = Just(response.body).serverSentEvents().map { Data($0.data.utf8) }.filter { !$0.isEmpty }
        let texts = isStream ? try await events.collect().first().value ?? [] : [response.body]
        let replies = try texts.map { try JSONDecoder().decode(Reply.self, from: $0) }
        if let failure = replies.compactMap(\.error).first { throw failure }
        return replies.compactMap(\.result).flatMap(\.content).compactMap { $0["text"] }.joined()
    }
}
#else
@main struct Assistant {
    static func main() { print("A client of StreamsHTTP alone needs libcurl.") }
}
#endif
