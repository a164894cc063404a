import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

// The examples of the document on NetworkKit, written with Streams.

// MARK: Network

struct MoviesNetwork: HTTPService {
    var baseURL = URL(literal: "https://api.themoviedb.org/3/")

    func configure(_ configuration: inout HTTPClient.Configuration) {
        configuration.coders = .json(keys: .snakeCase, dates: .iso8601)
        configuration.previewStore = PreviewStore([
            "api.themoviedb.org/3/discover/movie": PreviewStore.Asset(Data(#"{"page":1,"results":[]}"#.utf8))
        ])
    }

    struct ErrorContent: Decodable, Sendable {
        let code: Int
        let message: String
    }
}

extension MoviesNetwork {
    typealias Failure = ServiceError<ErrorContent>
}

// MARK: Requests

struct FetchConfiguration: Endpoint {
    let path = "configuration"
}

// MARK: Responses and parameters

struct FetchPopularMovies: Endpoint {
    let path = "discover/movie"
    let parameters: Parameters
    let encoding = ParameterEncoding.query

    init(sortBy: String) {
        parameters = Parameters(sortBy: sortBy)
    }

    struct Parameters: Encodable {
        let sortBy: String
    }

    struct Response: Decodable, Sendable {
        let page: Int
        let results: [MovieDetails]
    }
}

struct FetchMovieDetails: Endpoint {
    let path: String

    init(movieID: Int) {
        path = "movie/" + String(movieID)
    }

    typealias Response = MovieDetails
}

struct MovieDetails: Decodable, Hashable, Sendable {
    let title: String
}

struct FindReleases: Endpoint {
    let path = "releases"
    let parameters: Parameters

    struct Parameters: Encodable {
        let releasedAfter: Date
    }

    struct Response: Decodable, Sendable {
        let releasedAt: Date
    }
}

@Suite(.reservesDescriptors) struct NetworkKitGallery {
    private let server: LoopbackServer
    private let network: MoviesNetwork

    init() throws {
        server = try LoopbackServer()
        network = MoviesNetwork(baseURL: try #require(URL(string: server.url("/3/"))))
    }

    @Test func dataByDefault() async throws {
        server.on("GET", "/3/configuration", .text("well"))
        let answers = Watched<[Data]>([])
        let token = ServiceClient(network).publisher(for: FetchConfiguration())
            .sink { _ in
            } receiveValue: { data in
                answers.update { $0.append(data) }
            }
        try await answers.wait(for: "the answer") { $0 == [Data("well".utf8)] }
        token.cancel()
    }

    @Test func decodableAnswers() async throws {
        server.on("GET", "/3/movie/42", .json(#"{"title":"Streams"}"#))
        let titles = Watched<[String]>([])
        let token = ServiceClient(network)
            .publisher(for: FetchMovieDetails(movieID: 42))
            .assertNoFailure()
            .sink { movieDetails in
                titles.update { $0.append(movieDetails.title) }
            }
        try await titles.wait(for: "the answer") { $0 == ["Streams"] }
        token.cancel()
    }

    @Test func parameters() async throws {
        server.on("GET", "/3/discover/movie", .json(#"{"page":1,"results":[{"title":"Streams"}]}"#))
        let popular = try await ServiceClient(network).value(for: FetchPopularMovies(sortBy: "popularity desc"))
        #expect(popular.page == 1 && popular.results == [MovieDetails(title: "Streams")])
        #expect(server.requests.first?.target == "/3/discover/movie?sort_by=popularity%20desc")
    }

    @Test func dates() async throws {
        server.on("GET", "/3/releases", .json(#"{"released_at":"2026-11-22T12:00:00Z"}"#))
        let endpoint = FindReleases(
            parameters: FindReleases.Parameters(releasedAfter: Date(timeIntervalSince1970: 1_000_000_000)))
        let release = try await ServiceClient(network).value(for: endpoint)
        #expect(release.releasedAt == Date(timeIntervalSince1970: 1_795_348_800))
        #expect(server.requests.first?.target == "/3/releases?released_after=2001-09-09T01%3A46%3A40Z")
    }

    @Test func errorContent() async throws {
        server.on("GET", "/3/discover/movie", .json(#"{"code":7,"message":"invalid key"}"#, status: 401))
        let messages = Watched<[String]>([])
        let token = ServiceClient(network)
            .publisher(for: FetchPopularMovies(sortBy: "name"))
            .catch { error in
                switch error {
                case .local(let localError): messages.update { $0.append("\(localError)") }
                case .remote(let response): messages.update { $0.append(response.body.message) }
                }
                return Empty<FetchPopularMovies.Response, Never>()
            }
            .sink { _ in }
        try await messages.wait(for: "the error") { $0 == ["invalid key"] }
        token.cancel()
    }

    @Test func previewModes() async throws {
        let movies = ServiceClient(MoviesNetwork())
        let popular = FetchPopularMovies(sortBy: "name")

        #expect(try await movies.previewing(.success).value(for: popular).page == 1)

        let loading = movies.previewing(.loading)
        let task = Task { try await loading.value(for: popular) }
        loading.client.cancelAll()
        task.cancel()
        await #expect(throws: MoviesNetwork.Failure.self) { try await task.value }

        await #expect(throws: MoviesNetwork.Failure.self) {
            try await movies.previewing(.failure()).value(for: popular)
        }
    }

    @Test func automaticPreviews() async {
        await #expect(processExitsWith: .success) {
            setenv("XCODE_RUNNING_FOR_PREVIEWS", "1", 1)
            let popular = try await ServiceClient(MoviesNetwork()).value(for: FetchPopularMovies(sortBy: "name"))
            try #require(popular.page == 1)
        }
    }

    @Test func contentOfOnesOwn() async throws {
        struct PlainNetwork: HTTPService {
            let baseURL: URL
            func decodeErrorContent(from response: HTTPResponse<Data>, using decoder: any DataDecoder) -> String {
                String(decoding: response.body, as: UTF8.self).uppercased()
            }
        }
        server.on("GET", "/3/configuration", .text("no", status: 401))
        do {
            _ = try await ServiceClient(PlainNetwork(baseURL: network.baseURL)).value(for: FetchConfiguration())
        } catch {
            #expect(error.content == "NO" && error.status == .unauthorized)
        }
    }
}
