import StreamsHTTP
import StreamsHTTPTesting
import StreamsTesting
import Testing

@testable import watch

@Suite struct SalesTests {
    private let scheduler = TestScheduler()
    private let mock: MockTransport
    private let client: HTTPClient
    private let recorder = RecordingSubscriber<Sales, HTTPError>()

    init() {
        mock = MockTransport(scheduler: scheduler)
        client = HTTPClient(
            configuration: .init(baseURL: "https://shop.example.com"), transport: mock, scheduler: scheduler)
    }

    /// A response with one order of 10 for each number.
    private func orders(_ numbers: ClosedRange<Int>) -> MockResponse {
        MockResponse(
            headers: ["Content-Type": "text/event-stream"],
            chunks: numbers.map { Data("id: \($0)\ndata: {\"number\":\($0),\"total\":10}\n\n".utf8) })
    }

    @Test func resumesAfterTheLastOrder() async {
        mock.on(
            .get, "/orders",
            orders(1...3).failing(.transfer(.bodyEndedEarly), at: .inBody(after: 40)), orders(2...3),
            MockResponse(.noContent))
        client.sales(on: scheduler).subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(60))
        #expect(recorder.values.last == Sales(count: 3, total: 30))
        #expect(recorder.completion == .finished)
        #expect(mock.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "3"])
    }

    @Test func replacesASilentConnection() async {
        mock.on(.get, "/orders", orders(1...1).stalling(at: .inBody(after: 1000)), orders(2...2))
        client.sales(on: scheduler).subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(179))
        #expect(recorder.values == [Sales(count: 1, total: 10)])
        await scheduler.settle(advancingBy: .seconds(3))
        #expect(recorder.values.last == Sales(count: 2, total: 20))
        recorder.cancel()
    }
}
