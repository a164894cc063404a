import StreamsHTTP
import StreamsTesting
import Testing

/// The calls of interceptors, their order, and the effects of their results.
@Suite struct InterceptorTests {
    private struct Refusal: Error {}

    private let scheduler = TestScheduler()
    private let get = HTTPRequest(.get, "/")
    private let flaky = AnsweringTransport { _, number in number == 1 ? .reply(503) : .reply(200, [:], "well") }

    private func tagging(_ tag: String) -> Hook {
        Hook(onAdapt: { request, context in
            var request = request
            request.headers.add("X-Tag", "\(tag)\(context.attempt)")
            return request
        })
    }

    @Test func requestsAreAdaptedInOrderBeforeEachAttempt() async throws {
        let client = flaky.client(scheduler) {
            $0.interceptors = [tagging("a"), tagging("b"), Hook(onRetry: { _, _ in .retry(after: .zero) })]
        }
        _ = try await client.response(for: get)
        let tags = flaky.requests.value.map { $0.headers.values(for: "X-Tag") }
        #expect(tags == [["a1", "b1"], ["a2", "b2"]])
    }

    @Test func whatAnInterceptorThrowsIsTyped() async throws {
        let client = flaky.client { $0.interceptors = [Hook(onAdapt: { _, _ in throw Refusal() })] }
        let refused = try await failure { () async throws(HTTPError) in try await client.response(for: get) }
        #expect(refused.reason.outline == "thrown.interceptor(Refusal)")
        #expect(refused.attempt == 1)
        #expect(flaky.requests.value.isEmpty)

        let own = flaky.client {
            $0.interceptors = [Hook(onAdapt: { _, _ in throw HTTPError.Reason.timeout(.connect) })]
        }
        let mapped = try await failure { () async throws(HTTPError) in try await own.response(for: get) }
        #expect(mapped.reason.outline == "timeout.connect")
    }

    @Test func whatIsAdaptedIsCheckedLikeAnyRequest() async throws {
        let client = flaky.client {
            $0.interceptors = [
                Hook(onAdapt: { request, _ in
                    var request = request
                    request.headers.set("X-Evil", "1\r\nX-Worse: 2")
                    return request
                })
            ]
        }
        await expect(refusing: .headerValue(of: "X-Evil"), client: client) { get }
        #expect(flaky.requests.value.isEmpty)
    }

    /// Puts a secret into the URL.
    private let addingKey = Hook(onAdapt: { request, _ in
        var request = request
        request.url = URL(string: "http://h/?key=secret") ?? request.url
        return request
    })

    @Test func redirectsDoNotShowWhatWasAdded() async throws {
        let transport = AnsweringTransport { _, number in
            number < 3 ? .reply(302, ["Location": "http://h/\(number)"]) : .reply(404)
        }
        let client = transport.client { $0.interceptors = [addingKey] }
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: get) }
        #expect(transport.requests.value.first?.url.query() == "key=secret")
        #expect(error.redirects.map(\.absoluteString) == ["http://h/", "http://h/1"])
        #expect(error.response?.redirects == error.redirects)
        #expect(error.request.url == "http://h/2")
        #expect(!error.description.contains("secret"))
    }

    @Test func errorsDoNotShowWhatWasAdded() async throws {
        let transport = AnsweringTransport { _, _ in .reply(404) }
        let client = transport.client { $0.interceptors = [addingKey] }
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: get) }
        #expect(transport.requests.value.first?.url.query() == "key=secret")
        #expect(!error.description.contains("secret"))

        let undecodable = AnsweringTransport { _, _ in .reply(200, [:], "no number") }
        let other = undecodable.client { $0.interceptors = client.configuration.interceptors }
        let number = Call<Int>(.get, "/")
        let awaited = try await failure { () async throws(HTTPError) in try await other.value(for: number) }
        let streamed = try await EventRecorder.record(other.events(for: number)).failure
        let sharing = other.configuring { $0.options.sharesInFlight = true }
        let shared = try await EventRecorder.record(sharing.events(for: number)).failure
        #expect(undecodable.requests.value.map { $0.url.query() } == ["key=secret", "key=secret", "key=secret"])
        for error in [awaited, streamed, shared] {
            #expect(error?.reason.outline == "decoding(DecodingError)")
            #expect(error?.request.url == "http://h/")
        }
    }

    @Test func theFirstToDecideDecides() async throws {
        let asked = Watched<[String]>([])
        func asking(_ name: String, _ decision: RetryPolicy.Decision) -> Hook {
            Hook(onRetry: { _, context in
                asked.update { $0.append("\(name)\(context.attempt)") }
                return decision
            })
        }
        let client = flaky.client(scheduler) {
            $0.interceptors = [
                asking("a", .proceed), asking("b", .retry(after: .seconds(3))), asking("c", .proceed),
            ]
        }
        let recorder = EventRecorder(of: client.events(for: get))
        try #require(await scheduler.wait(forPending: 1))
        scheduler.jump(by: .milliseconds(2999))
        #expect(flaky.requests.value.count == 1)
        scheduler.jump(by: .milliseconds(1))
        let recording = try await recorder.finished()
        #expect(asked.value == ["a1", "b1"])
        #expect(
            recording.outline == ["attempt 1", "head 503", "retrying", "attempt 2", "head 200", "response 200"])
        #expect(recording.retries.map(\.delay) == [.seconds(3)])
    }

    @Test func anErrorMayBeReplaced() async throws {
        let client = flaky.client {
            $0.interceptors = [
                Hook(onRetry: { error, _ in
                    .fail(
                        HTTPError(.thrown(Refusal(), by: .interceptor), request: error.request, attempt: error.attempt))
                })
            ]
        }
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: get) }
        #expect(error.reason.outline == "thrown.interceptor(Refusal)")
    }

    @Test func thePolicyDecidesBehindThem() async throws {
        let client = flaky.client(scheduler) {
            $0.interceptors = [Hook()]
            $0.options.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .seconds(9)))
        }
        let recorder = EventRecorder(of: client.events(for: get))
        try #require(await scheduler.wait(forPending: 1))
        scheduler.jump(by: .seconds(9))
        #expect(try await recorder.finished().response?.status == .ok)
    }

    @Test func theirAttemptsDoNotCountForThePolicy() async throws {
        let transport = AnsweringTransport { _, number in number < 3 ? .reply(503) : .reply(200) }
        let client = transport.client(scheduler) {
            $0.interceptors = [Hook(onRetry: { _, context in context.attempt == 1 ? .retry(after: .zero) : .proceed })]
            $0.options.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero))
        }
        let recorder = EventRecorder(of: client.events(for: get))
        try #require(await scheduler.wait(forPending: 1))
        scheduler.jump(by: .zero)
        #expect(try await recorder.finished().attempts.count == 3)
    }

    @Test func aOneShotBodyIsNotSentAgainWhateverTheyDecide() async throws {
        let repeatable = Watched<[Bool]>([])
        let client = flaky.client {
            $0.interceptors = [
                Hook(onRetry: { _, context in
                    repeatable.update { $0.append(context.isRepeatable) }
                    return .retry(after: .zero)
                })
            ]
        }
        let body = HTTPBody.stream(Fail<Data, any Error>(error: Refusal()))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.put, "/", body: body)))
        #expect(recording.failure?.status == .serviceUnavailable)
        #expect(repeatable.value == [false])
        #expect(flaky.requests.value.count == 1)
    }

    @Test func requestsHaveNumbersOfTheirOwn() async throws {
        let ids = Watched<[Int]>([])
        let client = flaky.client {
            $0.interceptors = [
                Hook(
                    onAdapt: { request, context in
                        ids.update { $0.append(context.id) }
                        return request
                    },
                    onRetry: { _, _ in .retry(after: .zero) })
            ]
        }
        _ = try await client.response(for: get)
        _ = try await client.response(for: get)
        let seen = ids.value
        #expect(seen.count == 3 && seen[0] == seen[1] && seen[1] != seen[2])
    }
}

// MARK: Redirects

extension InterceptorTests {
    /// Redirects `/1` to `/2`, and `/2` to another origin.
    private var redirecting: AnsweringTransport {
        AnsweringTransport { request, _ in
            switch request.url.path() {
            case "/1": .reply(302, ["Location": "/2"])
            case "/2": .reply(307, ["Location": "http://other/3"])
            default: .reply(200)
            }
        }
    }

    private var first: HTTPRequest { HTTPRequest(.get, "/1") }

    @Test func adaptsEveryRequestOfARedirect() async throws {
        let contexts = Watched<[String]>([])
        let transport = redirecting
        let client = transport.client {
            $0.interceptors = [
                Hook(onAdapt: { request, context in
                    contexts.update {
                        let redirects = context.redirects.map(\.absoluteString)
                        $0.append("\(context.attempt) \(context.request.url.path()) \(redirects)")
                    }
                    var request = request
                    request.headers.add("X-Trace", "\(request.url)")
                    return request
                })
            ]
        }
        _ = try await client.response(for: first)
        // Additions to one request are not carried over to the next, which may go to another origin.
        let traces = transport.requests.value.map { $0.headers.values(for: "X-Trace") }
        #expect(traces == [["http://h/1"], ["http://h/2"], ["http://other/3"]])
        #expect(
            contexts.value == [
                #"1 /1 []"#, #"1 /1 ["http://h/1"]"#, #"1 /2 ["http://h/1", "http://h/2"]"#,
            ])
    }

    @Test func redirectsFromWhatWasSent() async throws {
        let transport = redirecting
        let client = transport.client {
            $0.interceptors = [
                Hook(onAdapt: { request, context in
                    guard context.redirects.isEmpty else { return request }
                    var request = request
                    request.url = URL(string: "http://mirror/1?key=secret") ?? request.url
                    return request
                })
            ]
        }
        let response = try await client.response(for: first)
        #expect(
            transport.requests.value.map(\.url.absoluteString) == [
                "http://mirror/1?key=secret", "http://mirror/2", "http://other/3",
            ])
        #expect(response.redirects.map(\.absoluteString) == ["http://h/1", "http://mirror/2"])
    }

    @Test func anAdaptedBodyIsAdaptedAnew() async throws {
        let transport = AnsweringTransport { request, number in
            number == 1 ? .reply(307, ["Location": "/2"]) : .reply(200)
        }
        let client = transport.client {
            $0.interceptors = [
                Hook(onAdapt: { request, _ in
                    var request = request
                    request.headers.add("Content-Encoding", "test")
                    return request
                })
            ]
        }
        _ = try await client.response(for: HTTPRequest(.put, "/1", body: .data(Data("x".utf8))))
        #expect(transport.requests.value.map { $0.headers.values(for: "Content-Encoding") } == [["test"], ["test"]])
    }

    @Test func anErrorOfARedirectsAdaptationFailsTheAttempt() async throws {
        let transport = redirecting
        let client = transport.client {
            $0.interceptors = [
                Hook(onAdapt: { request, context in
                    if context.redirects.count == 1 { throw Refusal() }
                    return request
                })
            ]
        }
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: first) }
        #expect(error.reason.outline == "thrown.interceptor(Refusal)")
        #expect(error.redirects.map(\.absoluteString) == ["http://h/1"])
        #expect(error.request.url == "http://h/2")
        #expect(transport.requests.value.count == 1)
    }

    @Test func theDeadlineHoldsForTheAdaptationOfARedirect() async throws {
        let endless = Endless()
        let client = redirecting.client(scheduler) {
            $0.options.timeouts.total = .seconds(5)
            $0.interceptors = [
                Hook(onAdapt: { request, context in
                    if !context.redirects.isEmpty { try await endless.wait() }
                    return request
                })
            ]
        }
        let recorder = EventRecorder(of: client.events(for: first))
        try await endless.hasBegun.wait(for: "the adapting") { $0 }
        scheduler.jump(by: .seconds(5))
        #expect(try await recorder.finished().failure?.reason.outline == "timeout.total")
        try await endless.isCancelled.wait(for: "the end of the adapting") { $0 }
    }
}

// MARK: Recovery

extension InterceptorTests {
    private func recovering(_ transport: AnsweringTransport) -> HTTPClient {
        transport.client { configuration in
            configuration.interceptors = [
                Hook(),
                Hook(onRecover: { error, context in
                    HTTPResponse(status: .ok, body: Data("kept".utf8), url: context.request.url)
                }),
                Hook(onRecover: { _, _ in throw Refusal() }),
            ]
        }
    }

    @Test func aResponseTakesTheErrorsPlace() async throws {
        let client = recovering(AnsweringTransport { _, _ in .failure(.connection(.refused)) })
        #expect(try await client.response(for: get).body == Data("kept".utf8))
        let recording = try await EventRecorder.record(client.events(for: get))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
        #expect(recording.body == Data("kept".utf8))
    }

    @Test func theHeadIsDeliveredOnce() async throws {
        let client = recovering(AnsweringTransport { _, _ in .reply(500) })
        let recording = try await EventRecorder.record(client.events(for: get))
        #expect(recording.outline == ["attempt 1", "head 500", "response 200"])
        #expect(recording.body == Data("kept".utf8))
    }

    @Test func whatRecoveryThrowsIsTheError() async throws {
        let client = flaky.client { $0.interceptors = [Hook(onRecover: { _, _ in throw Refusal() })] }
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: get) }
        #expect(error.reason.outline == "thrown.interceptor(Refusal)")
    }

    @Test func withoutARecoveryTheErrorStands() async throws {
        let client = flaky.client { $0.interceptors = [Hook()] }
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: get) }
        #expect(error.status == .serviceUnavailable)
    }
}
