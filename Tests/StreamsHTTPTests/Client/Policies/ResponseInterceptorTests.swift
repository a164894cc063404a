import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// Interceptors that adapt responses.
@Suite struct ResponseInterceptorTests {
    private struct Forgery: Error {}

    private let scheduler = TestScheduler()
    private let get = HTTPRequest(.get, "/")

    /// Appends a text to the body.
    private func appending(_ text: String) -> Hook {
        Hook(onResponse: { response, _ in response.replacingBody(response.body + Data(text.utf8)) })
    }

    @Test func theOutermostInterceptorIsTheLast() async throws {
        let transport = AnsweringTransport { _, _ in .reply(200, [:], "body") }
        let client = transport.client { $0.interceptors = [appending(", first"), appending(", second")] }
        #expect(try await client.value(for: get.decoding(String.self)) == "body, second, first")
    }

    @Test func onlyTheResponseOfTheRequestIsAdapted() async throws {
        let seen = Watched<[HTTPStatus]>([])
        let transport = AnsweringTransport { request, number in
            switch number {
            case 1: .reply(302, ["Location": "/b"])
            case 2: .reply(503)
            default: .reply(number == 3 ? 200 : 404)
            }
        }
        let client = transport.client(scheduler) {
            $0.options.retry = RetryPolicy(maxRetries: 1, backoff: .init(initial: .zero))
            $0.interceptors = [
                Hook(
                    onResponse: { response, _ in
                        seen.update { $0.append(response.status) }
                        return response
                    },
                    onRecover: { _, context in HTTPResponse(status: .accepted, body: Data(), url: context.request.url) }
                )
            ]
        }
        let response = Task(executorPreference: scheduler) { try await client.response(for: get) }
        await scheduler.settle(advancingBy: .seconds(1))
        #expect(try await response.value.status == .ok)
        #expect(seen.value == [.ok])
        // A response in place of an error is the interceptor's own.
        let recovered = Task(executorPreference: scheduler) { try await client.response(for: get) }
        await scheduler.settle(advancingBy: .seconds(1))
        #expect(try await recovered.value.status == .accepted)
        #expect(seen.value == [.ok])
    }

    /// A session: a login sets a cookie with a redirect, and renews it with an error and with the page.
    @Test func everyResponseCanSetACookie() async throws {
        let server = try LoopbackServer()
        server.on("POST", "/login", .status(302, headers: ["Location": "/page", "Set-Cookie": "id=1"]))
        server.on(
            "GET", "/page", .status(503, headers: ["Set-Cookie": "id=2"]),
            .status(200, headers: ["Set-Cookie": "id=3"]))
        let cookie = Watched<String?>(nil)
        let keep: @Sendable (HTTPHeaders) -> Void = { headers in
            if let value = headers["Set-Cookie"] { cookie.update { $0 = value } }
        }
        let client = HTTPClient.alone.configuring {
            $0.interceptors = [
                Hook(
                    onAdapt: { request, context in
                        if let redirect = context.redirect { keep(redirect.headers) }
                        var request = request
                        if let cookie = cookie.value { request.headers.set("Cookie", cookie) }
                        return request
                    },
                    onResponse: { response, _ in
                        keep(response.headers)
                        return response
                    },
                    onRetry: { error, context in
                        if let response = error.response { keep(response.headers) }
                        return context.attempt == 1 ? .retry(after: .zero) : .proceed
                    })
            ]
        }
        let response = try await client.response(for: HTTPRequest(.post, server.url("/login")))
        #expect(response.status == .ok && cookie.value == "id=3")
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "id=1", "id=2", "id=1"])
    }

    @Test func aRefusedResponseFailsTheAttemptAndIsRetried() async throws {
        let transport = AnsweringTransport { _, number in .reply(200, [:], number == 1 ? "forged" : "genuine") }
        let check = Hook(
            onResponse: { response, _ in
                guard response.body == Data("genuine".utf8) else { throw Forgery() }
                return response
            },
            onRetry: { error, _ in error.name == "thrown.interceptor" ? .retry(after: .zero) : .proceed })
        let client = transport.client { $0.interceptors = [check] }
        let recording = try await EventRecorder.record(client.events(for: get.decoding(String.self)))
        #expect(recording.response?.body == "genuine")
        #expect(recording.retries.map(\.error.reason.outline) == ["thrown.interceptor(Forgery)"])

        let patient = transport.client { $0.interceptors = [Hook(onResponse: { _, _ in throw Forgery() })] }
        let error = try await failure { () async throws(HTTPError) in try await patient.response(for: get) }
        #expect(error.reason.outline == "thrown.interceptor(Forgery)")
    }

    @Test func chunksAreDeliveredBeforeTheResponseIsAdapted() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .generated(300_000))
        let client = HTTPClient.alone.configuring {
            $0.interceptors = [
                Hook(onResponse: { response, _ in
                    #expect(response.body.isEmpty)
                    return HTTPResponse(status: .created, body: Data("more".utf8), url: response.url)
                })
            ]
        }
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, server.url("/"))))
        #expect(recording.head?.status == .ok && recording.response?.status == .created)
        #expect(recording.body.count == 300_000 && GeneratedBytes.matches(recording.body, at: 0))
    }

    @Test func theDeadlineHoldsForAdaptingAResponse() async throws {
        let endless = Endless()
        let transport = AnsweringTransport { _, _ in .reply(200) }
        let client = transport.client(scheduler) {
            $0.options.timeouts.total = .seconds(5)
            $0.interceptors = [
                Hook(onResponse: { response, _ in
                    try await endless.wait()
                    return response
                })
            ]
        }
        let recorder = EventRecorder(of: client.events(for: get.decoding(Data.self)))
        try await endless.hasBegun.wait(for: "the adapting") { $0 }
        #expect(client.snapshot.requests.map(\.phase) == [.deciding])
        scheduler.jump(by: .seconds(5))
        #expect(try await recorder.finished().failure?.reason.outline == "timeout.total")
        try await endless.isCancelled.wait(for: "the end of the adapting") { $0 }
    }

    @Test func aCancelledRequestDeliversNoAdaptedResponse() async throws {
        let endless = Endless()
        let transport = AnsweringTransport { _, _ in .reply(200) }
        let client = transport.client {
            $0.interceptors = [
                Hook(onResponse: { response, _ in
                    try? await endless.wait()
                    return response
                })
            ]
        }
        let recorder = EventRecorder(of: client.events(for: get.decoding(Data.self)))
        try await endless.hasBegun.wait(for: "the adapting") { $0 }
        recorder.cancel()
        try await endless.isCancelled.wait(for: "the end of the adapting") { $0 }
        #expect(recorder.recording.value.response == nil)
        #expect(client.snapshot.requests.isEmpty)
    }
}
