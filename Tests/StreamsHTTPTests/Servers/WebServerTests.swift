import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// Responses of the servers that are most in use, by HTTP/1.1 and, of Python's, by HTTP/1.0.
@Suite(.needs(.apache, .lighttpd, .node, .python3), .serialized, .reservesDescriptors) struct WebServerTests {
    private let transport = CurlTransport()
    private var client: HTTPClient { HTTPClient(configuration: .init(), transport: transport) }

    @Test(arguments: WebServer.Kind.allCases)
    func requestsInTurnGetTheirResponses(kind: WebServer.Kind) async throws {
        let server = try await WebServer(kind)
        for _ in 0..<3 {
            let whole = try await client.response(for: HTTPRequest(.get, server.url("/text")))
            #expect(whole.status == .ok && whole.body == WebServer.text)
            let head = try await client.response(for: HTTPRequest(.head, server.url("/text")))
            #expect(head.status == .ok && head.body.isEmpty)
            let missing = try await failure { () async throws(HTTPError) in
                try await client.response(for: HTTPRequest(.get, server.url("/missing")))
            }
            #expect(missing.status == .notFound)
        }
        let opened = transport.connections.map(\.opened).reduce(0, +)
        #expect(opened == (kind.keepsConnections ? 1 : 9))
        await server.stop()
    }

    @Test(arguments: WebServer.Kind.allCases)
    func requestsAtOnceGetTheirResponses(kind: WebServer.Kind) async throws {
        let server = try await WebServer(kind)
        let bodies = try await withThrowingTaskGroup(of: (Int, Data).self) { [client] group in
            for index in 0..<50 {
                let range: HTTPHeaders = kind == .python ? [:] : ["Range": "bytes=\(index)-\(index + 999)"]
                let request = HTTPRequest(.get, server.url("/text"), headers: range)
                group.addTask { (index, try await client.response(for: request).body) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for index in 0..<50 {
            let part = kind == .python ? WebServer.text : WebServer.text.dropFirst(index).prefix(1000)
            #expect(bodies[index] == part)
        }
        await server.stop()
    }

    /// Apache sends an entity tag, and Python's server a date. Here, node and lighttpd, without a type, send neither.
    @Test(arguments: WebServer.Kind.allCases)
    func aStoredResponseIsValidated(kind: WebServer.Kind) async throws {
        let server = try await WebServer(kind)
        var configuration = HTTPClient.Configuration()
        configuration.cache = HTTPCache(maxMemory: 64 << 20)
        configuration.options.cache.mode = .validated
        let client = HTTPClient(configuration: configuration, transport: transport)
        for round in 1...3 {
            let response = try await client.response(for: HTTPRequest(.get, server.url("/text")))
            #expect(response.body == WebServer.text)
            #expect(response.cacheStatus?.isValidated == (round > 1 && [.apache, .python].contains(kind)))
        }
        await server.stop()
    }

    /// Servers of files refuse content in their own ways, some without reading it.
    @Test(arguments: WebServer.Kind.allCases)
    func contentThatIsRefusedHasAnErrorWithAStatus(kind: WebServer.Kind) async throws {
        let server = try await WebServer(kind)
        for headers in [[:], ["Expect": "100-continue"]] as [HTTPHeaders] {
            let request = HTTPRequest(
                .post, server.url("/missing"), headers: headers, body: .data(Data(repeating: 7, count: 300_000)))
            let error = try await failure { () async throws(HTTPError) in try await client.response(for: request) }
            #expect(error.status?.isClientError ?? false || error.status == 501, "\(error)")
        }
        #expect(try await client.response(for: HTTPRequest(.get, server.url("/text"))).body == WebServer.text)
        await server.stop()
    }

    /// In chunks, with a field after the content.
    @Test(arguments: [false, true])
    func contentIsEchoed(isExpected: Bool) async throws {
        let server = try await WebServer(.node)
        let headers: HTTPHeaders = isExpected ? ["Expect": "100-continue"] : [:]
        for count in [1, 100_000, 3_000_000] {
            let content = Data(GeneratedBytes.bytes(0..<count))
            let request = HTTPRequest(.post, server.url("/echo"), headers: headers, body: .data(content))
            let isEchoed = try await client.response(for: request).body == content
            #expect(isEchoed)
        }
        await server.stop()
    }
}

/// Proxies that are in use.
@Suite(.needs(.squid, .tinyproxy, .nginx, .openssl, .gzip), .serialized, .reservesDescriptors)
struct WebProxyTests {
    private let client = HTTPClient(configuration: .init(), transport: CurlTransport())

    private func request(_ url: String, _ method: HTTPMethod = .get, through proxy: WebProxy) async throws
        -> HTTPRequest
    {
        let nginx = try await Nginx.shared.value
        return HTTPRequest(method, url).settingOptions {
            $0.connection.protocolPolicy = .http1
            $0.connection.trustRoots = .file(path: nginx.authority)
            $0.connection.proxy = .url(proxy.url)
        }
    }

    @Test(arguments: WebProxy.Kind.allCases)
    func requestsInTurnGetTheirResponses(kind: WebProxy.Kind) async throws {
        let nginx = try await Nginx.shared.value
        let proxy = try await WebProxy(kind)
        for _ in 0..<2 {
            for url in [nginx.url("/text"), nginx.secureURL("/text")] {
                let whole = try await client.response(for: request(url, through: proxy))
                #expect(whole.body == Nginx.text)
                let head = try await client.response(for: request(url, .head, through: proxy))
                #expect(head.status == .ok && head.body.isEmpty)
            }
        }
        await proxy.stop()
    }

    /// A refusal of a request is the proxy's response, and one of a tunnel is a failure to connect.
    @Test(arguments: WebProxy.Kind.allCases)
    func aServerThatIsNotThereIsAnError(kind: WebProxy.Kind) async throws {
        let proxy = try await WebProxy(kind)
        let port = try LoopbackPort.free()
        let clear = try await request("http://127.0.0.1:\(port)/", through: proxy)
        let refused = try await failure { () async throws(HTTPError) in try await client.response(for: clear) }
        #expect(refused.status?.isServerError ?? false, "\(refused)")
        let secure = try await request("https://localhost:\(port)/", through: proxy)
        let tunnel = try await failure { () async throws(HTTPError) in try await client.response(for: secure) }
        #expect(tunnel.reason.outline == "connection.refused", "\(tunnel)")
        await proxy.stop()
    }
}
