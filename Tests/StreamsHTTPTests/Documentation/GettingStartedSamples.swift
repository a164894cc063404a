import Foundation
import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The samples of the article "Getting started".
@Suite struct GettingStartedSamples {
    struct Release: Codable, Equatable, Sendable {
        let name: String
    }

    struct LatestRelease: Endpoint {
        let project: String
        var path: String { "/projects/\(project)/releases/latest" }
        typealias Response = Release
    }

    struct PublishRelease: Endpoint {
        let project: String
        let release: Release
        let method = HTTPMethod.post
        var path: String { "/projects/\(project)/releases" }
        var parameters: Release { release }
        typealias Response = Void
    }

    struct UploadNotes: Endpoint {
        let project: String
        let file: String
        let method = HTTPMethod.put
        var path: String { "/projects/\(project)/notes" }
        var body: HTTPBody { .file(file, contentType: "text/markdown") }
        typealias Response = Void
    }

    private func makeClient(transport: any HTTPTransport = CurlTransport()) -> HTTPClient {
        var configuration = HTTPClient.Configuration(baseURL: "https://api.example.com/v1")
        configuration.defaultHeaders = ["Accept-Language": "en"]
        configuration.options.timeouts.connect = .seconds(5)
        configuration.options.timeouts.total = .seconds(30)
        configuration.options.retry = .init(maxRetries: 3)
        configuration.monitors = [LogMonitor { print($0) }]
        return HTTPClient(configuration: configuration, transport: transport)
    }

    private let mock = MockTransport()
    private var client: HTTPClient { makeClient(transport: mock) }

    init() throws {
        mock.on(.get, "/v1/projects/swift/releases/latest", try .json(Release(name: "6.3")))
        mock.on(.post, "/v1/projects/swift/releases", MockResponse(.created))
        mock.on(.get, "/v1/projects/swift/archive", .text("twelve bytes").split(into: 5))
    }

    @Test func createsAClient() {
        let client = HTTPClient(baseURL: "https://api.example.com/v1")
        #expect(client.configuration.baseURL?.host == "api.example.com")
    }

    @Test func makesARequest() async throws {
        let response = try await client.response(for: HTTPRequest(.get, "/projects/swift/releases/latest"))
        #expect(response.status == .ok && response.body == Data(#"{"name":"6.3"}"#.utf8))
        #expect(response.url.absoluteString == "https://api.example.com/v1/projects/swift/releases/latest")
    }

    @Test func makesCalls() async throws {
        let latest = try await client.value(for: LatestRelease(project: "swift"))
        try await client.value(for: PublishRelease(project: "swift", release: Release(name: "6.4")))
        #expect(latest == Release(name: "6.3"))
        #expect(mock.requests.last.map { String(decoding: $0.body, as: UTF8.self) } == #"{"name":"6.4"}"#)
    }

    @Test func sendsABodyOfAnotherKind() async throws {
        mock.on(.put, "/v1/projects/swift/notes", MockResponse(.noContent))
        let folder = try ScratchFolder()
        try folder.write("# Notes", to: "notes.md")
        try await client.value(for: UploadNotes(project: "swift", file: "\(folder.path)/notes.md"))
        let sent = try #require(mock.requests.last)
        #expect(String(decoding: sent.body, as: UTF8.self) == "# Notes")
        #expect(sent.headers["Content-Type"] == "text/markdown")
    }

    @Test func copiesAResponse() async throws {
        mock.on(.put, "/v1/backup", MockResponse(.noContent))
        let copy = HTTPRequest(.put, "/backup")
            .settingBody(.stream(client.chunks(for: HTTPRequest(.get, "/projects/swift/archive"))))
        _ = try await client.response(for: copy)
        let sent = try #require(mock.requests.last { $0.method == .put })
        #expect(String(decoding: sent.body, as: UTF8.self) == "twelve bytes")
    }

    @Test func compressesBodies() async throws {
        let upload = HTTPRequest(.put, "/logs/today")
            .settingBody(.file("today.log", contentType: "text/plain").compressed())
        #expect(upload.body.contentEncoding == "gzip" && upload.body.contentType == "text/plain")

        var configuration = client.configuration
        configuration.options.compression = .gzip
        let client = HTTPClient(configuration: configuration, transport: mock)
        let release = Release(name: String(repeating: "6.4 ", count: 100))
        try await client.value(for: PublishRelease(project: "swift", release: release))
        #expect(mock.requests.last?.headers["Content-Encoding"] == "gzip")
    }

    @Test func makesACallWithoutAType() async throws {
        let request = HTTPRequest(.get, "/projects/swift/releases/latest")
            .addingQueryItem("channel", "beta")
            .settingHeader("Accept-Language", "en")
        let beta = try await client.value(for: request.decoding(Release.self))
        #expect(beta.name == "6.3")
        #expect(mock.requests.first?.url.query == "channel=beta")
    }

    @Test(arguments: [
        (MockResponse.text("6.3", status: .notFound), "no release yet"),
        (.failure(.connection(.hostNotResolved)), "try again later"),
        (.text("no JSON"), "failed: "),
    ])
    func handlesErrors(response: MockResponse, message: String) async {
        mock.on(.get, "/v1/projects/other/releases/latest", response)
        let client = HTTPClient(
            configuration: .init(baseURL: "https://api.example.com/v1"), transport: mock)
        func name(of project: String) async -> String {
            do throws(HTTPError) {
                return try await client.value(for: LatestRelease(project: project)).name
            } catch {
                if error.status == .notFound { return "no release yet" }
                if error.isTimeout || error.isConnectionFailure { return "try again later" }
                return "failed: \(error)"
            }
        }
        #expect(await name(of: "other").hasPrefix(message))
    }

    @Test(arguments: [
        (MockResponse.text("6.3", status: .notFound), "the server answered 404"),
        (.failure(.connection(.hostNotResolved)), "try again later"),
        (.text("no JSON"), "failed: "),
    ])
    func handlesReasons(response: MockResponse, message: String) async {
        mock.on(.get, "/v1/projects/other/releases/latest", response)
        let client = HTTPClient(configuration: .init(baseURL: "https://api.example.com/v1"), transport: mock)
        func name(of project: String) async -> String {
            do throws(HTTPError) {
                return try await client.value(for: LatestRelease(project: project)).name
            } catch {
                switch error.reason {
                case .status(let response): return "the server answered \(response.status)"
                case .connection, .timeout, .transfer, .webSocket: return "try again later"
                case .authorization: return "log in again"
                case .invalidRequest, .redirect, .decoding, .thrown: return "failed: \(error)"
                case .cancelled: return ""
                }
            }
        }
        #expect(await name(of: "other").hasPrefix(message))
    }

    @Test func followsAStream() async throws {
        let subscription = client.events(for: HTTPRequest(.get, "/projects/swift/archive"))
            .sink { completion in
                if case .failure(let error) = completion { print(error) }
            } receiveValue: { event in
                switch event {
                case .attempt(let attempt): print("attempt \(attempt.number)")
                case .head(let head): print("status \(head.status)")
                case .downloadProgress(let progress): print(progress.fraction ?? .nan)
                case .chunk(let chunk): print("\(chunk.count) bytes")
                case .retrying(let retry): print("again in \(retry.delay)")
                case .uploadProgress, .response: break
                }
            }
        var size = 0
        for try await chunk in client.chunks(for: HTTPRequest(.get, "/projects/swift/archive")).values {
            size += chunk.count
        }
        #expect(size == 12)
        #expect(mock.requests.count == 2)
        subscription.cancel()
    }

    @Test func decidesByTheHead() async throws {
        let archive = HTTPHeaders(["Content-Type": "application/gzip"])
        mock.on(.get, "/v1/projects/swift/archive", MockResponse(headers: archive, body: Data("the archive!".utf8)))
        var size = 0
        func read() async throws {
            let response = try await client.streamedResponse(for: HTTPRequest(.get, "/projects/swift/archive"))
            guard response.headers["Content-Type"] == "application/gzip" else { return }
            for try await chunk in response.body { size += chunk.count }
        }
        try await read()
        #expect(size == 12)
    }

    @Test func downloadsToAFile() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/archive"
        let archive = HTTPRequest(.get, "/projects/swift/archive")
        let file = try await client.downloadFile(for: archive, to: path) { progress in
            print(progress.fraction ?? .nan)
        }
        print("\(file.size) bytes")
        #expect(try folder.text(of: "archive") == "twelve bytes" && file.size == 12)
    }

    @Test func followsSeveralRequests() async throws {
        mock.on(.get, "/v1/projects/streams/archive", .text("six by"))
        let group = ProgressGroup()
        let progress = group.publisher.sink { print($0.fraction ?? .nan) }
        let archives = ["swift", "streams"].map { project in
            client.events(for: HTTPRequest(.get, "/projects/\(project)/archive"))
                .tracking(in: group)
                .map { (project, $0) }
        }
        let merged = Publishers.MergeMany(archives)
            .sink { completion in
                print(completion)
            } receiveValue: { project, event in
                if case .head(let head) = event { print("\(project): \(head.status)") }
            }
        let complete = await group.publisher.first { $0.transfer.completed == 18 }.value
        #expect(complete?.requestCount == 2)
        withExtendedLifetime((progress, merged)) {}
    }

    @Test func announcesSeveralRequests() async throws {
        let group = ProgressGroup()
        group.expect(2, bytes: 18)

        #expect(group.progress.requestCount == 2 && group.progress.transfer.total == 18)
        _ = try await client.events(for: HTTPRequest(.get, "/projects/swift/archive")).tracking(in: group).collect()
            .first().value
        // Twelve bytes of one request, and those of the other one are expected.
        #expect(group.progress.fraction == 12.0 / 18)
    }

    @Test func publishesTheValue() async {
        let names = client.publisher(for: LatestRelease(project: "swift"))
            .map(\.name)
            .replaceError(with: "unknown")
        var received: [String] = []
        for await name in names.values { received.append(name) }
        #expect(received == ["6.3"])
    }

    @Test func sendsCredentials() async throws {
        let token = "secret"
        let client = HTTPClient(baseURL: "https://api.example.com/v1", authorization: .bearer(token))
        let mocked = HTTPClient(configuration: client.configuration, transport: mock)
        _ = try await mocked.value(for: LatestRelease(project: "swift"))
        #expect(mock.requests.first?.headers["Authorization"] == "Bearer secret")
    }

    @Test func replacesAnOption() {
        let patient = HTTPRequest(.get, "/reports/2026").settingOptions { $0.timeouts.total = .seconds(300) }
        #expect(patient.options.timeouts.total == .seconds(300))
    }

    @Test func decodesTheLatestRelease() async throws {
        let mock = MockTransport()
        mock.on(.get, "/v1/projects/*/releases/latest", try .json(Release(name: "6.3")))
        let client = makeClient(transport: mock)

        let release = try await client.value(for: LatestRelease(project: "swift"))

        #expect(release.name == "6.3")
        #expect(mock.requests.map(\.url.path) == ["/v1/projects/swift/releases/latest"])
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/GettingStarted.md")
        #expect(article.samples.count == 22)
        try article.expectAll()
    }
}
