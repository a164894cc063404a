import StreamsHTTPTesting
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// The pages of a list in virtual time.
@Suite struct PageTests {
    private typealias Recorder = NumberedPages.Recorder

    private let scheduler = TestScheduler()

    private func pages(
        on client: HTTPClient, maxPages: Int? = nil, options: RequestOptions = RequestOptions()
    ) -> some Publisher<HTTPResponse<Data>.Page, HTTPError> {
        var request = NumberedPages.request
        request.options = options
        return client.pages(for: request, maxPages: maxPages, next: NumberedPages.next)
    }

    private func record(
        _ pages: some Publisher<HTTPResponse<Data>.Page, HTTPError>, demand: Subscribers.Demand = .unlimited
    ) async -> Recorder {
        let recorder = Recorder(initialDemand: demand)
        pages.subscribe(recorder)
        await scheduler.settle()
        return recorder
    }

    // MARK: Demand

    @Test func sendsOneRequestForEachDemandedPage() async {
        let transport = NumberedPages.transport(5)
        let recorder = await record(pages(on: transport.client(scheduler)), demand: .none)
        #expect(transport.pages == [])
        var sent = 0
        for demand in [3, 1] {
            sent += demand
            recorder.request(.max(demand))
            await scheduler.settle()
            #expect(transport.pages == Array(1...sent) && recorder.values.map(\.number) == Array(1...sent))
            #expect(recorder.completion == nil)
        }
        recorder.request(.max(1))
        await scheduler.settle()
        #expect(transport.pages == Array(1...5) && recorder.completion == .finished && recorder.violations == [])
        #expect(recorder.values.map { $0.next?.target } == (2...5).map { "/list?page=\($0)" } + [nil])
    }

    @Test func sendsNothingBehindAPrefix() async {
        let transport = NumberedPages.transport(5)
        let recorder = await record(pages(on: transport.client(scheduler)).prefix(2))
        #expect(transport.pages == [1, 2] && recorder.completion == .finished)
    }

    @Test func flattensPagesWithOneRequestAhead() async {
        let transport = NumberedPages.transport(5)
        let bytes = RecordingSubscriber<UInt8, HTTPError>(initialDemand: .none)
        pages(on: transport.client(scheduler)).concatMap { $0.value.publisher }.subscribe(bytes)
        await scheduler.settle()
        #expect(transport.pages == [1])
        bytes.request(.max(1))
        await scheduler.settle()
        #expect(transport.pages == [1, 2] && bytes.values == Array("2".utf8))
        bytes.request(.unlimited)
        await scheduler.settle()
        #expect(bytes.values == Array("2345".utf8) && bytes.completion == .finished)
    }

    @Test func beginsAnewForEachSubscriber() async {
        let transport = NumberedPages.transport(2)
        let pages = pages(on: transport.client(scheduler))
        for _ in 0..<2 { #expect(await record(pages).values.map(\.number) == [1, 2]) }
        #expect(transport.pages == [1, 2, 1, 2])
    }

    @Test func takesDemandFromInsideAPage() async {
        let transport = NumberedPages.transport(300)
        let recorder = Recorder(initialDemand: .max(1), demandPerValue: .max(1))
        pages(on: transport.client(scheduler)).subscribe(recorder)
        await scheduler.settle()
        #expect(recorder.values.count == 300 && recorder.completion == .finished && recorder.violations == [])
        let texts = recorder.values.map { String(decoding: $0.value, as: UTF8.self) }
        #expect(texts == (2...300).map { "\($0)" } + [""])
    }

    // MARK: Failures

    @Test func retriesOnlyTheFailedPage() async {
        let transport = NumberedPages.transport(9) { page, turn in page == 7 && turn < 9 ? .reply(503) : nil }
        let options = RequestOptions.with { $0.retry = RetryPolicy(maxRetries: 2) }
        let recorder = await record(pages(on: transport.client(scheduler), options: options))
        #expect(transport.pages == [1, 2, 3, 4, 5, 6, 7] && recorder.values.count == 6)
        await scheduler.settle(advancingBy: .seconds(60))
        #expect(transport.pages == [1, 2, 3, 4, 5, 6, 7, 7, 7, 8, 9])
        #expect(recorder.values.map(\.number) == Array(1...9) && recorder.completion == .finished)
    }

    @Test func waitsAsLongAsTheServerOfAPageAsks() async {
        let transport = NumberedPages.transport(3) { page, turn in
            page == 2 && turn == 2 ? .reply(.tooManyRequests, ["Retry-After": "30"]) : nil
        }
        let options = RequestOptions.with { $0.retry = RetryPolicy(maxRetries: 1) }
        let recorder = await record(pages(on: transport.client(scheduler), options: options))
        await scheduler.settle(advancingBy: .seconds(29))
        #expect(transport.pages == [1, 2])
        await scheduler.settle(advancingBy: .seconds(1))
        #expect(transport.pages == [1, 2, 2, 3] && recorder.completion == .finished)
    }

    @Test func failsBehindThePagesBeforeTheFailure() async throws {
        let transport = NumberedPages.transport(5) { page, _ in page == 3 ? .reply(.notFound, [:], "gone") : nil }
        let recorder = await record(pages(on: transport.client(scheduler)))
        #expect(recorder.values.map(\.number) == [1, 2] && transport.pages == [1, 2, 3])
        guard case .failure(let error) = recorder.completion else { throw UnexpectedSuccess() }
        #expect(error.status == .notFound && error.request.url == "http://h/list?page=3")
    }

    @Test func failsWithAPageThatCannotBeDecoded() async throws {
        let transport = AnsweringTransport { _, number in
            .reply(.ok, ["Content-Type": "application/json"], number == 1 ? #"{"text":"2"}"# : "{}")
        }
        let recorder = RecordingSubscriber<HTTPResponse<Greeting>.Page, HTTPError>()
        transport.client(scheduler).pages(for: Call<Greeting>(.get, "/1")) { _, page in
            Call(.get, "/\(page.body.text)")
        }.subscribe(recorder)
        await scheduler.settle()
        #expect(recorder.values.map(\.value) == [Greeting(text: "2")])
        guard case .failure(let error) = recorder.completion else { throw UnexpectedSuccess() }
        #expect(error.name == "decoding" && error.response?.body == Data("{}".utf8))
        #expect(error.request.url == "http://h/2")
    }

    @Test func refusesARequestThatCannotBeMade() async {
        let transport = NumberedPages.transport(5)
        let pages = transport.client(scheduler).pages(for: NumberedPages.request) { _, _ in
            HTTPRequest(.get, "ftp://h/")
        }
        let recorder = await record(pages, demand: .max(1))
        #expect(recorder.values.count == 1 && recorder.completion == nil)
        recorder.request(.max(1))
        await scheduler.settle()
        #expect(recorder.failure == "invalid-request.unsupported-scheme(ftp)" && transport.pages == [1])
    }

    // MARK: Limits

    @Test(arguments: [(3, 5), (1, 2), (0, 2), (-1, 2)]) func failsBeyondTheMaximumOfPages(maxPages: Int, count: Int)
        async
    {
        let transport = NumberedPages.transport(count)
        let recorder = await record(pages(on: transport.client(scheduler), maxPages: maxPages))
        let expected = max(maxPages, 1)
        #expect(transport.pages == Array(1...expected) && recorder.values.count == expected)
        #expect(recorder.failure == "redirect.too-many(\(expected))")
        // The program may go on from there.
        #expect(recorder.values.last?.next?.target == "/list?page=\(expected + 1)")
    }

    @Test func finishesWithTheMaximumOfPages() async {
        let transport = NumberedPages.transport(3)
        #expect(await record(pages(on: transport.client(scheduler), maxPages: 3)).completion == .finished)
    }

    /// The time between pages does not count.
    @Test func limitsTheTimeOfEachPage() async {
        let mock = MockTransport(scheduler: scheduler)
        mock.otherwise { request in
            let page = NumberedPages.number(in: request.url)
            return MockResponse.text("\(page + 1)").delayed(by: .seconds(page < 10 ? 4 : 6))
        }
        var configuration = HTTPClient.Configuration(baseURL: URL(literal: "http://h"))
        configuration.options.timeouts.total = .seconds(5)
        let client = HTTPClient(configuration: configuration, transport: mock, scheduler: scheduler)
        let recorder = await record(pages(on: client), demand: .max(1))
        await scheduler.settle(advancingBy: .seconds(100))
        recorder.request(.unlimited)
        await scheduler.settle(advancingBy: .seconds(100))
        #expect(recorder.values.count == 9 && recorder.failure == "timeout.total")
    }

    @Test func pagesTakeTurnsWithOtherRequests() async {
        let mock = MockTransport(scheduler: scheduler)
        mock.otherwise { request in
            let page = NumberedPages.number(in: request.url)
            return .text(page < 3 ? "\(page + 1)" : "").delayed(by: .seconds(1))
        }
        var configuration = HTTPClient.Configuration(baseURL: URL(literal: "http://h"))
        configuration.limits.maxConcurrentRequests = 1
        let client = HTTPClient(configuration: configuration, transport: mock, scheduler: scheduler)
        let recorders = (0..<2).map { _ in Recorder() }
        for recorder in recorders { pages(on: client).subscribe(recorder) }
        let other = RecordingSubscriber<HTTPResponse<Data>, HTTPError>()
        client.responsePublisher(for: HTTPRequest(.get, "/list?page=9")).subscribe(other)
        await scheduler.settle(advancingBy: .seconds(10))
        #expect(recorders.allSatisfy { $0.completion == .finished && $0.values.count == 3 } && other.values.count == 1)
        // None waits until another one has had all of its pages.
        #expect(mock.requests.map { NumberedPages.number(in: $0.url) } == [1, 1, 9, 2, 2, 3, 3])
    }

    @Test func needsNoPlaceWithoutDemand() async {
        let transport = NumberedPages.transport(3)
        let client = transport.client(scheduler) { $0.limits.maxConcurrentRequests = 1 }
        let recorder = await record(pages(on: client), demand: .max(1))
        #expect(client.snapshot.requestQueue.running == 0)
        let other = RecordingSubscriber<HTTPResponse<Data>, HTTPError>()
        client.responsePublisher(for: NumberedPages.request).subscribe(other)
        await scheduler.settle()
        #expect(other.completion == .finished)
        recorder.cancel()
    }

    // MARK: Loops

    @Test func refusesThePageThatHasJustBeenRequested() async {
        let transport = NumberedPages.transport(5) { page, _ in page == 2 ? .reply(.ok, [:], "2") : nil }
        let recorder = await record(pages(on: transport.client(scheduler)), demand: .max(2))
        #expect(transport.pages == [1, 2] && recorder.completion == nil)
        recorder.request(.max(1))
        await scheduler.settle()
        #expect(recorder.failure == "redirect.loop" && transport.pages == [1, 2] && recorder.violations == [])
    }

    /// Pages 1 to `before`, and then a loop of `length` pages.
    @Test(arguments: [(0, 2), (0, 3), (1, 2), (2, 3), (5, 4), (3, 17), (40, 2), (100, 100)])
    func refusesALoopOfSeveralPages(before: Int, length: Int) async {
        let last = before + length
        let transport = NumberedPages.transport(.max) { page, _ in
            page == last ? .reply(.ok, [:], "\(before + 1)") : nil
        }
        let recorder = await record(pages(on: transport.client(scheduler)))
        #expect(recorder.failure == "redirect.loop")
        #expect(transport.pages.count >= last && transport.pages.count <= 3 * max(before, length))
    }

    @Test func comparesBodiesInMemory() async {
        let transport = AnsweringTransport { _, number in .reply(.ok, [:], "\(min(number, 2))") }
        let first = HTTPRequest(.get, "/search", body: .text("0"))
        let pages = transport.client(scheduler).pages(for: first) { _, page in
            HTTPRequest(.get, "/search", body: .text(String(decoding: page.body, as: UTF8.self)))
        }
        let recorder = await record(pages)
        #expect(recorder.failure == "redirect.loop" && recorder.values.count == 3)
    }

    /// The scroll of Elasticsearch: the server goes on by itself, and its identifier stays the same.
    @Test func repeatsRequestsThatAreNotSafe() async {
        let transport = AnsweringTransport { _, number in .reply(.ok, [:], number < 9 ? "hits" : "") }
        let pages = transport.client(scheduler).pages(for: HTTPRequest(.post, "/list/_search")) { _, page in
            page.body.isEmpty ? nil : HTTPRequest(.post, "/_search/scroll", body: .text("id"))
        }
        let recorder = await record(pages)
        #expect(recorder.completion == .finished && recorder.values.count == 9)
    }

    // MARK: The end by the client

    @Test func cancelAllEndsEverySeries() async {
        let transport = NumberedPages.transport(5) { page, _ in page == 2 ? .silence : nil }
        let client = transport.client(scheduler)
        let idle = await record(pages(on: client), demand: .max(1))
        let busy = await record(pages(on: client), demand: .max(2))
        client.cancelAll()
        await scheduler.settle()
        for recorder in [idle, busy] { #expect(recorder.failure == "cancelled" && recorder.values.count == 1) }
        #expect(client.snapshot.pages.isEmpty)
    }

    @Test(arguments: [(1, "invalid-request.client-shut-down"), (2, nil)] as [(Int, String?)])
    func shutdownWaitsForThePageUnderWay(page: Int, failure: String?) async {
        let mock = MockTransport(scheduler: scheduler)
        mock.otherwise { request in
            let number = NumberedPages.number(in: request.url)
            return .text(number < 2 ? "2" : "").delayed(by: .seconds(number == page ? 5 : 0))
        }
        let configuration = HTTPClient.Configuration(baseURL: URL(literal: "http://h"))
        let client = HTTPClient(configuration: configuration, transport: mock, scheduler: scheduler)
        let recorder = await record(pages(on: client))
        let shutdown = Task(executorPreference: scheduler) { await client.shutdown() }
        await scheduler.settle()
        #expect(recorder.completion == nil && recorder.values.count == page - 1)
        await scheduler.settle(advancingBy: .seconds(5))
        #expect(recorder.values.count == page && recorder.failure == failure && mock.requests.count == page)
        await shutdown.value
    }

    @Test func shutdownEndsASeriesBehindThePageThatWasDemanded() async {
        let mock = MockTransport(scheduler: scheduler)
        mock.otherwise { _ in .text("2").delayed(by: .seconds(5)) }
        let configuration = HTTPClient.Configuration(baseURL: URL(literal: "http://h"))
        let client = HTTPClient(configuration: configuration, transport: mock, scheduler: scheduler)
        let recorder = await record(pages(on: client), demand: .max(1))
        let shutdown = Task(executorPreference: scheduler) { await client.shutdown() }
        await scheduler.settle(advancingBy: .seconds(5))
        #expect(recorder.values.count == 1 && recorder.failure == "invalid-request.client-shut-down")
        client.cancelAll()
        await shutdown.value
    }

    @Test func shutdownEndsASeriesThatWaitsForDemand() async {
        let client = NumberedPages.transport(5).client(scheduler)
        let recorder = await record(pages(on: client), demand: .max(1))
        await client.shutdown()
        #expect(recorder.failure == "invalid-request.client-shut-down")
        let late = await record(pages(on: client))
        #expect(late.failure == "invalid-request.client-shut-down" && late.values.isEmpty)
    }

    @Test func cancellationEndsThePageUnderWay() async {
        let transport = NumberedPages.transport(5) { page, _ in page == 2 ? .silence : nil }
        let client = transport.client(scheduler)
        let recorder = await record(pages(on: client))
        #expect(client.snapshot.requests.count == 1)
        recorder.cancel()
        await scheduler.settle()
        #expect(client.snapshot.requests.isEmpty && client.snapshot.pages.isEmpty && scheduler.pendingCount == 0)
        #expect(recorder.values.count == 1 && recorder.completion == nil && recorder.violations == [])
    }

    @Test func theClosureMayCancel() async {
        let transport = NumberedPages.transport(5)
        let client = transport.client(scheduler)
        let recorder = Recorder()
        client.pages(for: NumberedPages.request) { request, page in
            if request.target.hasSuffix("2") { recorder.cancel() }
            return NumberedPages.next(request, page)
        }.subscribe(recorder)
        await scheduler.settle()
        #expect(transport.pages == [1, 2] && recorder.values.count == 1 && recorder.completion == nil)
        #expect(client.snapshot.pages.isEmpty && recorder.violations == [])
    }

    @Test func cancelledIterationThrows() async throws {
        let transport = NumberedPages.transport(5) { page, _ in page == 2 ? .silence : nil }
        let client = transport.client(scheduler)
        let pages = pages(on: client)
        let task = Task {
            try await failure { () throws(HTTPError) in
                var count = 0
                for try await _ in pages.values { count += 1 }
                return count
            }
        }
        try await transport.requests.wait(for: "the second page") { $0.count == 2 }
        task.cancel()
        #expect(try await task.value.isCancellation)
    }

    // MARK: Observation

    @Test func showsTheSeriesInSnapshots() async throws {
        let transport = NumberedPages.transport(5) { page, _ in page == 3 ? .silence : nil }
        let client = transport.client(scheduler)
        let recorder = await record(pages(on: client).checkpoint("orders"), demand: .max(2))
        var row = try #require(client.snapshot.pages.first)
        #expect(!row.isRequesting && row.pages == 2 && row.url == "http://h/list?page=3" && row.method == .get)
        #expect(row.callSite?.label == "orders" && client.snapshot.requests.isEmpty)
        #expect("\(client.snapshot)".contains("waiting for demand  0.0 s      2  GET http://h/list?page=3, orders ("))
        recorder.request(.max(1))
        await scheduler.settle(advancingBy: .seconds(2))
        row = try #require(client.snapshot.pages.first)
        #expect(row.isRequesting && row.pages == 2 && row.age == .seconds(2) && client.snapshot.requests.count == 1)
        recorder.cancel()
    }

    @Test func notifiesMonitorsOfEachPage() async {
        let ends = Watched<[String]>([])
        let monitor = EndMonitor { request, completion in
            ends.update { $0.append(request.url.suffix(6) + (completion == .finished ? "" : " failed")) }
        }
        let transport = NumberedPages.transport(3)
        let client = transport.client(scheduler) { $0.monitors = [monitor] }
        _ = await record(pages(on: client, maxPages: 2))
        #expect(ends.value == ["page=1", "page=2", "page=3 failed"])
    }

    @Test func notifiesMonitorsOfAPageThatCannotBeDecodedAsOfACall() async throws {
        let ends = Watched<[Subscribers.Completion<HTTPError>]>([])
        let monitor = EndMonitor { _, completion in ends.update { $0.append(completion) } }
        let transport = AnsweringTransport { _, number in
            number.isMultiple(of: 2) ? .reply(.ok, ["Content-Type": "application/json"], "{}") : .reply(503)
        }
        let client = transport.client(scheduler) {
            $0.monitors = [monitor]
            $0.options.retry = RetryPolicy(maxRetries: 1, backoff: .constant(.zero))
        }
        let call = Call<Greeting>(.get, "/list")
        let single = RecordingSubscriber<HTTPResponse<Greeting>, HTTPError>()
        client.responsePublisher(for: call).subscribe(single)
        await scheduler.settle(advancingBy: .seconds(1))
        let recorder = RecordingSubscriber<HTTPResponse<Greeting>.Page, HTTPError>()
        client.pages(for: call) { _, _ in nil }.subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(1))
        let completions = ends.value + [single.completion, recorder.completion].compactMap(\.self)
        #expect(completions.count == 4)
        for case .failure(let error) in completions {
            #expect(error.name == "decoding" && error.attempt == 2 && error.request.url == "http://h/list")
        }
        #expect(!completions.contains(.finished))
    }

    @Test func interceptorsHaveTheTaskLocalsOfTheSubscriber() async {
        let seen = Watched<[String?]>([])
        let transport = NumberedPages.transport(3)
        let client = transport.client(scheduler) {
            $0.interceptors = [
                Hook { request, _ in
                    seen.update { $0.append(Trace.id) }
                    return request
                }
            ]
        }
        let recorder = Recorder(initialDemand: .none)
        Trace.$id.withValue("a") { pages(on: client).subscribe(recorder) }
        recorder.request(.unlimited)
        await scheduler.settle()
        #expect(seen.value == ["a", "a", "a"])
    }

    @Test func showsNoSecretsOfAPublisher() {
        let client = NumberedPages.transport(1).client(scheduler)
        let request = HTTPRequest(.get, "/list?token=secret", headers: ["Authorization": "Bearer secret"])
        let pages = client.pages(for: request) { _, _ in nil }
        var text = ""
        dump(pages, to: &text)
        #expect(text.contains("http://h/list") && !text.contains("secret"))
    }
}

private enum Trace {
    @TaskLocal static var id: String?
}

/// A monitor of the ends of requests.
private struct EndMonitor: EventMonitor {
    let onEnd: @Sendable (MonitoredRequest, Subscribers.Completion<HTTPError>) -> Void

    func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: HTTPRequest.Metrics
    ) {
        onEnd(request, completion)
    }
}
