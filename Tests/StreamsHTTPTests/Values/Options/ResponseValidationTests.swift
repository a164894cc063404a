import StreamsHTTP
import StreamsTesting
import Testing

@Suite struct ResponseValidationTests {
    private let get = HTTPRequest(.get, "/")
    private let failing = AnsweringTransport { _, number in .reply(200, [:], number == 1 ? "error" : "fine") }
    private let inspecting = ResponseValidation.successOnly.inspectingBody { $0.body != Data("error".utf8) }

    @Test func aBodyMayMakeAResponseAnError() async throws {
        let client = failing.client { $0.options.validation = inspecting }
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: get) }
        #expect(error.status == .ok && error.response?.body == Data("error".utf8))
        #expect(try await client.response(for: get).body == Data("fine".utf8))
    }

    @Test func suchAnErrorMayBeRetried() async throws {
        let scheduler = TestScheduler()
        let client = failing.client(scheduler) {
            $0.options.validation = inspecting
            $0.options.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero))
            $0.options.retry.shouldRetry = { $0.response?.body == Data("error".utf8) }
        }
        async let response = client.response(for: get)
        try #require(await scheduler.wait(forPending: 1))
        scheduler.jump(by: .zero)
        #expect(try await response.body == Data("fine".utf8))
    }

    @Test func deliveredChunksAreNotInspected() async throws {
        let client = failing.client { $0.options.validation = inspecting }
        let recording = try await EventRecorder.record(client.events(for: get))
        #expect(recording.body == Data("error".utf8) && recording.failure == nil)
    }

    @Test func inspectionsAddUp() async throws {
        let twice = ResponseValidation.acceptAll.inspectingBody { $0.status == .notFound }
            .inspectingBody { $0.body.isEmpty }
        for (status, body, isAcceptable) in [(404, "", true), (404, "x", false), (200, "", false)] {
            let transport = AnsweringTransport { _, _ in .reply(HTTPStatus(status), [:], body) }
            let client = transport.client { $0.options.validation = twice }
            let isAnswered = (try? await client.response(for: get)) != nil
            #expect(isAnswered == isAcceptable)
        }
    }

    private let moved = AnsweringTransport { request, _ in
        request.url.path() == "/b" ? .reply(200) : .reply(302, ["Location": "/b"])
    }

    @Test func aRuleSeesTheRedirectsThatWereFollowed() async throws {
        let asked = Watched<[HTTPStatus]>([])
        let validation = ResponseValidation.custom { head in
            asked.update { $0.append(head.status) }
            return head.redirects.isEmpty && head.status.isSuccess
        }
        let client = moved.client { $0.options.validation = validation }
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: get) }
        #expect(error.status == .ok && error.response?.redirects.count == 1)
        #expect(asked.value == [.ok])
        let delivering = client.events(for: get.settingOptions { $0.redirects = .deliver })
        #expect(try await EventRecorder.record(delivering).failure?.status == .found)
        #expect(asked.value == [.ok, .found])
    }
}
