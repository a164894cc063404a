import Foundation
import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The samples of the article "Pages", and those of documentation comments, which have the same code.
@Suite struct PagesSamples {
    private let mock = MockTransport()
    private let client: HTTPClient

    init() {
        let configuration = HTTPClient.Configuration(baseURL: "https://api.example.com")
        client = HTTPClient(configuration: configuration, transport: mock)
        mock.on(.get, "/issues") { request in
            let page = request.url.query()?.last?.wholeNumberValue ?? 1
            var response = MockResponse.text("[{\"id\": \(page)}]")
            response.headers = ["Content-Type": "application/json"]
            if page < 3 { response.headers.add("Link", "<?page=\(page + 1)>; rel=\"next\", <?page=3>; rel=\"last\"") }
            return response
        }
        mock.on(.get, "/issues/*") { request in
            .text(#"{"title": "issue \#(request.url.lastPathComponent)"}"#)
        }
        mock.on(.get, "/orders?cursor=b", .text(#"{"orders": [3]}"#))
        mock.on(.get, "/orders", .text(#"{"orders": [1, 2], "next": "b"}"#))
        mock.on(.get, "/users?offset=0&limit=100", .text("\(Array(1...100))"))
        mock.on(.get, "/users?offset=100&limit=100", .text("[101]"))
    }

    struct Issue: Decodable, Sendable {
        let id: Int
    }

    private struct IssueDetails: Decodable, Sendable {
        let title: String
    }

    struct ListIssues: Endpoint {
        let path = "/issues"
        typealias Response = [Issue]
    }

    @Test func followsLinks() async throws {
        var printed: [String] = []
        func print(_ number: Int, _ text: String) { printed.append("\(number): \(text)") }

        for try await page in client.linkedPages(for: ListIssues()).values {
            print(page.number, "\(page.value.count) issues")
        }
        #expect(printed == ["1: 1 issues", "2: 1 issues", "3: 1 issues"])
    }

    struct ListOrders: Endpoint {
        let path = "/orders"
        var cursor: String?

        struct Response: Decodable, Sendable {
            let orders: [Int]
            let next: String?
        }

        var query: HTTPQuery { cursor.map { ["cursor": $0] } ?? [] }
    }

    @Test func followsCursors() async throws {
        let orders = client.pages(for: ListOrders()) { call, response in
            response.body.next.map { ListOrders(cursor: $0) }
        }
        var numbers: [Int] = []
        for try await page in orders.values { numbers += page.value.orders }
        #expect(numbers == [1, 2, 3])
    }

    struct ListUsers: Endpoint {
        let path = "/users"
        var offset = 0
        typealias Response = [Int]

        var query: HTTPQuery { ["offset": "\(offset)", "limit": "100"] }
    }

    @Test func countsOffsets() async throws {
        let users = client.pages(for: ListUsers(), maxPages: 1_000) { call, response in
            response.body.count < 100 ? nil : ListUsers(offset: call.offset + 100)
        }
        var count = 0
        for try await page in users.values { count += page.value.count }
        #expect(count == 101 && mock.requests.count == 2)
    }

    private final class Store {
        var link: String?
        var ids: [Int] = []

        func save(_ issues: [Issue], next: String?) {
            ids += issues.map(\.id)
            link = next
        }
    }

    @Test func resumes() async throws {
        let store = Store()
        store.link = "https://api.example.com/issues?page=2"

        for try await page in client.linkedPages(for: ListIssues(), from: store.link).values {
            store.save(page.value, next: page.next?.target)
        }
        #expect(store.ids == [2, 3] && store.link == nil)
    }

    @Test func flattensPages() async throws {
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }

        let issues = client.linkedPages(for: ListIssues()).concatMap { $0.value.publisher }
        for try await issue in issues.prefix(2).values { print("\(issue.id)") }
        #expect(printed == ["1", "2"])
        try await printTitles()
    }

    private func printTitles() async throws {
        let issues = client.linkedPages(for: ListIssues()).concatMap { $0.value.publisher }
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }
        let client = client

        let details = issues.asyncMap(maxConcurrent: 4) { issue throws(HTTPError) in
            try await client.value(for: HTTPRequest(.get, "/issues/\(issue.id)").decoding(IssueDetails.self))
        }
        for try await issue in details.values { print(issue.title) }
        #expect(printed == ["issue 1", "issue 2", "issue 3"])
    }

    @Test func waitsForRates() async throws {
        let client = client.configuring {
            $0.options.retry = RetryPolicy(maxRetries: 5)
            $0.options.retry.maxServerDelay = .seconds(3600)
            $0.limits.rateLimit = RateLimit(requests: 10)
        }
        for try await page in client.linkedPages(for: ListIssues()).values { print(page.number) }
    }

    @Test(arguments: [("</issues>; rel=next", "the server repeats itself"), ("<//evil/>; rel=next", "refused: ")])
    func handlesErrors(link: String, result: String) async {
        mock.on(.get, "/issues", MockResponse(headers: ["Link": link], body: Data("[]".utf8)))
        #expect(await readToTheEnd(client).hasPrefix(result))
    }

    private func readToTheEnd(_ client: HTTPClient) async -> String {
        do throws(HTTPError) {
            for try await page in client.linkedPages(for: ListIssues(), maxPages: 100).values { print(page.number) }
            return "complete"
        } catch {
            switch error.reason {
            case .redirect(.loop): return "the server repeats itself"
            case .redirect(.tooMany): return "more than 100 pages"
            case .redirect: return "refused: \(error)"
            default: return "failed: \(error)"
            }
        }
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Pages.md")
        #expect(article.samples.count == 9)
        try article.expectAll()
    }
}
