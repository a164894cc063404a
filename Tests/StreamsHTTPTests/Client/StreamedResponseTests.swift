import StreamsHTTP
import StreamsLoopback
import Testing

/// Responses that are returned with their head, before their body.
@Suite(.reservesDescriptors) struct StreamedResponseTests {
    private let server: LoopbackServer
    private let client: HTTPClient
    private let get = HTTPRequest(.get, "/")

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 1 << 20))
        client = server.client()
    }

    /// Returns the rest of a body.
    private func rest(of body: some AsyncSequence<Data, HTTPError>) async throws(HTTPError) -> Data {
        var rest = Data()
        for try await chunk in body { rest.append(chunk) }
        return rest
    }

    private func text(of body: some AsyncSequence<Data, HTTPError>) async throws(HTTPError) -> String {
        String(decoding: try await rest(of: body), as: UTF8.self)
    }

    private func repeating(_ retries: Int = 1) -> HTTPRequest {
        get.settingOptions { $0.retry = RetryPolicy(maxRetries: retries, backoff: .constant(.zero)) }
    }

    @Test func returnsTheHeadBeforeTheBody() async throws {
        let gate = Gate()
        server.on("GET", "/", Reply(headers: ["X-Kind": "log"], body: .chunked(.hold(gate), "body")))
        let response = try await client.streamedResponse(for: get)
        #expect(response.status == .ok && response.headers["X-Kind"] == "log")
        gate.open()
        #expect(try await text(of: response.body) == "body")
    }

    @Test func deliversEveryByteOnDemand() async throws {
        server.on("GET", "/", .generated(8 << 20))
        let response = try await client.streamedResponse(for: get)
        let body = try await rest(of: response.body)
        #expect(body.count == 8 << 20 && GeneratedBytes.matches(body, at: 0))
    }

    @Test func streamsIntoAnotherRequest() async throws {
        server.on("GET", "/", .generated(1 << 20))
        server.on("PUT", "/copy", .status(201))
        let response = try await client.streamedResponse(for: get)
        let copy = HTTPRequest(.put, "/copy", body: .stream(length: 1 << 20, response.body.publisher))
        #expect(try await client.response(for: copy).status == .created)
        let received = try #require(server.requests.last)
        #expect(received.bodyCount == 1 << 20 && GeneratedBytes.matches(received.body, at: 0))
    }

    @Test func readsEachChunkOnce() async throws {
        let gate = Gate()
        server.on("GET", "/", Reply(body: .chunked("first", .hold(gate), "second")))
        let body = try await client.streamedResponse(for: get).body
        var first = body.makeAsyncIterator()
        #expect(try await first.next() == Data("first".utf8))
        gate.open()
        #expect(try await text(of: body) == "second")
        #expect(try await first.next() == nil)
    }

    @Test func throwsAnErrorWithItsBody() async throws {
        server.on("GET", "/", .text("gone", status: 404))
        let error = try await failure { () async throws(HTTPError) in _ = try await client.streamedResponse(for: get) }
        #expect(error.status == .notFound && error.response?.body == Data("gone".utf8))
    }

    @Test func throwsWhereTheValidationRefusesTheHead() async throws {
        server.on("GET", "/", .text("<html>"))
        let request = get.settingOptions { $0.validation = .custom { $0.headers["Content-Type"] == "text/csv" } }
        let error = try await failure { () async throws(HTTPError) in
            _ = try await client.streamedResponse(for: request)
        }
        #expect(error.status == .ok && error.response?.body == Data("<html>".utf8))
    }

    @Test func returnsEveryStatusIfAsked() async throws {
        server.on("GET", "/", .text("gone", status: 404))
        let response = try await client.streamedResponse(for: get.settingOptions { $0.validation = .acceptAll })
        #expect(response.status == .notFound)
        #expect(try await text(of: response.body) == "gone")
    }

    @Test func returnsTheHeadOfTheLastAttempt() async throws {
        for validation in [ResponseValidation.successOnly, .acceptAll] {
            server.on("GET", "/", .text("busy", status: 503), .text("fine"))
            let request = repeating().settingOptions { $0.validation = validation }
            let response = try await client.streamedResponse(for: request)
            #expect(response.status == .ok)
            #expect(try await text(of: response.body) == "fine")
        }
    }

    @Test func returnsAnAcceptedErrorAfterItsRetries() async throws {
        server.on("GET", "/", .text("busy", status: 503))
        let request = repeating().settingOptions { $0.validation = .acceptAll }
        let response = try await client.streamedResponse(for: request)
        #expect(response.status == .serviceUnavailable && server.requests.count == 2)
        #expect(try await text(of: response.body) == "busy")
    }

    @Test func repeatsNothingOnceTheHeadIsReturned() async throws {
        let gate = Gate()
        let broken = Reply(body: .chunked(.hold(gate), "x")).failing(with: .close(at: .inBody(after: 0)))
        server.on("GET", "/", broken, .text("another"))
        let response = try await client.streamedResponse(for: repeating(3))
        gate.open()
        let error = try await failure { () async throws(HTTPError) in _ = try await rest(of: response.body) }
        #expect(error.reason.outline == "transfer.body-ended-early" && error.attempt == 1)
        #expect(server.requests.count == 1)
    }

    @Test func returnsTheResponseOfAnInterceptor() async throws {
        struct Recovering: Interceptor {
            func recover(
                from error: HTTPError, _ context: HTTPRequest.Context
            ) async throws -> HTTPResponse<Data>? {
                HTTPResponse(status: .nonAuthoritativeInformation, body: Data("kept".utf8), url: context.request.url)
            }
        }
        server.on("GET", "/", .text("broken", status: 500))
        let recovering = client.configuring { $0.interceptors = [Recovering()] }
        let response = try await recovering.streamedResponse(for: get)
        #expect(response.status == .nonAuthoritativeInformation)
        #expect(try await text(of: response.body) == "kept")
    }

    @Test func endsTheExchangeWithTheBody() async throws {
        server.on("GET", "/", Reply(body: .chunked("x", .hold(Gate()))))
        do {
            let response = try await client.streamedResponse(for: get)
            #expect(response.status == .ok)
        }
        try await server.waitForDisconnection(of: 1)
    }

    @Test func aCancelledTaskEndsTheExchange() async throws {
        server.on("GET", "/", Reply(body: .chunked("x", .hold(Gate()))))
        server.on("GET", "/silent", Reply(body: .chunked("x")).failing(with: .stall(at: .beforeHead)))
        let reading = Task {
            let response = try await client.streamedResponse(for: get)
            return try await rest(of: response.body)
        }
        let waiting = Task { try await client.streamedResponse(for: HTTPRequest(.get, "/silent")).status }
        try await server.wait { $0.requests.count == 2 }
        reading.cancel()
        waiting.cancel()
        await #expect { try await reading.value } throws: { ($0 as? HTTPError)?.isCancellation == true }
        await #expect { try await waiting.value } throws: { ($0 as? HTTPError)?.isCancellation == true }
        try await server.waitForDisconnection(of: 2)
    }
}
