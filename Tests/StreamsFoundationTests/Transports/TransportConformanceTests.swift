import Foundation
import StreamsFoundation
import StreamsHTTPTesting
import StreamsLoopback
import Testing

/// Tests of the behaviour that all transports share, and of the documented differences.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TransportConformanceTests {
    enum Kind: CaseIterable {
        #if canImport(CLibcurl)
        case curl
        #endif
        case session
        case mock

        /// The transports with connections.
        static let real = allCases.filter { $0 != .mock }
    }

    /// A request, its response and the expected outcome.
    struct Scenario: Sendable, CustomTestStringConvertible {
        let name: String
        var method = HTTPMethod.get
        var body: @Sendable () -> HTTPBody = { .empty }
        var idleTimeout: Duration?
        /// The URL, nil for the server's.
        var url: String?
        /// The responses of a real server and of a mock.
        var reply: Reply?
        var mock = MockResponse()
        /// The summary that the log is expected to return.
        let outcome: String

        var testDescription: String { name }
    }

    /// The differences of a transport from libcurl's.
    private struct Differences {
        /// The values of two fields with the same name, `1` and `2`.
        var repeatedFields = ["1", "2"]
        /// Whether the server must wait while the subscriber has no demand.
        var makesPeerWait = true
        /// Whether the transport delivers metrics.
        var measures = true
    }

    private static func differences(_ kind: Kind) -> Differences {
        switch kind {
        case .session:
            var differences = Differences()
            differences.repeatedFields = ["1, 2"]
            differences.measures = false
            #if !canImport(Darwin)
            differences.makesPeerWait = false
            #endif
            return differences
        default:
            return Differences()
        }
    }

    private struct TestError: Error {}

    private static let bytes = Data(GeneratedBytes.bytes(0..<100_000))

    private static let responses: [Scenario] = [
        Scenario(name: "text", reply: .text("hello"), mock: .text("hello"), outcome: "200 5 bytes finished"),
        Scenario(
            name: "head", method: .head, reply: Reply(headers: ["Content-Length": "5"]), mock: .text("hello"),
            outcome: "200 0 bytes finished"),
        Scenario(
            name: "error", reply: .text("no", status: 404), mock: .text("no", status: .notFound),
            outcome: "404 2 bytes finished"),
        Scenario(name: "nothing", reply: .status(204), mock: MockResponse(.noContent), outcome: "204 0 bytes finished"),
        Scenario(
            name: "redirect", reply: .redirect(to: "/elsewhere"), mock: .redirect(to: "/elsewhere"),
            outcome: "302 0 bytes finished"),
        Scenario(
            name: "chunks", reply: Reply(body: .chunked("one", "two", "three")),
            mock: MockResponse(headers: ["Transfer-Encoding": "chunked"], body: Data("onetwothree".utf8)),
            outcome: "200 11 bytes finished"),
        Scenario(
            name: "large", reply: .generated(100_000), mock: MockResponse(body: bytes).split(into: 1000),
            outcome: "200 100000 bytes finished"),
        Scenario(
            name: "until close", reply: .generated(1000, framing: .untilClose),
            mock: MockResponse(headers: ["Transfer-Encoding": "identity"], body: bytes.prefix(1000)),
            outcome: "200 1000 bytes finished"),
        Scenario(
            name: "gzipped", reply: gzipped, mock: MockResponse(body: numberedBytes),
            outcome: "200 10000 bytes finished"),
    ]

    /// 20 times the same 499 bytes, each with a number behind them.
    private static let numberedBytes = Data(
        (0..<20).flatMap { (number: UInt8) -> [UInt8] in GeneratedBytes.bytes(0..<499) + [number] })

    /// A response of ``numberedBytes``. Its `Content-Length` is that of the compressed body.
    private static let gzipped = Reply(
        headers: ["Content-Encoding": "gzip"],
        body: .bytes(Data(base64Encoded: compressedBytes, options: .ignoreUnknownCharacters) ?? Data()))

    private static let compressedBytes = """
        H4sIAAAAAAACA/P75cvg2jTReEXYzp2/44VCH/I8VxPv82/gPWJoaM+1UqexUn1hnu6ipoq9UudTVYK77olGebBO
        /5/SvfvB03o/Iy7R7aH6VYe4t248Pulgbug+sdhrJtKK/nJvE32fRKSt8H9j+/TnnL3XGASVdeZGH7pmWLnwEd/z
        X/uFHet57PdtOTB9uuiFZabHFuvrPd5ltam8T7N0/53nHl1SH1095hckTS8wKPN6eO7SRk4vlnu2AVkpfc33A8UN
        dyYd0u0VXG8wecHC0uiGNGF59/2p6ls1mf0Pe6zcWao/0TV76RHnQ4aLThv5LLqitufcfb0bn96fXPXJtvTXrKOF
        Bucut1Q2el8P+nX35Pe7cb3fVrvcPZnAdOVaw79FtstXyG+Uu7z1RiyrjOOrI8cry8+t3cd/rsRK4Ep+8MfFB6f2
        r1m+Nb58jcDfK4VnjSakWzQHGQbtnWjAumDBVLGw58vu8vn7iW/jeyrL8tSf2/3bx7UrmtMe5fk8TZ6xqWB2otLC
        dnvhDtE5N6Q99J89iDLwmbAov0JY8HnriVZW8bWLG/fvYTgeLDdjaXDfV7njFmHrrr1pbeVOe7Vq0upJN+N0WmS8
        d5/TzXgoxfFWz1FNYe4z1Vd8kl+NHwXVdkodWlv57Lnr9R2rLwhp6daIXC48XLftw+t9lmd3flrxZNef9TI8xy+p
        vnynH1W+q1H2D4PfaJyPtDhnHI3zERfnTKNxPuLinHk0zkdcnLOMxvmIi3PW0TgfcXHONhrnIy7O2UfjfMTFOcdo
        nI+4OOccjfMRF+dco3E+4uKcezTOR1yc84zG+YiLc97ROB9xcc43GucjLs75R+N8xMW5wGicj7g4FxyN8xEX50Kj
        cT7i4lwYAPVu1hQQJwAA
        """

    private static let uploads: [Scenario] = [
        Scenario(
            name: "data", method: .post, body: { .data(bytes) }, outcome: "200 100000 bytes finished, sent 100000"),
        Scenario(name: "empty post", method: .post, outcome: "200 0 bytes finished"),
        Scenario(
            name: "stream", method: .put,
            body: { .stream(ChunkSource([bytes.prefix(40_000), bytes.dropFirst(40_000)]).publisher) },
            outcome: "200 100000 bytes finished, sent 100000"),
        Scenario(
            name: "stream of known length", method: .put,
            body: { .stream(length: 100_000, ChunkSource([bytes.prefix(40_000), bytes.dropFirst(40_000)]).publisher) },
            outcome: "200 100000 bytes finished, sent 100000"),
        Scenario(
            name: "stream that fails", method: .put,
            body: { .stream(Fail<Data, any Error>(error: TestError())) }, outcome: "failed thrown.body(TestError)"),
        Scenario(
            name: "file that is not there", method: .put, body: { .file("/nowhere/at/all") },
            outcome: "failed thrown.body(FileError)"),
    ]

    private static let failures: [Scenario] = [
        Scenario(
            name: "cut", reply: .generated(1000).failing(with: .close(at: .inBody(after: 500))),
            mock: MockResponse(body: bytes.prefix(1000)).failing(.transfer(.bodyEndedEarly), at: .inBody(after: 500)),
            outcome: "200 500 bytes failed transfer.body-ended-early"),
        Scenario(
            name: "closed", reply: Reply().failing(with: .close(at: .beforeHead)),
            mock: MockResponse().failing(.transfer(.emptyReply), at: .beforeHead),
            outcome: "failed transfer.empty-reply"),
        Scenario(
            name: "reset", reply: Reply().failing(with: .reset(at: .beforeHead)),
            mock: MockResponse().failing(.transfer(.receiveFailed), at: .beforeHead),
            outcome: "failed transfer.receive-failed"),
        Scenario(
            name: "garbage", reply: Reply().failing(with: .garbage()),
            mock: MockResponse().failing(.transfer(.notHTTP), at: .beforeHead), outcome: "failed transfer.not-http"),
        Scenario(
            name: "refused", url: "http://127.0.0.1:1/", mock: .failure(.connection(.refused)),
            outcome: "failed connection.refused"),
        Scenario(
            name: "no such host", url: "http://name.invalid/", mock: .failure(.connection(.hostNotResolved)),
            outcome: "failed connection.host-not-resolved"),
        Scenario(
            name: "silent", idleTimeout: .milliseconds(100),
            reply: .text("hello").failing(with: .stall(at: .beforeHead)),
            mock: MockResponse().stalling(at: .beforeHead), outcome: "failed timeout.idle"),
        Scenario(
            name: "silent in the body", idleTimeout: .seconds(2),
            reply: .generated(1000).failing(with: .stall(at: .inBody(after: 500))),
            mock: MockResponse(body: bytes.prefix(1000)).stalling(at: .inBody(after: 500)),
            outcome: "200 500 bytes failed timeout.idle"),
    ]

    private let server: LoopbackServer
    private let mock = MockTransport()

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 1 << 20))
    }

    private func transport(_ kind: Kind) -> any HTTPTransport {
        switch kind {
        #if canImport(CLibcurl)
        case .curl: CurlTransport()
        #endif
        case .session: URLSessionTransport()
        case .mock: mock
        }
    }

    private func request(_ scenario: Scenario) throws -> TransportRequest {
        var request = TransportRequest(
            method: scenario.method, url: try #require(URL(string: scenario.url ?? server.url("/"))),
            headers: ["X-A": "1"], body: scenario.body(), idleTimeout: scenario.idleTimeout)
        if let type = request.body.contentType { request.headers.add("Content-Type", type) }
        return request
    }

    @Test(arguments: Kind.allCases, responses + uploads + failures)
    func deliversExpectedOutcome(kind: Kind, scenario: Scenario) async throws {
        server.otherwise { scenario.reply ?? .bytes($0.body) }
        mock.otherwise { request in
            scenario.reply == nil && scenario.url == nil ? MockResponse(body: request.body) : scenario.mock
        }
        let log = TransportLog()
        let transport = transport(kind)
        let exchange = transport.start(try request(scenario), delivering: log)
        let outcome = await log.outcome(of: exchange)
        #expect(outcome == scenario.outcome)
        // The outcome has the count of the bytes.
        let isEcho = scenario.reply == nil && scenario.url == nil
        let isExact = (isEcho ? Self.bytes : scenario.mock.body).starts(with: log.body)
        #expect(isExact)
    }

    @Test(arguments: Kind.allCases, ["file", "form"])
    func reportsTotalOfFileUploads(kind: Kind, name: String) async throws {
        server.otherwise { .bytes($0.body) }
        mock.otherwise { MockResponse(body: $0.body) }
        let file = FileManager.default.temporaryDirectory.appending(path: "sent-\(UUID().uuidString)")
        try Self.bytes.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let form = MultipartForm([.file("file", path: file.path)])
        let body = name == "file" ? HTTPBody.file(file.path) : try .multipart(form)
        let log = TransportLog()
        let request = TransportRequest(method: .put, url: try #require(URL(string: server.url("/"))), body: body)
        let exchange = transport(kind).start(request, delivering: log)
        let outcome = await log.outcome(of: exchange)
        #expect(outcome.hasPrefix("200") && log.sent.count >= 100_000)
        #expect(log.sent.total == log.sent.count)
        let isExact = name == "file" ? log.body == Self.bytes : log.body.range(of: Self.bytes) != nil
        #expect(isExact)
    }

    #if os(Linux)
    /// The size of such a file is 0.
    @Test(arguments: Kind.allCases) func sendsAFileOfTheKernel(kind: Kind) async throws {
        let content = try Data(contentsOf: URL(filePath: "/proc/version"))
        server.otherwise { .bytes($0.body) }
        mock.otherwise { MockResponse(body: $0.body) }
        let log = TransportLog()
        let request = TransportRequest(
            method: .put, url: try #require(URL(string: server.url("/"))), body: .file("/proc/version"))
        let exchange = transport(kind).start(request, delivering: log)
        _ = await log.outcome(of: exchange)
        #expect(log.sent.count == content.count)
        #expect(log.body == content)
    }
    #endif

    @Test(arguments: Kind.allCases)
    func transfersHeadersBothWays(kind: Kind) async throws {
        server.otherwise { request in Reply(headers: ["X-B": request.headers["X-A"] ?? "none"]) }
        mock.otherwise { request in MockResponse(headers: ["X-B": request.headers["X-A"] ?? "none"]) }
        let log = TransportLog()
        let exchange = transport(kind).start(try request(Scenario(name: "", outcome: "")), delivering: log)
        _ = await log.outcome(of: exchange)
        #expect(log.head?.headers["X-B"] == "1")
    }

    @Test(arguments: Kind.allCases)
    func deliversNothingBeyondWindow(kind: Kind) async throws {
        server.otherwise { _ in .generated(10 << 20) }
        let body = Data(GeneratedBytes.bytes(0..<10 << 20))
        mock.otherwise { _ in MockResponse(body: body).split(into: 16 * 1024) }
        var request = try request(Scenario(name: "", outcome: ""))
        request.window = 1
        request.usesBackpressure = true
        let log = TransportLog()
        let exchange = transport(kind).start(request, delivering: log)
        try await log.wait { $0.bytes > 0 }
        let first = log.bytes
        #expect(first < 1 << 20)
        exchange.allow(bytes: first)
        try await log.wait { $0.bytes > first }
        #expect(log.bytes < 2 << 20)
        let outcome = await log.outcome(of: exchange)
        #expect(outcome == "200 \(10 << 20) bytes finished")
        let isExact = log.body == body
        #expect(isExact)
    }

    @Test(arguments: Kind.allCases)
    func deliversNothingAfterAbort(kind: Kind) async throws {
        let gate = Gate()
        defer { gate.open() }
        // On Linux a session may keep the connection to a server that continues to send.
        server.otherwise { _ in Reply(body: Reply.Body([.generated(1000), .hold(gate), .generated(1000)])) }
        let body = Data(GeneratedBytes.bytes(0..<10 << 20))
        mock.otherwise { _ in MockResponse(body: body).split(into: 16 * 1024) }
        var request = try request(Scenario(name: "", outcome: ""))
        request.window = 1
        let log = TransportLog()
        let exchange = transport(kind).start(request, delivering: log)
        try await log.wait { $0.bytes > 0 }
        exchange.abort()
        exchange.abort()
        exchange.allow(bytes: 1 << 20)
        if kind != .mock { try await server.waitForDisconnection() }
        #expect(!log.isOver)
        #expect(GeneratedBytes.matches(log.body, at: 0))
    }

    /// An abort cancels a body that waits for its source.
    @Test(arguments: Kind.allCases)
    func abortCancelsBody(kind: Kind) async throws {
        let source = ChunkSource([Data("begin".utf8)], isOpen: true)
        server.otherwise { _ in Reply() }
        mock.otherwise { _ in MockResponse() }
        let log = TransportLog()
        let request = TransportRequest(
            method: .put, url: try #require(URL(string: server.url("/"))), body: .stream(source.publisher))
        let exchange = transport(kind).start(request, delivering: log)
        await source.waitForRead()
        exchange.abort()
        await source.waitForCancellation()
        #expect(!log.isOver)
    }

    @Test(arguments: Kind.real)
    func differsAsDocumented(kind: Kind) async throws {
        let differences = Self.differences(kind)
        server.on("GET", "/") { _ in Reply(headers: ["X-R": "1", "X-R": "2"], body: .text("abc")) }
        var asked = try request(Scenario(name: "", outcome: ""))
        asked.wantsMetrics = true
        let log = TransportLog()
        let transport = transport(kind)
        let exchange = transport.start(asked, delivering: log)
        #expect(await log.outcome(of: exchange) == "200 3 bytes finished")
        #expect(log.head?.headers.values(for: "X-R") == differences.repeatedFields)
        #expect(log.isMeasured == differences.measures)
    }

    @Test(arguments: Kind.real)
    func appliesBackpressureAsDocumented(kind: Kind) async throws {
        let size = 64 << 20
        server.otherwise { _ in .generated(size) }
        var asked = try request(Scenario(name: "", outcome: ""))
        asked.window = 1
        asked.usesBackpressure = true
        let log = TransportLog()
        let exchange = transport(kind).start(asked, delivering: log)
        try await log.wait { $0.bytes > 0 }
        if Self.differences(kind).makesPeerWait {
            try await server.waitForBackPressure()
            #expect(server.bytesWritten < size)
        } else {
            try await server.wait { $0.bytesWritten == size }
        }
        #expect(log.bytes < 1 << 20)
        #expect(GeneratedBytes.matches(log.body, at: 0))
        exchange.abort()
    }

    @Test func sessionFailsOnUnsupportedOptions() async throws {
        let changes: [(inout RequestOptions.Connection) -> Void] = [
            { $0.protocolPolicy = .http1 }, { $0.trustRoots = .insecureAcceptAny }, { $0.unixSocketPath = "/socket" },
            { $0.proxy = .none }, { $0.minimumTLSVersion = .tls13 }, { $0.pinnedPublicKeys = ["key"] },
            { $0.allowsAddress = .publicOnly },
            {
                $0.clientCertificate = RequestOptions.Connection.ClientCertificate(certificatePath: "/a", keyPath: "/b")
            },
        ]
        for change in changes {
            var request = try request(Scenario(name: "", outcome: ""))
            change(&request.connection)
            let log = TransportLog()
            let exchange = URLSessionTransport().start(request, delivering: log)
            #expect(await log.outcome(of: exchange) == "failed invalid-request.unsupported-option")
        }
    }

    @Test func sessionRefusesFieldsOfOtherBytes() async throws {
        var request = try request(Scenario(name: "", outcome: ""))
        request.headers[bytes: "X-A"] = [0xE9]
        let log = TransportLog()
        let exchange = URLSessionTransport().start(request, delivering: log)
        #expect(await log.outcome(of: exchange) == "failed invalid-request.unsupported-option")
        #expect(server.requests.isEmpty)
    }

    @Test func sessionOpensNoWebSocket() async throws {
        let client = HTTPClient(configuration: HTTPClient.Configuration(), transport: URLSessionTransport())
        let socket = client.webSocket(for: HTTPRequest(.get, server.url("/")))
        let error = await #expect(throws: HTTPError.self) { for try await _ in socket.values {} }
        #expect(error?.name == "invalid-request.unsupported-option" && server.requests.isEmpty)
    }

    @Test func clientUsesSession() async throws {
        server.on("GET", "/old", .redirect(to: "/new"))
        server.on("GET", "/new", .status(503), .json(#"{"a":1}"#))
        var options = RequestOptions()
        options.retry = RetryPolicy(maxRetries: 1, backoff: .init(initial: .zero, maximum: .zero))
        let configuration = HTTPClient.Configuration(baseURL: URL(string: server.url("")), options: options)
        let client = HTTPClient(configuration: configuration, transport: URLSessionTransport())
        let response = try await client.response(for: HTTPRequest(.get, "/old"))
        #expect(response.body == Data(#"{"a":1}"#.utf8) && response.redirects.count == 1)
        #expect(server.requests.count == 4)
    }
}
