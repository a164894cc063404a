import StreamsHTTP
import StreamsLoopback
import Testing

// What the document on a basic networking framework shows, written with Streams.

// MARK: A request

struct SomeRequest: Endpoint {
    let path = "/path1/path2"
    let method = HTTPMethod.post
    let query = [QueryItem("query", "value")]
    let body: HTTPBody

    init(body: some Encodable) throws {
        self.body = try .json(body)
    }

    // MARK: Transforming

    func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) throws -> Greeting {
        switch response.status {
        case .ok: return try decoder.decode(Greeting.self, from: response.body)
        default: throw response.status
        }
    }
}

@Suite struct NetworkingGallery {
    private let live: LoopbackServer
    private let test: LoopbackServer

    init() throws {
        live = try LoopbackServer()
        test = try LoopbackServer()
    }

    @Test func oneRequestAgainstLiveAndTestServers() async throws {
        live.on("POST", "/path1/path2", .json(#"{"text":"live"}"#))
        test.on("POST", "/path1/path2", .json(#"{"text":"test"}"#))
        let myRequest = try SomeRequest(body: Greeting(text: "hello"))

        let controller = HTTPClient(baseURL: URL(string: live.url("")))
        let content = try await controller.value(for: myRequest)
        #expect(content.text == "live")

        let content2 = try await HTTPClient(baseURL: URL(string: test.url(""))).value(for: myRequest)
        #expect(content2.text == "test")

        let request = try #require(live.requests.first)
        #expect(request.target == "/path1/path2?query=value" && request.headers["Content-Type"] == "application/json")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"text":"hello"}"#)
    }

    @Test func theWholeResponse() async throws {
        live.on("POST", "/path1/path2", .json(#"{"text":"live"}"#))
        let response = try await live.client().response(for: SomeRequest(body: Greeting(text: "hello")))
        #expect(response.status == .ok && response.body.text == "live")
        #expect(response.headers["Content-Type"]?.hasPrefix("application/json") == true)
    }

    @Test func aStatusIsThrownAndMatched() async throws {
        live.on("POST", "/path1/path2", .json("{}", status: 202))
        do throws(HTTPError) {
            _ = try await live.client().value(for: try request())
            Issue.record("no error")
        } catch {
            guard case .decoding(let reason, _) = error.reason, case .accepted = reason as? HTTPStatus else {
                Issue.record("\(error)")
                return
            }
        }
    }

    private func request() throws(HTTPError) -> SomeRequest {
        do {
            return try SomeRequest(body: Greeting(text: "hello"))
        } catch {
            throw HTTPError(.body(error), request: HTTPError.RequestSummary(method: .post, url: "/path1/path2"))
        }
    }

    @Test func aSessionIsMockedByATransport() async throws {
        let transport = ScriptedTransport { request, receiver in
            receiver.receive(.head(HTTPResponse(status: .ok, body: (), url: request.url)))
            receiver.receive(.chunk(Data(#"{"text":"mocked"}"#.utf8), received: 17))
            receiver.receive(.finished)
            return ScriptedExchange()
        }
        let configuration = HTTPClient.Configuration(baseURL: URL(literal: "https://www.test.com"))
        let controller = HTTPClient(configuration: configuration, transport: transport)
        #expect(try await controller.value(for: SomeRequest(body: Greeting(text: "hello"))).text == "mocked")
    }
}
