import Foundation
import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The samples of the article "From AsyncHTTPClient to Streams".
@Suite struct FromAsyncHTTPClientSamples {
    struct User: Codable, Equatable, Sendable {
        let name: String
    }

    private let mock = MockTransport()
    private let client: HTTPClient

    init() {
        client = HTTPClient(configuration: .init(baseURL: URL(string: "https://api.example.com")), transport: mock)
    }

    @Test func makesARequest() async throws {
        mock.on(.get, "/users/7", try .json(User(name: "Ada")))
        let request = HTTPRequest(.get, "/users/7")
            .settingHeader("Accept", "application/json")
            .settingOptions {
                $0.timeouts.total = .seconds(30)
                $0.maxBodySize = 1024 * 1024
            }
        let user = try await client.value(for: request.decoding(User.self))
        #expect(user.name == "Ada")
    }

    @Test func acceptsEveryStatus() async throws {
        mock.on(.get, "/users/8", .text("nobody", status: .notFound))
        let everyStatus = ResponseValidation.acceptAll
        let request = HTTPRequest(.get, "/users/8").settingOptions { $0.validation = everyStatus }
        let response = try await client.response(for: request.decoding(String.self))
        #expect(response.status == .notFound && response.body == "nobody")
    }

    @Test func downloadsABody() async throws {
        let folder = try ScratchFolder()
        let path = "\(folder.path)/archive"
        mock.on(.get, "/archive", .text("twelve bytes").split(into: 5))
        let file = try await client.downloadFile(for: HTTPRequest(.get, "/archive"), to: path)
        print("\(file.size) bytes")
        #expect(try folder.text(of: "archive") == "twelve bytes")
    }

    @Test func sendsABodyInParts() async throws {
        let chunks = ["one, ", "two"].map { Data($0.utf8) }
        mock.on(.put, "/archive", .failure(.connection(.refused)), MockResponse(.noContent))
        let upload = HTTPRequest(.put, "/archive").settingBody(.replayableStream { chunks.publisher })
        let retrying = upload.settingOptions { $0.retry = .init(maxRetries: 1, backoff: .init(initial: .zero)) }
        _ = try await client.value(for: retrying.decoding(Data.self))
        #expect(mock.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["", "one, two"])
    }

    @Test func configuresAClient() {
        var configuration = HTTPClient.Configuration()
        configuration.options.timeouts.connect = .seconds(5)
        configuration.options.timeouts.idle = .seconds(30)
        configuration.options.redirects = .follow(max: 3)
        let transport = CurlTransport(configuration: .init(maxConnectionsPerHost: 16))
        let client = HTTPClient(configuration: configuration, transport: transport)
        #expect(client.configuration.options.timeouts.idle == .seconds(30))
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/FromAsyncHTTPClient.md")
        #expect(article.samples.count == 5)
        try article.expectAll()
    }
}
