import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// The samples of the article "Deployment".
@Suite(.reservesDescriptors) struct DeploymentSamples {
    @Test func runtime() {
        let runtime = CurlTransport.runtime
        print("libcurl \(runtime.version), limitations: \(runtime.limitations)")
        if runtime.version < CurlTransport.Runtime.minimumVersion {
            print("libcurl is too old: every request will fail")
        }

        #expect(runtime.version >= CurlTransport.Runtime.minimumVersion)
        #expect("\(CurlTransport.Runtime.minimumVersion)" == "7.74.0")
    }

    /// No version that is supported has a limitation by itself.
    @Test(
        arguments: [(0x074900, [.version]), (0x074A00, []), (0x075801, []), (0x080800, []), (0x081600, [])]
            as [(UInt32, [CurlTransport.Runtime.Limitation])])
    func limitationsOfVersions(number: UInt32, limitations: [CurlTransport.Runtime.Limitation]) {
        #expect(CurlTransport.Runtime(version: .init(number: number)).limitations == limitations)
    }

    @Test func limits() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .text("hello"))
        let transport = CurlTransport(configuration: .init(maxConnectionsPerHost: 32, reservedDescriptors: 256))
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        configuration.limits.maxConcurrentRequests = 500
        let client = HTTPClient(configuration: configuration, transport: transport)

        let request = HTTPRequest(.get, server.url("/"))
        #expect(try await client.value(for: request.decoding(String.self)) == "hello")
    }

    @Test func engines() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .text("hello"))
        let configuration = HTTPClient.Configuration(baseURL: URL(string: server.url("")))
        let transport = CurlTransport(configuration: .init(engineCount: 4))
        let client = HTTPClient(configuration: configuration, transport: transport)

        #expect(try await client.response(for: HTTPRequest(.get, "/")).body == Data("hello".utf8))
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Deployment.md")
        #expect(article.samples.count == 3)
        try article.expectAll()
    }
}
