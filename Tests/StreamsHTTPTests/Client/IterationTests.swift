import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The iteration of a request's stream by `for try await`.
@Suite(.timeLimit(.minutes(5))) struct IterationTests {
    private struct Page: Codable, Sendable {
        let number: Int
    }

    private struct GetPage: Endpoint {
        let number: Int
        var path: String { "/pages/\(number)" }
        typealias Response = Page
    }

    private let mock = MockTransport()
    private let client: HTTPClient

    init() throws {
        client = HTTPClient(
            configuration: HTTPClient.Configuration(baseURL: URL(string: "http://h/")), transport: mock)
        for number in 1...3 { mock.on(.get, "/pages/\(number)", try .json(Page(number: number))) }
        mock.on(.get, "/pages/4", MockResponse().stalling(at: .beforeHead))
        mock.on(.get, "/log", .text("line 1, line 2").stalling(at: .inBody(after: 6)))
    }

    /// Ten pages, of which the fourth does not arrive.
    private static func pages(from client: HTTPClient) -> some Publisher<Page, HTTPError> {
        client.publisher(for: GetPage(number: 1)).expand { page in
            page.number < 10
                ? client.publisher(for: GetPage(number: page.number + 1)).eraseToAnyPublisher()
                : Empty(completeImmediately: true).eraseToAnyPublisher()
        }
    }

    /// Compiles only if the iteration throws the type of the failure.
    private func body(of request: HTTPRequest) async throws(HTTPError) -> Data {
        var body = Data()
        for try await event in client.events(for: request).values {
            if case .chunk(let chunk) = event { body += chunk }
        }
        return body
    }

    @Test func iterationThrowsHTTPError() async throws {
        mock.on(.get, "/greeting", .text("hello"))
        #expect(try await body(of: HTTPRequest(.get, "/greeting")) == Data("hello".utf8))
        do {
            _ = try await body(of: HTTPRequest(.get, "/none"))
            Issue.record("the failure is missing")
        } catch {
            #expect(error.name == "thrown.transport")
        }
    }

    @Test func iterationThatHasEndedThrowsNothingWhenCancelled() async throws {
        mock.on(.get, "/greeting", .text("hello"))
        let client = client
        let task = Task {
            var iterator = client.events(for: HTTPRequest(.get, "/greeting")).values.makeAsyncIterator()
            while try await iterator.next() != nil {}
            withUnsafeCurrentTask { $0?.cancel() }
            return try await iterator.next() == nil
        }
        #expect(try await task.value)
    }

    @Test func cancellationIsThrownOnce() async throws {
        let client = client
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = client.events(for: HTTPRequest(.get, "/log")).values.makeAsyncIterator()
            var wasThrown = false
            do throws(HTTPError) {
                _ = try await iterator.next()
            } catch {
                wasThrown = error.isCancellation
            }
            let isOver = try await iterator.next() == nil
            return wasThrown && isOver
        }
        #expect(try await task.value)
    }

    @Test func cancelledIterationOfARequestThrows() async throws {
        let hasBegun = Watched(false)
        let client = client
        let task = Task {
            for try await event in client.events(for: HTTPRequest(.get, "/log")).values {
                if case .chunk = event { hasBegun.update { $0 = true } }
            }
        }
        try await hasBegun.wait(for: "a chunk") { $0 }
        task.cancel()
        let error = try #require(await task.result.failure as? HTTPError)
        #expect(error.isCancellation)
        #expect(error.description == "GET http://h/log: cancelled")
    }

    @Test func cancelledIterationOfAChainThrows() async throws {
        let received = Watched<[Int]>([])
        let client = client
        let task = Task {
            for try await page in Self.pages(from: client).map(\.number).values { received.update { $0.append(page) } }
        }
        try await received.wait(for: "three pages") { $0.count == 3 }
        task.cancel()
        let error = try #require(await task.result.failure as? HTTPError)
        #expect(error.isCancellation)
        #expect(error.description == "cancelled")
    }

    @Test func cancelledIterationWithABoundedBufferThrows() async throws {
        let client = client
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in Self.pages(from: client).values(buffering: .bufferingNewest(1)) {}
        }
        #expect((await task.result.failure as? HTTPError)?.isCancellation == true)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
