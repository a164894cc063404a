import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// HTTP/1.1 on connections that libcurl encrypts.
@Suite(.needs(.nginx, .openssl, .gzip), .serialized, .reservesDescriptors) struct SecureConnectionTests {
    private let client = HTTPClient(configuration: .init(), transport: CurlTransport())

    private func request(
        _ url: String, _ nginx: Nginx, _ method: HTTPMethod = .get, body: HTTPBody = .empty,
        policy: RequestOptions.Connection.ProtocolPolicy = .http1
    ) -> HTTPRequest {
        HTTPRequest(method, url, body: body).settingOptions {
            $0.connection.protocolPolicy = policy
            $0.connection.trustRoots = .file(path: nginx.authority)
        }
    }

    @Test func oneConnectionServesRequestsInTurn() async throws {
        let nginx = try await Nginx.shared.value
        var connections: Set<String?> = []
        for method in [HTTPMethod.get, .head, .get, .head, .get] {
            let response = try await client.response(for: request(nginx.secureURL("/text"), nginx, method))
            #expect(response.version == .http11 && response.body == (method == .get ? Nginx.text : Data()))
            connections.insert(response.headers["X-Connection"])
        }
        #expect(connections.count == 1)
    }

    @Test(arguments: ["/gzip/text", "/packed/text"])
    func contentIsDecoded(path: String) async throws {
        let nginx = try await Nginx.shared.value
        #expect(try await client.response(for: request(nginx.secureURL(path), nginx)).body == Nginx.text)
    }

    /// More than a connection takes at once.
    @Test(arguments: [0, 1, 16_384, 5_000_003])
    func contentOfAnySizeIsSent(count: Int) async throws {
        let nginx = try await Nginx.shared.value
        let content = Data(GeneratedBytes.bytes(0..<count))
        let name = "secure-\(count)"
        let put = request(nginx.secureURL("/put/\(name)"), nginx, .put, body: .data(content))
        #expect(try await client.response(for: put).status.isSuccess)
        let isExact = try Data(contentsOf: URL(fileURLWithPath: nginx.stored(name))) == content
        #expect(isExact)
    }

    /// Bytes that were decrypted before the pause make no socket ready. Meanwhile, the transport serves another
    /// exchange.
    @Test func aBodyGoesOnAfterAPause() async throws {
        let nginx = try await Nginx.shared.value
        var body = Data()
        var pauseCount = 0
        for try await event in client.events(for: request(nginx.secureURL("/text"), nginx)).values {
            guard case .chunk(let chunk) = event else { continue }
            body.append(chunk)
            guard pauseCount < 5 else { continue }
            pauseCount += 1
            #expect(try await client.response(for: request(nginx.secureURL("/text"), nginx, .head)).status == .ok)
        }
        #expect(pauseCount == 5 && body == Nginx.text)
    }

    @Test func manyExchangesAtOnceGetTheirOwnResponses() async throws {
        let nginx = try await Nginx.shared.value
        let bodies = try await withThrowingTaskGroup(of: (Int, Data).self) { [client] group in
            for index in 0..<200 {
                let ranged = request(nginx.secureURL("/text"), nginx)
                    .settingHeaders(["Range": "bytes=\(index)-\(index + 999)"])
                group.addTask { (index, try await client.response(for: ranged).body) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for index in 0..<200 { #expect(bodies[index] == Nginx.text.dropFirst(index).prefix(1000)) }
    }

    @Test func aConnectionThatIsClosedWhileIdleIsReplaced() async throws {
        let nginx = try await Nginx()
        let first = try await client.response(for: request(nginx.secureURL("/text"), nginx))
        try nginx.reload()
        var worker = first.headers["X-Worker"]
        while worker == first.headers["X-Worker"] {
            worker = try await client.response(for: request(nginx.secureURL("/text"), nginx)).headers["X-Worker"]
        }
        await nginx.stop()
    }

    /// Nothing needs to be negotiated with a server that has chosen HTTP/1.1 before.
    @Test func anOriginThatSpeaksHTTP1AloneIsRemembered() async throws {
        let nginx = try await Nginx.shared.value
        var connections: [String?] = []
        for _ in 0..<3 {
            let response = try await client.response(for: request(nginx.cappedURL, nginx, policy: .automatic))
            connections.append(response.headers["X-Connection"])
        }
        #expect(connections[0] == connections[1] && connections[1] == connections[2])
        let other = try await client.response(for: request(nginx.secureURL("/text"), nginx, policy: .automatic))
        #expect(other.version == .http2)
    }
}
