import Foundation
import StreamsLoopback
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// Fields whose bytes are not UTF-8, in what a server sends and in what it gets back.
@Suite(.serialized, .reservesDescriptors) struct FieldBytesTests {
    /// "café" in ISO-8859-1.
    private static let latin1 = Array("caf".utf8) + [0xE9]

    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        client = server.client()
    }

    private func field(_ name: String, _ bytes: [UInt8] = latin1) -> HeaderFields.Field {
        HeaderFields.Field(name: name, bytes: bytes)
    }

    private static let policies: [RequestOptions.Connection.ProtocolPolicy] = [.http1, .http2]

    private func request(
        _ method: HTTPMethod, by policy: RequestOptions.Connection.ProtocolPolicy
    ) -> HTTPRequest {
        HTTPRequest(method, "/").settingOptions { $0.connection.protocolPolicy = policy }
    }

    @Test(arguments: policies)
    func keepsFieldsAndTrailers(policy: RequestOptions.Connection.ProtocolPolicy) async throws {
        let fields = HeaderFields([
            field("X-A"), field("X-B", Array("caf\u{e9}".utf8)), field("X-C", [0xC3, 0xA9, 0xE9]),
        ])
        var reply = Reply(headers: fields, body: .chunked("text"))
        reply.trailers = fields
        server.on("GET", "/", reply)
        let response = try await client.response(for: request(.get, by: policy))
        for headers in [response.headers, response.trailers] {
            #expect(headers["X-A"] == "caf\u{e9}" && headers["X-B"] == "caf\u{e9}")
            #expect(["X-A", "X-B", "X-C"].map { headers[bytes: $0] } == fields.map(\.bytes))
        }
        #expect(response.body == Data("text".utf8))
    }

    @Test(arguments: policies)
    func sendsReceivedFieldsBack(policy: RequestOptions.Connection.ProtocolPolicy) async throws {
        server.on("GET", "/", Reply(headers: HeaderFields([field("ETag"), field("X-A", [0xFF, 0x20, 0x80])])))
        server.on("PUT", "/") { _ in .status(204) }
        let response = try await client.response(for: request(.get, by: policy))
        var request = request(.put, by: policy)
        request.headers = response.headers.filter { $0.name.lowercased() == "x-a" }.headers
        request.headers[bytes: .ifMatch] = response.headers[bytes: .eTag]
        _ = try await client.response(for: request)
        let sent = try #require(server.requests.last).headers
        #expect(sent[bytes: "If-Match"] == Self.latin1 && sent[bytes: "X-A"] == [0xFF, 0x20, 0x80])
    }

    @Test func joinsFoldedLines() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(Array("HTTP/1.1 200 caf".utf8) + [0xE9] + Array("\r\nX-A: \u{e9}\r\n ".utf8) + [0xE9])
            connection.write("\r\n \u{e9}\r\nX-B:\r\n ".utf8 + [0xE9] + "\r\nContent-Length: 0\r\n\r\n".utf8)
        }
        let response = try await server.client().response(for: HTTPRequest(.get, "/"))
        #expect(response.headers[bytes: "X-A"] == Array("\u{e9} ".utf8) + [0xE9] + Array(" \u{e9}".utf8))
        #expect(response.headers[bytes: "X-B"] == [0xE9])
        #expect(response.reasonPhrase == "caf\u{e9}" && response.reasonText.bytes == Self.latin1)
    }

    @Test(arguments: [
        ([0x2F, 0x63, 0xE9], "/c%E9"), (Array("/\u{e9}?q=".utf8) + [0xE9], "/%C3%A9?q=%E9"),
        (Array("/\u{e9}".utf8), "/%C3%A9"),
    ])
    func followsLocations(location: [UInt8], target: String) async throws {
        server.on("GET", "/from", Reply(302, headers: HeaderFields([field("Location", location)])))
        server.otherwise { .text($0.target) }
        let response = try await client.response(for: HTTPRequest(.get, "/from"))
        #expect(response.body == Data(target.utf8))
        #expect(response.url.absoluteString == server.url(target))
    }

    @Test func followsLinks() async throws {
        let link = Array("<list".utf8) + [0xE9] + Array(">; title=\"".utf8) + [0xE9] + Array("\"; rel=next".utf8)
        server.on("GET", "/list", Reply(headers: HeaderFields([field("Link", link)]), body: .text("1")))
        server.otherwise { _ in .text("2") }
        var bodies: [Data] = []
        for try await page in client.linkedPages(for: HTTPRequest(.get, "/list")).values { bodies.append(page.value) }
        #expect(bodies == [Data("1".utf8), Data("2".utf8)])
        #expect(server.requests.map(\.target) == ["/list", "/list%E9"])
    }

    @Test func pollsWithValidators() async throws {
        let fields = HeaderFields([field("ETag"), field("Last-Modified")])
        server.on("GET", "/") { request in
            request.turn == 1 ? Reply(headers: fields, body: .text("one")) : Reply(304, headers: fields)
        }
        let polls = client.polls(for: HTTPRequest(.get, "/"), every: .milliseconds(1)).sink { _ in
        } receiveValue: { _ in
        }
        try await server.wait { $0.requests.count > 1 }
        polls.cancel()
        let sent = server.requests[1].headers
        #expect(sent[bytes: "If-None-Match"] == Self.latin1 && sent[bytes: "If-Modified-Since"] == Self.latin1)
    }

    /// The record of the partial file has the tag, too.
    @Test func resumesDownloads() async throws {
        let tag = Array("\"".utf8) + Self.latin1 + Array("\"".utf8)
        let resource = RangedResource(size: 10_000, headers: HeaderFields([field("ETag", tag)]))
        server.on("GET", "/") { request in
            guard request.turn > 1, request.headers[bytes: "If-Range"] == tag else {
                return resource.whole.failing(with: .close(at: .inBody(after: 4_000)))
            }
            return resource.part(4_000..<10_000)
        }
        let folder = try ScratchFolder()
        let path = "\(folder.path)/file"
        for _ in 0..<2 {
            _ = try await DownloadRecorder.record(server.client().download(for: HTTPRequest(.get, "/"), to: path))
        }
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=4000-"])
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(resource.bytes))
    }

    @Test func sendsCookiesBack() async throws {
        let jar = CookieJar()
        let client = client.configuring { $0.cookies = jar }
        let pairs: [[UInt8]] = [
            [0x6E, 0xE9, 0x3D, 0x76, 0xE9], [0x6E, 0xC3, 0xA9, 0x3D, 0x31], [0x6E, 0x65, 0xCC, 0x81, 0x3D, 0x32],
        ]
        server.on("GET", "/set", Reply(headers: HeaderFields(pairs.map { field("Set-Cookie", $0 + "; Path=/".utf8) })))
        server.otherwise { _ in .status(204) }
        for target in ["/set", "/get"] { _ = try await client.response(for: HTTPRequest(.get, target)) }
        #expect(server.requests.last?.headers[bytes: "Cookie"] == Array(pairs.joined(separator: "; ".utf8)))
        #expect(jar.cookies.map(\.name) == ["n\u{e9}", "n\u{e9}", "ne\u{301}"])
        #expect(jar.cookies.map(\.valueBytes) == [[0x76, 0xE9], [0x31], [0x32]])
    }

    @Test func countsTheBytesOfCookies() async throws {
        let jar = CookieJar()
        let client = client.configuring { $0.cookies = jar }
        let value = [UInt8](repeating: 0xE9, count: 4095)
        server.on("GET", "/", Reply(headers: HeaderFields([field("Set-Cookie", [0x6E, 0x3D] + value)])))
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        #expect(jar.cookies.map(\.valueBytes) == [value])
    }

    @Test func opensWebSockets() async throws {
        var reply = Reply.webSocket()
        reply.headers.append(field("X-A"))
        server.on("GET", "/", reply)
        var request = HTTPRequest(.get, server.url("/"))
        request.headers[bytes: "X-B"] = Self.latin1
        let recorder = SocketRecorder(of: client.webSocket(for: request))
        let socket = try await recorder.socket()
        #expect(socket.head.headers[bytes: "X-A"] == Self.latin1)
        #expect(server.requests.last?.headers[bytes: "X-B"] == Self.latin1)
        try await socket.close()
        try await recorder.finished()
    }

    @Test(.needs(.nginx, .openssl)) func keepsFieldsByHTTP2() async throws {
        let nginx = try await Nginx.shared.value
        server.on("GET", "/proxy/bytes", Reply(headers: HeaderFields([field("X-A")]), body: .text("text")))
        var request = HTTPRequest(.get, nginx.secureURL("/proxy/bytes?port=\(server.port)")).settingOptions {
            $0.connection.protocolPolicy = .http2
            $0.connection.trustRoots = .file(path: nginx.authority)
        }
        request.headers[bytes: "X-B"] = Self.latin1
        let response = try await client.response(for: request)
        #expect(response.version == .http2 && response.headers[bytes: "X-A"] == Self.latin1)
        #expect(response.body == Data("text".utf8))
        #expect(server.requests.last?.headers[bytes: "X-B"] == Self.latin1)
    }
}

extension [HTTPHeaders.Field] {
    fileprivate var headers: HTTPHeaders { HTTPHeaders(self) }
}
