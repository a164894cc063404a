import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// The contents of an endpoint, as the server and the caller receive them.
@Suite(.serialized, .reservesDescriptors) struct EndpointTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        client = server.client()
        server.otherwise { .text($0.target) }
    }

    private struct Parameters: Codable, Equatable {
        let sortBy: String
        let page: Int?
    }

    private struct Movies: Endpoint {
        typealias Response = String
        var method: HTTPMethod = .get
        let path = "discover/movie"
        var parameters: Parameters = Parameters(sortBy: "a b", page: nil)
        var encoding: ParameterEncoding
        var headers: HTTPHeaders = [:]

        init(_ method: HTTPMethod, _ encoding: ParameterEncoding? = nil) {
            self.method = method
            self.encoding = encoding ?? Defaults(method: method).encoding
        }

        private struct Defaults: Endpoint {
            let method: HTTPMethod
            let path = ""
        }
    }

    @Test(arguments: [HTTPMethod.get, .head, .delete])
    func parametersGoIntoTheQueryWhereABodyWouldMeanNothing(method: HTTPMethod) async throws {
        _ = try await client.response(for: Movies(method))
        #expect(server.requests.last?.target == "/discover/movie?sortBy=a%20b")
        #expect(server.requests.last?.bodyCount == 0)
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch])
    func parametersGoIntoTheBodyElsewhere(method: HTTPMethod) async throws {
        _ = try await client.value(for: Movies(method))
        let request = try #require(server.requests.last)
        #expect(request.target == "/discover/movie")
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.text == #"{"sortBy":"a b"}"#)
    }

    @Test func parametersGoWhereTheyAreTold() async throws {
        _ = try await client.value(for: Movies(.post, .query))
        #expect(server.requests.last?.target == "/discover/movie?sortBy=a%20b")
        _ = try await client.value(for: Movies(.post, .form))
        #expect(server.requests.last?.text == "sortBy=a+b")
        #expect(server.requests.last?.headers["Content-Type"] == "application/x-www-form-urlencoded")
        _ = try await client.value(for: Movies(.post, .multipart))
        #expect(server.requests.last?.text.contains("name=\"sortBy\"\r\n\r\na b\r\n") == true)
        #expect(server.requests.last?.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
    }

    @Test func sendsParametersOfAnyType() async throws {
        struct Typed: Endpoint {
            typealias Response = String
            let path = "/typed"
            let parameters: Parameters
        }
        struct OptionalParameters: Endpoint {
            let path = "/optional"
            let method = HTTPMethod.post
            let parameters: Parameters?
        }
        struct Computed: Endpoint {
            let path = "/computed"
            let failsToCompute: Bool
            var parameters: [String: Int] {
                get throws { failsToCompute ? try JSONDecoder().decode([String: Int].self, from: Data()) : ["a": 1] }
            }
        }
        #expect(
            try await client.value(for: Typed(parameters: Parameters(sortBy: "a", page: 2))) == "/typed?sortBy=a&page=2"
        )
        _ = try await client.value(for: OptionalParameters(parameters: Parameters(sortBy: "a", page: nil)))
        #expect(server.requests.last?.text == #"{"sortBy":"a"}"#)
        _ = try await client.value(for: OptionalParameters(parameters: nil))
        #expect(server.requests.last?.bodyCount == 0 && server.requests.last?.headers["Content-Type"] == nil)
        _ = try await client.value(for: Computed(failsToCompute: false))
        #expect(server.requests.last?.target == "/computed?a=1")
        let error = try await failure { () async throws(HTTPError) in
            try await client.value(for: Computed(failsToCompute: true))
        }
        #expect(error.reason.outline == "thrown.encoder(DecodingError)")
    }

    @Test func parametersAreWrittenByTheClientsCoders() async throws {
        let client = client.configuring { $0.coders = .json(keys: .snakeCase) }
        for encoding in [ParameterEncoding.query, .json, .form, .multipart] {
            _ = try await client.value(for: Movies(.post, encoding))
            let request = try #require(server.requests.last)
            #expect((request.target + request.text).contains("sort_by"), "\(encoding)")
        }
    }

    @Test func aBodyAndParametersExcludeEachOther() async throws {
        struct Both: Endpoint {
            let path = "/"
            let method = HTTPMethod.post
            let body = HTTPBody.text("x")
            let parameters = ["a": 1]
        }
        let error = try await failure { () async throws(HTTPError) in try await client.value(for: Both()) }
        #expect(error.reason.outline == "thrown.encoder(besideParameters)")
        #expect(server.requests.isEmpty)
    }

    @Test func whatCannotBeMadeFailsTheRequest() async throws {
        struct Failing: Endpoint {
            let path = "/"
            let failsInQuery: Bool
            var query: HTTPQuery { get throws { failsInQuery ? try HTTPQuery(encoding: 5) : [] } }
            var headers: HTTPHeaders { get throws { try HTTPHeaders(encoding: 5) } }
        }
        for failsInQuery in [true, false] {
            let call = Failing(failsInQuery: failsInQuery)
            let error = try await failure { () async throws(HTTPError) in try await client.value(for: call) }
            #expect(error.reason.outline == "thrown.encoder(EncodingError)")
        }
        #expect(server.requests.isEmpty)
    }

    private enum Pages: Endpoint {
        typealias Response = String
        case main(base: String)
        case regional(base: String, countryCode: String)

        var path: String {
            switch self {
            case .main(let base): base
            case .regional(let base, let countryCode): "\(base)/\(HTTPRequest.path(components: countryCode, "a/ü"))/"
            }
        }
    }

    @Test func enumsWithWholeURLsAreEndpoints() async throws {
        let base = server.url("")
        let client = HTTPClient.alone
        #expect(try await client.value(for: Pages.main(base: base)) == "/")
        #expect(try await client.value(for: Pages.regional(base: base, countryCode: "es")) == "/es/a%2F%C3%BC/")
    }

    private struct Upper: DataDecoder {
        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            let text = String(decoding: data, as: UTF8.self).uppercased()
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        }
    }

    private struct Words: Endpoint {
        typealias Response = [String]
        let path = "/words"
        var decoder: (any DataDecoder)?
        var validation: ResponseValidation?
        var options = RequestOptions()
    }

    @Test func anEndpointsDecoderWinsOverTheClients() async throws {
        server.on("GET", "/words", .json(#"["a"]"#))
        #expect(try await client.value(for: Words()) == ["a"])
        #expect(try await client.value(for: Words(decoder: Upper())) == ["A"])
        let client = client.configuring { $0.coders.register(Upper(), for: "application/json") }
        #expect(try await client.value(for: Words()) == ["A"])
        let events = try await EventRecorder.record(client.events(for: Words()))
        #expect(events.response?.body == ["A"])
        #expect(try await client.value(for: Words(decoder: JSONDecoder())) == ["a"])
        let configuration = HTTPClient.Configuration(
            baseURL: URL(string: server.url("")), coders: CoderRegistry(decoder: Upper()))
        #expect(try await HTTPClient(configuration: configuration).value(for: Words()) == ["A"])
    }

    @Test func decodesWithADecoderOfAnyType() async throws {
        struct Concrete: Endpoint {
            typealias Response = [String]
            let path = "/words"
            let decoder = Upper()
        }
        struct Opaque: Endpoint {
            typealias Response = [String]
            let path = "/words"
            var decoder: some DataDecoder { JSONDecoder().unwrapping("data") }
        }
        struct Existential: Endpoint {
            typealias Response = [String]
            let path = "/words"
            let decoder: any DataDecoder
        }
        server.on("GET", "/words", .json(#"["a"]"#), .json(#"["a"]"#), .json(#"{"data":["a"]}"#))
        #expect(try await client.value(for: Concrete()) == ["A"])
        #expect(try await client.value(for: Existential(decoder: Upper())) == ["A"])
        #expect(try await client.value(for: Opaque()) == ["a"])
    }

    @Test func anEndpointsValidationWinsOverItsOptions() async throws {
        server.on("GET", "/words", Reply.json(#"["a"]"#, status: 404))
        var call = Words()
        call.options.validation = .successOnly
        let error = try await failure { () async throws(HTTPError) in try await client.value(for: call) }
        #expect(error.status == .notFound)
        call.validation = .acceptAll
        #expect(try await client.value(for: call) == ["a"])
    }

    @Test func theStatusIsJudgedBeforeTheEnvelopeIsOpened() async throws {
        server.on("GET", "/words", Reply.json(#"{"message": "no"}"#, status: 500))
        let call = Words(decoder: JSONDecoder().unwrapping("data"))
        let error = try await failure { () async throws(HTTPError) in try await client.value(for: call) }
        #expect(error.status == .internalServerError)
        #expect(error.content(as: String.self, decoder: JSONDecoder().unwrapping("message")) == "no")
        server.on("GET", "/words", .json(#"{"data": ["a"]}"#))
        #expect(try await client.value(for: call) == ["a"])
    }

    @Test func unwrapsTheClientsEnvelope() async throws {
        server.on("GET", "/words", .json(#"{"data":{"items":["a"]}}"#))
        let client = client.configuring { $0.envelope = ["data", "items"] }
        #expect(try await client.value(for: Words()) == ["a"])
        #expect(try await EventRecorder.record(client.events(for: Words())).response?.body == ["a"])
        #expect(try await client.value(for: HTTPRequest(.get, "/words").decoding([String].self)) == ["a"])
        // The endpoint's own decoder decodes the whole body.
        let words = Words(decoder: JSONDecoder().unwrapping("data", "items"))
        #expect(try await client.value(for: words) == ["a"])
        let undecoded = try await client.value(for: HTTPRequest(.get, "/words").decoding(Data.self))
        #expect(undecoded == Data(#"{"data":{"items":["a"]}}"#.utf8))
    }

    @Test func erasureLosesNothing() async throws {
        server.on("GET", "/words", .json(#"["a"]"#))
        let calls: [any Endpoint<[String]>] = [Words(), Words(decoder: Upper())]
        #expect(try await client.value(for: calls[0]) == ["a"])
        #expect(try await client.response(for: calls[1]).body == ["A"])
        #expect(try await EventRecorder.record(client.events(for: calls[1])).response?.body == ["A"])
        let movies: any Endpoint<String> = Movies(.post, .form)
        _ = try await client.value(for: movies)
        #expect(server.requests.last?.text == "sortBy=a+b")
    }

    @Test func requestsAreTypedCallsToo() async throws {
        server.on("GET", "/words", .json(#"["a"]"#))
        let request = HTTPRequest(.get, "/words").settingHeader("X-A", "1").addingQueryItem("q", "1")
        let response = try await client.response(for: request.decoding([String].self))
        #expect(response.status == .ok && response.body == ["a"])
        #expect(server.requests.last?.headers["X-A"] == "1")
        #expect(server.requests.last?.target == "/words?q=1")
    }

    @Test func namesOfPreviewsAndAuthorizationReachTheTransport() async throws {
        struct Named: Endpoint {
            let path = "/"
            let previewName: String? = "named"
            let requiresAuthorization = true
        }
        let request = try Named().makeRequest(using: CoderRegistry())
        #expect(request.options.previewName == "named" && request.options.requiresAuthorization == true)
        let seen = Watched<String?>(nil)
        let transport = ScriptedTransport { request, receiver in
            seen.update { $0 = request.previewName }
            receiver.receive(.head(HTTPResponse(status: .ok, body: (), url: request.url)))
            receiver.receive(.finished)
            return ScriptedExchange()
        }
        _ = try await server.client(transport: transport).value(for: Named())
        #expect(seen.value == "named")
        #expect(try Words().makeRequest(using: CoderRegistry()).options.requiresAuthorization == nil)
    }

    @Test func textsAreReadInTheCharsetTheyDeclare() async throws {
        struct Page: Endpoint {
            typealias Response = String
            let path = "/page"
        }
        server.on(
            "GET", "/page", Reply(headers: ["Content-Type": "text/html; charset=iso-8859-1"], body: .bytes([0xFC])))
        #expect(try await client.value(for: Page()) == "ü")
    }

    @Test func itsOwnWordWinsOverItsOptions() throws {
        struct Secret: Endpoint {
            var requiresAuthorization: Bool
            var path: String { "/secret" }
            var options: RequestOptions { .with { $0.requiresAuthorization = false } }
        }
        let coders = CoderRegistry()
        let secret = try Secret(requiresAuthorization: true).makeRequest(using: coders)
        #expect(secret.options.requiresAuthorization == true)
        let open = try Secret(requiresAuthorization: false).makeRequest(using: coders)
        #expect(open.options.requiresAuthorization == false)
    }
}
