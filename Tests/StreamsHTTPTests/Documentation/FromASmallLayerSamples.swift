import Dispatch
import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The samples of the article "Coming from a small networking layer".
@Suite struct FromASmallLayerSamples {
    struct Post: Codable, Equatable, Sendable {
        let title: String
    }

    struct GetPost: Endpoint {
        let id: Int
        var path: String { "/posts/\(id)" }
        typealias Response = Post
    }

    struct PokemonList: Codable, Sendable {
        let count: Int
    }

    struct Movie: Codable, Equatable, Sendable {
        let title: String
    }

    struct MoviesNetwork: HTTPService {
        let baseURL = URL(literal: "https://api.themoviedb.org/3/")

        func configure(_ configuration: inout HTTPClient.Configuration) {
            configuration.coders = .json(keys: .snakeCase, dates: .iso8601)
            configuration.previewStore = .directory("Previews")
        }

        struct ErrorContent: Decodable, Sendable {
            let code: Int
            let message: String
        }
    }

    struct FetchPopularMovies: Endpoint {
        let path = "discover/movie"
        let parameters: Parameters
        let encoding = ParameterEncoding.query

        struct Parameters: Encodable, Sendable {
            let sortBy: String
        }

        struct Response: Codable, Sendable {
            let page: Int
            let results: [Movie]
        }
    }

    struct KeyAuthorization: AuthorizationProvider {
        let key: String

        func authorize(_ request: TransportRequest) -> TransportRequest {
            var request = request
            request.headers["X-Api-Key"] = key
            return request
        }
    }

    private let mock = MockTransport()

    @Test func endpointsAwaitedAndPublished() async throws {
        mock.on(.get, "/posts/1", try .json(Post(title: "Streams")))
        let client = HTTPClient(
            configuration: .init(baseURL: URL(string: "https://api.example.com")), transport: mock)
        let shown = Watched<[Post]>([])
        let show = { @Sendable (post: Post) in shown.update { $0.append(post) } }
        var subscriptions: Set<AnyCancellable> = []

        let post = try await client.value(for: GetPost(id: 1))

        client.publisher(for: GetPost(id: 1))
            .receive(on: DispatchQueue.main)
            .sink { completion in
                print(completion)
            } receiveValue: { post in
                show(post)
            }
            .store(in: &subscriptions)

        try await shown.wait(for: "the published post") { $0 == [post] }
    }

    @Test func aChain() async throws {
        mock.on(.get, "/api/v2/pokemon", try .json(PokemonList(count: 5)))
        let client = HTTPClient(configuration: .init(), transport: mock)

        let request = HTTPRequest(scheme: .https, method: .get)
            .settingHost("pokeapi.co")
            .settingPath("/api/v2/pokemon")
            .addingQueryItem("offset", "10")
            .addingQueryItem("limit", "5")

        let list = try await client.value(for: request.decoding(PokemonList.self))

        #expect(list.count == 5)
        #expect(
            mock.requests.first?.url.absoluteString == "https://pokeapi.co/api/v2/pokemon?offset=10&limit=5")
    }

    @Test func aService() async throws {
        let found = FetchPopularMovies.Response(page: 1, results: [Movie(title: "Streams")])
        mock.on(.get, "/3/discover/movie", try .json(found))
        let movies = ServiceClient(MoviesNetwork(), transport: mock)

        let page = try await movies.value(for: FetchPopularMovies(parameters: .init(sortBy: "popularity.desc")))

        #expect(page.results == found.results)
        #expect(mock.requests.first?.url.query() == "sort_by=popularity.desc")
    }

    @Test func aProvider() async throws {
        let key = "secret"
        let client = HTTPClient(baseURL: "https://www.test.com", authorization: KeyAuthorization(key: key))

        mock.on(.get, "/a", .text("well"))
        let mocked = HTTPClient(configuration: client.configuration, transport: mock)
        _ = try await mocked.response(for: HTTPRequest(.get, "/a"))
        #expect(mock.requests.first?.headers["X-Api-Key"] == key)
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/FromASmallLayer.md")
        #expect(article.samples.count == 7)
        try article.expectAll()
    }
}
