import Dispatch
import Measuring
import StreamsHTTP

/// The costs of requests apart from the network.
let requestPaths = [
    Pipeline("plan of a GET", .request) { count, sum in
        let client = makeClient()
        for id in 0..<count {
            let events = client.events(for: GetDocument(path: "http://127.0.0.1:8080/documents/\(id).json"))
            withExtendedLifetime(events) { sum.add(id) }
        }
    },
    Pipeline("plan of a GET below a base URL, with a query", .request) { count, sum in
        let client = makeClient(baseURL: URL(string: "https://api.example.com/v1"))
        for id in 0..<count {
            let events = client.events(for: FindDocuments(word: "larger than \(id)", page: id))
            withExtendedLifetime(events) { sum.add(id) }
        }
    },
    Pipeline("client.response(for:)", .request) { count, sum in
        let client = makeClient()
        CallerExecutor.run {
            for _ in 0..<count {
                sum.add(try await client.response(for: HTTPRequest(.get, "http://127.0.0.1:8080/7.json")).body.count)
            }
        }
    },
    Pipeline("client.response(for:), with permits of all policies", .request) { count, sum in
        let client = makeClient().configuring {
            $0.limits.rateLimit = RateLimit(requests: .max)
            $0.limits.circuitBreaker = CircuitBreaker()
            $0.limits.maxConcurrentRequestsPerOrigin = 8
        }
        CallerExecutor.run {
            for _ in 0..<count {
                sum.add(try await client.response(for: HTTPRequest(.get, "http://127.0.0.1:8080/7.json")).body.count)
            }
        }
    },
    Pipeline("client.response(for:), with a total timeout", .request) { count, sum in
        let client = makeClient().configuring { $0.options.timeouts.total = .seconds(60) }
        CallerExecutor.run {
            for _ in 0..<count {
                sum.add(try await client.response(for: HTTPRequest(.get, "http://127.0.0.1:8080/7.json")).body.count)
            }
        }
    },
    Pipeline("client.response(for:), with a hedging policy", .request) { count, sum in
        let client = makeClient().configuring { $0.options.hedging = HedgingPolicy(after: .seconds(60)) }
        CallerExecutor.run {
            for _ in 0..<count {
                sum.add(try await client.response(for: HTTPRequest(.get, "http://127.0.0.1:8080/7.json")).body.count)
            }
        }
    },
    Pipeline("client.response(for:), stored in memory", .request) { count, sum in
        let cache = HTTPCache(maxMemory: 1 << 20)
        let client = makeClient(storing: cache)
        CallerExecutor.run {
            for _ in 0..<count {
                sum.add(try await client.response(for: HTTPRequest(.get, "http://127.0.0.1:8080/7.json")).body.count)
            }
        }
        precondition(cache.statistics.hits == count - 1, "the response is not used again")
    },
    Pipeline("client.snapshot of 100 requests", .snapshot) { count, sum in
        let client = HTTPClient(configuration: HTTPClient.Configuration(), transport: SilentTransport())
        let requests = (0..<100).map { id in
            client.events(for: HTTPRequest(.get, "http://127.0.0.1:8080/\(id).json")).sink { _ in
            } receiveValue: { _ in
            }
        }
        for _ in 0..<count { sum.add(client.snapshot.requests.count) }
        withExtendedLifetime(requests) {}
    },
    Pipeline("client.value(for:), decoded from JSON", .request) { count, sum in
        let client = makeClient()
        CallerExecutor.run {
            for _ in 0..<count {
                sum.add(try await client.value(for: GetDocument(path: "http://127.0.0.1:8080/7.json")).id)
            }
        }
    },
    // Ten at a time, so that the start of a thread weighs little.
    Pipeline("client.lines(for:), ten lines", .event) { count, sum in
        let count = count * 10
        let body = Data(String(repeating: "a line of text\n", count: count).utf8)
        let client = HTTPClient(
            configuration: HTTPClient.Configuration(), transport: ImmediateTransport(headers: [:], body: body))
        let isOver = DispatchSemaphore(value: 0)
        let lines = client.lines(for: HTTPRequest(.get, "http://127.0.0.1:8080/lines")).prefix(count)
            .sink { _ in
                isOver.signal()
            } receiveValue: { line in
                sum.add(line.count)
            }
        isOver.wait()
        withExtendedLifetime(lines) {}
    },
]

private func makeClient(baseURL: URL? = nil, storing cache: HTTPCache? = nil) -> HTTPClient {
    var headers = HTTPHeaders()
    for (name, value) in Document.fields { headers.add(name, value) }
    headers.add("Content-Length", "\(Document.text.utf8.count)")
    // Decades, for the date of the document stays.
    if cache != nil { headers.add("Cache-Control", "max-age=2147483648") }
    var configuration = HTTPClient.Configuration(baseURL: baseURL)
    configuration.cache = cache
    return HTTPClient(
        configuration: configuration,
        transport: ImmediateTransport(headers: headers, body: Data(Document.text.utf8)))
}
