import StreamsHTTP
import StreamsTesting
import Testing

/// What interceptors are asked, in which order, and what becomes of their answers.
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
        _ = try await client.data(for: get)
        let tags = flaky.requests.value.map { $0.headers.values(for: "X-Tag") }
        #expect(tags == [["a1", "b1"], ["a2", "b2"]])
    }

    @Test func whatAnInterceptorThrowsIsTyped() async throws {
        let client = flaky.client { $0.interceptors = [Hook(onAdapt: { _, _ in throw Refusal() })] }
        let refused = try await failure { () async throws(HTTPError) in try await client.data(for: get) }
        #expect(refused.reason.outline == "interceptor(Refusal)")
        #expect(refused.attempt == 1)
        #expect(flaky.requests.value.isEmpty)

        let own = flaky.client {
            $0.interceptors = [Hook(onAdapt: { _, _ in throw HTTPError.Reason.timeout(.connect) })]
        }
        let mapped = try await failure { () async throws(HTTPError) in try await own.data(for: get) }
        #expect(mapped.reason.outline == "timeout(connect)")
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
        await expect(refusing: .header(name: "X-Evil"), client: client) { get }
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
        let error = try await failure { () async throws(HTTPError) in try await client.data(for: get) }
        #expect(transport.requests.value.first?.url.query() == "key=secret")
        #expect(error.redirects.map(\.absoluteString) == ["http://h/", "http://h/1"])
        #expect(error.response?.redirects == error.redirects)
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test func errorsDoNotShowWhatWasAdded() async throws {
        let transport = AnsweringTransport { _, _ in .reply(404) }
        let client = transport.client { $0.interceptors = [addingKey] }
        let error = try await failure { () async throws(HTTPError) in try await client.data(for: get) }
        #expect(transport.requests.value.first?.url.query() == "key=secret")
        #expect(!error.description.contains("secret"))

        let undecodable = AnsweringTransport { _, _ in .reply(200, [:], "no number") }
        var other = undecodable.client { $0.interceptors = client.configuration.interceptors }
        let number = Call<Int>(.get, "/")
        let awaited = try await failure { () async throws(HTTPError) in try await other.value(for: number) }
        let streamed = try await EventRecorder.record(other.events(for: number)).failure
        other.configuration.options.sharesInFlight = true
        let shared = try await EventRecorder.record(other.events(for: number)).failure
        #expect(undecodable.requests.value.map { $0.url.query() } == ["key=secret", "key=secret", "key=secret"])
        for error in [awaited, streamed, shared] {
            #expect(error?.reason.outline == "decoding(DecodingError)")
            #expect(error?.request.url == "http://h/")
        }
    }

    @Test func theFirstToDecideDecides() async throws {
        let asked = Watched<[String]>([])
        func asking(_ name: String, _ decision: RetryDecision) -> Hook {
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
        let recorder = EventRecorder<Void>()
        client.events(for: get).subscribe(recorder)
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
                    .fail(HTTPError(.interceptor(Refusal()), request: error.request, attempt: error.attempt))
                })
            ]
        }
        let error = try await failure { () async throws(HTTPError) in try await client.data(for: get) }
        #expect(error.reason.outline == "interceptor(Refusal)")
    }

    @Test func thePolicyDecidesBehindThem() async throws {
        let client = flaky.client(scheduler) {
            $0.interceptors = [Hook()]
            $0.options.retry = RetryPolicy(maxRetries: 1, backoff: RetryPolicy.Backoff(initial: .seconds(9)))
        }
        let recorder = EventRecorder<Void>()
        client.events(for: get).subscribe(recorder)
        try #require(await scheduler.wait(forPending: 1))
        scheduler.jump(by: .seconds(9))
        #expect(try await recorder.finished().response?.status == .ok)
    }

    @Test func theirAttemptsDoNotCountForThePolicy() async throws {
        let transport = AnsweringTransport { _, number in number < 3 ? .reply(503) : .reply(200) }
        let client = transport.client(scheduler) {
            $0.interceptors = [Hook(onRetry: { _, context in context.attempt == 1 ? .retry(after: .zero) : .proceed })]
            $0.options.retry = RetryPolicy(maxRetries: 1, backoff: RetryPolicy.Backoff(initial: .zero))
        }
        let recorder = EventRecorder<Void>()
        client.events(for: get).subscribe(recorder)
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

    @Test func aHeadMayBeRefused() async throws {
        let transport = AnsweringTransport { _, number in .reply(200, ["X-Stale": number == 1 ? "yes" : "no"]) }
        let client = transport.client {
            $0.interceptors = [
                Hook(onHead: { $0.headers["X-Stale"] == "no" }, onRetry: { _, _ in .retry(after: .zero) })
            ]
        }
        let recording = try await EventRecorder.record(client.events(for: get))
        #expect(recording.outline == ["attempt 1", "head 200", "retrying", "attempt 2", "head 200", "response 200"])
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
        #expect(try await client.data(for: get).body == Data("kept".utf8))
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
        let error = try await failure { () async throws(HTTPError) in try await client.data(for: get) }
        #expect(error.reason.outline == "interceptor(Refusal)")
    }

    @Test func withoutARecoveryTheErrorStands() async throws {
        let client = flaky.client { $0.interceptors = [Hook()] }
        let error = try await failure { () async throws(HTTPError) in try await client.data(for: get) }
        #expect(error.status == .serviceUnavailable)
    }
}
