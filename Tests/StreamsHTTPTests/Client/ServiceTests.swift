import StreamsHTTP
import StreamsHTTPTesting
import StreamsLoopback
import StreamsTesting
import Testing

/// The shared settings of a service's requests, and their failures.
@Suite(.serialized, .reservesDescriptors) struct ServiceTests {
    /// A service that a test configures.
    private struct Desk<ErrorContent: Sendable & Decodable>: HTTPService {
        let baseURL: URL
        var change: @Sendable (inout HTTPClient.Configuration) -> Void = { _ in }

        func configure(_ configuration: inout HTTPClient.Configuration) {
            change(&configuration)
        }
    }

    private struct Problem: Decodable, Hashable, Sendable {
        let code: Int
        let message: String
    }

    private let server: LoopbackServer
    private let url: URL

    init() throws {
        server = try LoopbackServer()
        url = try #require(URL(string: server.url("/v3")))
    }

    @Test func requestsShareWhatTheServiceSays() async throws {
        server.on("GET", "/v3/movie/42", .json(#"{"text":"hello"}"#))
        let service = Desk<Data>(baseURL: url) {
            $0.defaultHeaders = ["X-Key": "k"]
            $0.defaultQuery = [HTTPQuery.Item("lang", "es")]
            $0.limits.maxConcurrentRequests = 3
        }
        let movies = ServiceClient(service)
        #expect(try await movies.value(for: Call<Greeting>(.get, "movie/42")).text == "hello")
        let request = try #require(server.requests.first)
        #expect(request.target == "/v3/movie/42?lang=es")
        #expect(request.headers["X-Key"] == "k")
        #expect(movies.client.configuration.limits.maxConcurrentRequests == 3)
        #expect(try await movies.client.value(for: Call<Greeting>(.get, "movie/42")).text == "hello")
    }

    @Test func theServicesOptionsAndDecoderAreUsed() async throws {
        server.on("GET", "/v3/flaky", .status(503), .json(#"{"first_name":"Ada"}"#))
        struct Person: Decodable, Sendable { let firstName: String }
        let service = Desk<Data>(baseURL: url) {
            $0.coders = .json(keys: .snakeCase)
            $0.options.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero, maximum: .zero))
        }
        #expect(try await ServiceClient(service).value(for: Call<Person>(.get, "flaky")).firstName == "Ada")
    }

    @Test func servicesShareOneTransport() async throws {
        server.on("GET", "/v3/", .text("well"))
        for _ in 1...5 { _ = try await ServiceClient(Desk<Data>(baseURL: url)).response(for: HTTPRequest(.get, "/")) }
        #expect(server.acceptedConnections == 1)
    }

    // MARK: Failures

    @Test func aServicesStatusIsCaughtByName() async throws {
        server.on("GET", "/v3/gone", .json(#"{"code":7,"message":"gone"}"#, status: 404))
        let service = ServiceClient(Desk<Problem>(baseURL: url))
        do {
            _ = try await service.value(for: Call<Greeting>(.get, "gone"))
            Issue.record("a 404 is an error")
        } catch HTTPStatus.ok {
            Issue.record("a 404 is another status")
        } catch HTTPStatus.notFound {
        }
    }

    private func outcome<Content>(
        _ service: Desk<Content>,
        _ operation: (ServiceClient<Desk<Content>>) async throws(ServiceError<Content>) -> Void
    ) async throws -> ServiceError<Content> {
        do throws(ServiceError<Content>) {
            try await operation(ServiceClient(service))
        } catch {
            return error
        }
        throw UnexpectedSuccess()
    }

    @Test func unwrapsSuccessesAlone() async throws {
        server.on(
            "GET", "/v3/a", .json(#"{"data":{"text":"hello"}}"#), .json(#"{"code":7,"message":"no"}"#, status: 404))
        let service = Desk<Problem>(baseURL: url) { $0.envelope = ["data"] }
        #expect(try await ServiceClient(service).value(for: Call<Greeting>(.get, "a")).text == "hello")
        let error = try await outcome(service) { client throws(ServiceError<Problem>) in
            _ = try await client.value(for: Call<Greeting>(.get, "a"))
        }
        #expect(error.content == Problem(code: 7, message: "no"))
    }

    @Test func unwrapsErrorContentIfTheServiceDoes() async throws {
        struct Wrapped: HTTPService {
            let baseURL: URL
            func configure(_ configuration: inout HTTPClient.Configuration) { configuration.envelope = ["data"] }
            func decodeErrorContent(from response: HTTPResponse<Data>, using decoder: any DataDecoder) throws -> Problem
            {
                try decoder.unwrapping("error").decode(Problem.self, from: response.body)
            }
        }
        server.on("GET", "/v3/a", .json(#"{"error":{"code":7,"message":"no"}}"#, status: 404))
        do {
            _ = try await ServiceClient(Wrapped(baseURL: url)).value(for: Call<Greeting>(.get, "a"))
            Issue.record("a 404 is an error")
        } catch {
            #expect(error.content == Problem(code: 7, message: "no"))
        }
    }

    @Test func usesATransportThatIsGiven() async throws {
        let mock = MockTransport()
        mock.otherwise { _ in .text("mocked") }
        let service = Desk<Data>(baseURL: URL(literal: "https://api.example.com")) { $0.envelope = ["data"] }
        let client = ServiceClient(service, transport: mock)
        #expect(try await client.response(for: HTTPRequest(.get, "/")).body == Data("mocked".utf8))
        #expect(client.client.configuration.envelope == ["data"])
    }

    @Test func retriesOnAScheduler() async throws {
        let scheduler = TestScheduler()
        let mock = MockTransport(scheduler: scheduler)
        mock.on(
            .get, "/v3/a", MockResponse(.serviceUnavailable, headers: ["Retry-After": "60"]), .text("hello"))
        let service = Desk<Data>(baseURL: URL(literal: "https://api.example.com/v3")) {
            $0.options.retry = RetryPolicy(maxRetries: 1)
        }
        let client = ServiceClient(service, transport: mock, scheduler: scheduler)
        let response = Task(executorPreference: scheduler) { try await client.response(for: HTTPRequest(.get, "a")) }
        await scheduler.settle(advancingBy: .seconds(59))
        #expect(mock.requests.count == 1)
        await scheduler.settle(advancingBy: .seconds(1))
        #expect(try await response.value.body == Data("hello".utf8))
        #expect(mock.requests.count == 2)
    }

    @Test func failuresAreEqualIfTheirPartsAre() async throws {
        let contents = [#"{"code":7,"message":"no"}"#, #"{"code":8,"message":"no"}"#]
        server.on("GET", "/v3/a", .json(contents[0], status: 404))
        server.on("GET", "/v3/b", .json(contents[0], status: 404), .json(contents[1], status: 404))
        server.on("GET", "/v3/c", .text("no JSON", status: 404))
        var failures: [ServiceError<Problem>] = []
        for path in ["a", "a", "b", "b", "c", "c"] {
            failures.append(
                try await outcome(Desk<Problem>(baseURL: url)) { client throws(ServiceError<Problem>) in
                    _ = try await client.value(for: Call<Greeting>(.get, path))
                })
        }
        // Responses of different URLs are different.
        let equal = failures.map { failure in failures.map { $0 == failure ? "=" : "." }.joined() }
        #expect(equal == ["==....", "==....", "..=...", "...=..", "....==", "....=="])
    }

    @Test func convertsTheFailuresOfOtherCalls() async throws {
        server.on("GET", "/v3/a", .json(#"{"code":7,"message":"no such movie"}"#, status: 404))
        let movies = ServiceClient(Desk<Problem>(baseURL: url))
        let lines = movies.client.lines(for: HTTPRequest(.get, "a")).mapError(movies.failure)
        let error = try await outcome(movies.service) { _ throws(ServiceError<Problem>) in
            for try await _ in lines.values { Issue.record("an element of an error") }
        }
        #expect(error.content == Problem(code: 7, message: "no such movie"))
    }

    @Test(arguments: ["value", "progress", "response", "data"])
    func errorContentIsDecoded(way: String) async throws {
        server.on("GET", "/v3/a", .json(#"{"code":7,"message":"no such movie"}"#, status: 404))
        let error = try await outcome(Desk<Problem>(baseURL: url)) { client throws(ServiceError<Problem>) in
            switch way {
            case "value": _ = try await client.value(for: Call<Greeting>(.get, "a"))
            case "progress": _ = try await client.value(for: Call<Greeting>(.get, "a"), onProgress: { _ in })
            case "response": _ = try await client.response(for: Call<Greeting>(.get, "a"))
            default: _ = try await client.response(for: HTTPRequest(.get, "a"))
            }
        }
        // Exhaustive without a default.
        switch error {
        case .local(let error): Issue.record("\(error)")
        case .remote(let response): #expect(response.body == Problem(code: 7, message: "no such movie"))
        }
        #expect(error.status == .notFound && error.content?.code == 7 && !error.isCancellation)
        #expect(error.description == "\(server.url("/v3/a")): the server answered 404")
    }

    @Test func publishersFailAlike() async throws {
        server.on("GET", "/v3/a", .json(#"{"code":7,"message":"no such movie"}"#, status: 404))
        let client = ServiceClient(Desk<Problem>(baseURL: url))
        let failures = Watched<[ServiceError<Problem>]>([])
        let note: @Sendable (Subscribers.Completion<ServiceError<Problem>>) -> Void = { completion in
            if case .failure(let error) = completion { failures.update { $0.append(error) } }
        }
        let tokens = [
            client.publisher(for: Call<Greeting>(.get, "a")).sink(receiveCompletion: note, receiveValue: { _ in }),
            client.client.events(for: HTTPRequest(.get, "a")).mapError(client.failure).sink(
                receiveCompletion: note, receiveValue: { _ in }),
            client.client.lines(for: HTTPRequest(.get, "a")).mapError(client.failure).sink(
                receiveCompletion: note, receiveValue: { _ in }),
            client.client.download(for: HTTPRequest(.get, "a"), to: "unused").mapError(client.failure).sink(
                receiveCompletion: note, receiveValue: { _ in }),
        ]
        let seen = try await failures.wait(for: "four failures") { $0.count == 4 }
        for error in seen { #expect(error.content == Problem(code: 7, message: "no such movie")) }
        withExtendedLifetime(tokens) {}
    }

    @Test func contentThatCannotBeDecodedIsALocalError() async throws {
        server.on("GET", "/v3/a", .text("<html>", status: 502))
        let error = try await outcome(Desk<Problem>(baseURL: url)) { client throws(ServiceError<Problem>) in
            _ = try await client.response(for: HTTPRequest(.get, "a"))
        }
        guard case .local(let local) = error, case .decoding(let reason, let response) = local.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(reason is DecodingError)
        #expect(String(decoding: response.body, as: UTF8.self) == "<html>")
        #expect(error.status == .badGateway && error.content == nil)
        #expect(error.description == local.description)
    }

    @Test func anAnswerOfTheWrongShapeIsALocalError() async throws {
        server.on("GET", "/v3/a", .json("[]"))
        let error = try await outcome(Desk<Problem>(baseURL: url)) { client throws(ServiceError<Problem>) in
            _ = try await client.value(for: Call<Greeting>(.get, "a"))
        }
        guard case .local(let local) = error, case .decoding = local.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.status == .ok)
    }

    @Test func aTextAsContent() async throws {
        server.on("GET", "/v3/a", .text("no such movie", status: 404))
        let error = try await outcome(Desk<String>(baseURL: url)) { client throws(ServiceError<String>) in
            _ = try await client.response(for: HTTPRequest(.get, "a"))
        }
        #expect(error.content == "no such movie")
    }

    @Test func theBodyAsContentUnlessTheServiceSaysOtherwise() async throws {
        struct Plain: HTTPService { let baseURL: URL }
        server.on("GET", "/v3/a", .text("no such movie", status: 404))
        do throws(ServiceError<Data>) {
            _ = try await ServiceClient(Plain(baseURL: url)).response(for: HTTPRequest(.get, "a"))
        } catch {
            #expect(error.content.map { String(decoding: $0, as: UTF8.self) } == "no such movie")
        }
    }

    @Test func noContent() async throws {
        struct Silent: HTTPService {
            typealias ErrorContent = Void
            let baseURL: URL
        }
        server.on("GET", "/v3/a", .text("whatever", status: 404))
        do throws(ServiceError<Void>) {
            _ = try await ServiceClient(Silent(baseURL: url)).response(for: HTTPRequest(.get, "a"))
        } catch {
            #expect(error.status == .notFound && error.content != nil)
        }
    }

    @Test func contentOfTheServicesOwnMaking() async throws {
        struct Custom: HTTPService {
            let baseURL: URL
            let decoded = Watched(0)

            func decodeErrorContent(from response: HTTPResponse<Data>, using decoder: any DataDecoder) -> Int {
                decoded.update { $0 += 1 }
                return response.body.count
            }
        }
        server.on("GET", "/v3/a", .text("1234", status: 404))
        let service = Custom(baseURL: url)
        do throws(ServiceError<Int>) {
            _ = try await ServiceClient(service).value(for: Call<Greeting>(.get, "a"))
        } catch {
            #expect(error.content == 4 && error.status == .notFound && "\(error)".contains("404"))
        }
        #expect(service.decoded.value == 1)
    }

    @Test func cancellationIsToldApart() async throws {
        server.on("GET", "/v3/a", .text("never").held(by: Gate()))
        let client = ServiceClient(Desk<Problem>(baseURL: url))
        let task = Task { () -> Bool in
            do throws(ServiceError<Problem>) {
                _ = try await client.response(for: HTTPRequest(.get, "a"))
                return false
            } catch {
                return error.isCancellation && error.status == nil
            }
        }
        try await server.waitForRequests(1)
        client.client.cancelAll()
        #expect(await task.value)
        await client.client.shutdown()
        let error = try await outcome(Desk<Problem>(baseURL: url)) { _ throws(ServiceError<Problem>) in
            _ = try await client.response(for: HTTPRequest(.get, "a"))
        }
        #expect("\(error)".contains("shut down"))
    }

    @Test func aLiteralIsAURL() {
        #expect(URL(literal: "https://httpbin.org/post").absoluteString == "https://httpbin.org/post")
    }
}
