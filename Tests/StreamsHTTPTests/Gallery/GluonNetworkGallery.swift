import Dispatch
import StreamsHTTP
import StreamsLoopback
import Testing

// The examples of the document on GluonNetwork, written with Streams.

// MARK: Endpoints with full URLs

enum AppleEndpoints: Endpoint {
    case mainPage
    case regionalMainPage(countryCode: String)
    case developers

    var path: String {
        switch self {
        case .mainPage: "https://www.apple.com"
        case .regionalMainPage(let countryCode): "https://www.apple.com/\(countryCode)/"
        case .developers: "https://developer.apple.com/"
        }
    }
}

// MARK: Query parameters

enum Pagination: HTTPQuery.Parameter {
    case offset(value: Int)
    case page(value: Int)
    case limit(value: Int)

    var queryItem: HTTPQuery.Item {
        switch self {
        case .offset(let value): HTTPQuery.Item("offset", "\(value)")
        case .page(let value): HTTPQuery.Item("page", "\(value)")
        case .limit(let value): HTTPQuery.Item("limit", "\(value)")
        }
    }
}

enum Filter: HTTPQuery.Parameter {
    case term(value: String)

    var queryItem: HTTPQuery.Item {
        switch self {
        case .term(let value): HTTPQuery.Item("term", value)
        }
    }
}

struct Company: Encodable, Sendable {
    let name: String
    let country: String
}

@Suite(.reservesDescriptors) struct GluonNetworkGallery {
    /// Stands in for the servers that the endpoints name.
    private struct AnyHost: HTTPTransport {
        func start(_ request: TransportRequest, delivering receiver: any TransportReceiver) -> any TransportExchange {
            receiver.receive(.head(HTTPResponse(status: .ok, body: (), url: request.url)))
            receiver.receive(.chunk(Data(request.url.absoluteString.utf8), received: 1))
            receiver.receive(.finished)
            return ScriptedExchange()
        }
    }

    private let server: LoopbackServer
    private let api = HTTPClient(configuration: HTTPClient.Configuration(), transport: AnyHost())

    init() throws {
        server = try LoopbackServer()
    }

    @Test func anEnumerationOfURLs() async throws {
        let appleSpain = AppleEndpoints.regionalMainPage(countryCode: "es")
        #expect(try await api.value(for: appleSpain) == Data("https://www.apple.com/es/".utf8))
        #expect(try await api.value(for: AppleEndpoints.mainPage) == Data("https://www.apple.com".utf8))
        #expect(try await api.value(for: AppleEndpoints.developers) == Data("https://developer.apple.com/".utf8))
    }

    @Test func allTogether() async throws {
        let globant = Company(name: "Company", country: "Argentina")
        let query: HTTPQuery = [Filter.term(value: "apple"), Pagination.limit(value: 5)]

        var parameters = HTTPRequest(.post, server.url("/companies"))
        parameters.query = query
        parameters.headers["X-Trace"] = "1"
        parameters.body = .json(globant)

        server.on("POST", "/companies", .status(201))
        let response = try await HTTPClient().response(for: parameters)
        #expect(response.status == .created)
        let request = try #require(server.requests.first)
        #expect(request.target == "/companies?term=apple&limit=5" && request.headers["X-Trace"] == "1")
        #expect(request.body.count == #"{"name":"Company","country":"Argentina"}"#.utf8.count)
        let fields = try JSONDecoder().decode([String: String].self, from: Data(request.body))
        #expect(fields == ["name": "Company", "country": "Argentina"])
    }

    @Test func reactive() async throws {
        let answers = Watched<[Data]>([])
        var subscribers = Set<AnyCancellable>()

        api.publisher(for: AppleEndpoints.mainPage)
            .receive(on: DispatchQueue.main)
            .sink { completion in
                if case .failure(let networkError) = completion { Issue.record("\(networkError)") }
            } receiveValue: { apiResponse in
                answers.update { $0.append(apiResponse) }
            }
            .store(in: &subscribers)

        try await answers.wait(for: "the answer") { $0 == [Data("https://www.apple.com".utf8)] }
    }

    @Test func reactiveWithParameters() async throws {
        server.on("POST", "/companies", .json(#"{"text":"created"}"#, status: 201))
        var parameters = HTTPRequest(.post, server.url("/companies"))
        parameters.query = [Filter.term(value: "apple")]
        parameters.body = .json(Company(name: "Company", country: "Argentina"))
        let texts = Watched<[String]>([])
        var subscribers = Set<AnyCancellable>()

        HTTPClient().responsePublisher(for: parameters)
            .map { response in "\(response.status): \(response.body.count) bytes" }
            .assertNoFailure()
            .sink { text in texts.update { $0.append(text) } }
            .store(in: &subscribers)
        try await texts.wait(for: "the response") { $0 == ["201: 18 bytes"] }

        HTTPClient().publisher(for: parameters.decoding(Greeting.self))
            .assertNoFailure()
            .sink { greeting in texts.update { $0.append(greeting.text) } }
            .store(in: &subscribers)
        try await texts.wait(for: "the value") { $0.last == "created" }
        #expect(server.requests.map(\.target) == ["/companies?term=apple", "/companies?term=apple"])
    }

    @Test func awaited() async throws {
        server.on("GET", "/", .status(502))

        do {
            let response = try await HTTPClient().response(for: HTTPRequest(.get, server.url()))
            Issue.record("\(response.status)")
        } catch HTTPStatus.badGateway {
            // The publisher fails with the same type.
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func everythingIsCancelledAtOnce() async throws {
        server.on("GET", "/", .text("never").held(by: Gate()))
        let api = HTTPClient()
        let task = Task { [server] in
            try await failure { () throws(HTTPError) in try await api.response(for: HTTPRequest(.get, server.url())) }
        }
        try await server.waitForRequests(1)
        api.cancelAll()
        #expect(try await task.value.isCancellation)
    }
}
