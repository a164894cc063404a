import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// The samples of the article "Deployment".
@Suite(.reservesDescriptors) struct DeploymentSamples {
    struct ClientPool: Sendable {
        private let clients: [HTTPClient]

        init(count: Int, configuration: HTTPClient.Configuration) {
            clients = (0..<max(count, 1)).map { _ in
                HTTPClient(configuration: configuration, transport: CurlTransport())
            }
        }

        func client(forHost host: String) -> HTTPClient {
            clients[Int(UInt(bitPattern: host.hashValue) % UInt(clients.count))]
        }
    }

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

    @Test(arguments: [0, 1, 3]) func choosesOneClientForAHost(count: Int) {
        let pool = ClientPool(count: count, configuration: .init())
        for host in ["a.example.com", "b.example.com", ""] {
            #expect(pool.client(forHost: host) === pool.client(forHost: host))
        }
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Deployment.md")
        #expect(article.samples.count == 3)
        try article.expectAll()
    }
}
