import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// Bodies of all sizes, framings, codings and writes, as they are read in each way over each kind of connection.
@Suite(.needs(.nginx, .openssl, .gzip), .reservesDescriptors) struct BodyTableTests {
    /// A kind of connection.
    enum Connection: CaseIterable, Sendable {
        case clear, unixSocket
        /// TLS by nginx, which passes requests on.
        case secure
        /// The same through a CONNECT proxy.
        case tunnel
        case http2
    }

    /// A way to read a body.
    enum Reading: CaseIterable, Sendable {
        case response, value, streamedResponse
        case eventsOneByOne, eventsUnlimited
        case file, resumedFile
    }

    /// The framings and codings of responses.
    private static let forms: [(BodyRoute.Framing, BodyRoute.Coding)] = [
        (.length, .identity), (.chunked, .identity), (.length, .gzip),
    ]

    private static let routes: [BodyRoute] = BodyRoute.sizes.flatMap { size in
        forms.flatMap { framing, coding in
            BodyRoute.Writes.allCases.map { writes in
                BodyRoute(size: size, framing: framing, coding: coding, writes: writes, seed: size)
            }
        }
    }

    @Test(arguments: Connection.allCases, Reading.allCases)
    func receivesTheBytesInTheirOrder(over connection: Connection, by reading: Reading) async throws {
        let site = try await Site(connection)
        for var route in Self.routes {
            route.breaks = reading == .resumedFile
            let body = try await site.read(route, by: reading)
            let isFile = reading == .file || reading == .resumedFile
            let isExact = body == Data(isFile ? route.encodedContent : route.content)
            #expect(isExact, "\(body.count) bytes of \(route.path)")
        }
    }

    /// A kind of body of a request.
    enum Sending: CaseIterable, Sendable {
        case data, file, streamOfLength, stream, compressed
    }

    @Test(arguments: Connection.allCases, Sending.allCases)
    func sendsTheBytesInTheirOrder(over connection: Connection, as sending: Sending) async throws {
        let site = try await Site(connection)
        for size in BodyRoute.sizes {
            let isExact = try await site.echo(size, as: sending)
            #expect(isExact, "\(size) bytes")
        }
    }

    /// A server and a client that reaches it over a kind of connection.
    private struct Site {
        let connection: Connection
        let server: LoopbackServer
        let client: HTTPClient
        let folder: ScratchFolder
        let nginx: Nginx
        private let proxy: TunnelProxy?

        init(_ connection: Connection) async throws {
            self.connection = connection
            let nginx = try await Nginx.shared.value
            let folder = try ScratchFolder()
            let socket = "\(folder.path)/socket"
            let proxy = connection == .tunnel ? try TunnelProxy() : nil
            server = try Self.server(on: connection == .unixSocket ? .unixSocket(path: socket) : .loopback)
            let options = RequestOptions.with {
                $0.connection.protocolPolicy = connection == .http2 ? .http2 : .http1
                $0.connection.trustRoots = .file(path: nginx.authority)
                if connection == .unixSocket { $0.connection.unixSocketPath = socket }
                if let proxy { $0.connection.proxy = .url(proxy.url()) }
                $0.retry = RetryPolicy(maxRetries: 1, backoff: .constant(.zero))
            }
            var configuration = HTTPClient.Configuration(options: options)
            configuration.limits.retryBudget = nil
            client = HTTPClient(configuration: configuration, transport: CurlTransport())
            (self.nginx, self.folder, self.proxy) = (nginx, folder, proxy)
        }

        private func url(_ path: String) -> String {
            switch connection {
            case .clear, .unixSocket: server.url(path)
            case .secure, .tunnel, .http2: nginx.secureURL("/unbuffered\(path)?port=\(server.port)")
            }
        }

        /// Starts a server that sends bodies of requests back as they came, unless they are wrong.
        private static func server(on address: LoopbackServer.Address) throws -> LoopbackServer {
            let server = try LoopbackServer(on: address, limits: LoopbackServer.Limits(recording: 2 << 20))
            server.otherwise { BodyRoute(path: $0.path)?.reply(to: $0) ?? .status(404) }
            server.on("POST", "/") { request in
                var reply = Reply.bytes(request.body)
                if let coding = request.headers["Content-Encoding"] {
                    reply.headers.append("Content-Encoding", coding)
                } else if !GeneratedBytes.matches(request.body, at: 0) {
                    return .text("wrong bytes", status: 400)
                }
                return reply
            }
            return server
        }

        func read(_ route: BodyRoute, by reading: Reading) async throws -> Data {
            let request = HTTPRequest(.get, url(route.path))
            switch reading {
            case .response:
                return try await client.response(for: request).body
            case .value:
                return try await client.value(for: Bytes(path: url(route.path)))
            case .streamedResponse:
                var body = Data()
                for try await chunk in try await client.streamedResponse(for: request).body { body.append(chunk) }
                return body
            case .eventsOneByOne:
                let recorder = EventRecorder<Void>(demand: .max(1)) { _, _ in .max(1) }
                client.events(for: request).subscribe(recorder)
                return try await recorder.finished().body
            case .eventsUnlimited:
                return try await EventRecorder.record(client.events(for: request)).body
            case .file, .resumedFile:
                let path = "\(folder.path)/file"
                _ = try await client.downloadFile(for: request, to: path)
                return try Data(contentsOf: URL(filePath: path))
            }
        }

        /// Sends a body, and returns whether the server has received it and sent it back.
        func echo(_ size: Int, as sending: Sending) async throws -> Bool {
            let content = Data(GeneratedBytes.bytes(0..<size))
            let body: HTTPBody
            switch sending {
            case .data: body = .data(content)
            case .compressed: body = .data(content).compressed(.gzip)
            case .streamOfLength: body = .stream(length: Int64(size), ChunkSource(parts(of: content)))
            case .stream: body = .stream(ChunkSource(parts(of: content)))
            case .file:
                let path = "\(folder.path)/content"
                try content.write(to: URL(filePath: path))
                body = .file(path)
            }
            let response = try await client.response(for: HTTPRequest(.post, url("/"), body: body))
            return response.body == content
        }

        private func parts(of content: Data) -> [Data] {
            stride(from: 0, to: content.count, by: 23_000).map { content.dropFirst($0).prefix(23_000) }
        }
    }

    private struct Bytes: Endpoint {
        typealias Response = Data
        let path: String
    }
}
