import StreamsHTTP
import StreamsLoopback
import Testing

/// The effect of each row of the matrix on requests, the tool and the memory, and the article's table.
@Suite(.reservesDescriptors) struct FaultMatrixTests {
    /// The time that a failure may take on a busy machine, in addition to a timeout. It is less than default timeouts.
    private static let maxTime = Duration.seconds(25)

    private static let plainCases = FaultMatrix.cases.filter { !$0.peer.needsNginx }
    private static let nginxCases = FaultMatrix.cases.filter(\.peer.needsNginx)

    @Test(arguments: plainCases) func failsAsListed(_ fault: FaultCase) async throws {
        try await expectFailure(of: fault)
    }

    @Test(.needs(.nginx, .openssl, .gzip), arguments: nginxCases)
    func failsAsListedWithTLS(_ fault: FaultCase) async throws {
        try await expectFailure(of: fault)
    }

    private func expectFailure(of fault: FaultCase) async throws {
        let peer = try await fault.peer.start()
        let start = ContinuousClock.now
        let error = await Self.failure(
            of: fault.row, peer, HTTPClient(configuration: .init(), transport: CurlTransport()))
        let elapsed = ContinuousClock.now - start
        #expect(error?.reason.outline == fault.row.reason, "\(error.map { "\($0)" } ?? "success")")
        #expect(error?.isRetryable ?? false == fault.row.isRetried)
        #expect(elapsed >= fault.row.setting.time && elapsed < fault.row.setting.time + Self.maxTime)
    }

    private static func failure(of row: FaultRow, _ peer: StartedPeer, _ client: HTTPClient) async -> HTTPError? {
        let options = peer.options(row.setting)
        do {
            switch row.use {
            case .response:
                let body = row.bodySize > 0 ? HTTPBody.data(Data(count: row.bodySize)) : .empty
                _ = try await client.response(for: HTTPRequest(row.method, peer.url, body: body, options: options))
            case .value:
                _ = try await client.value(for: Call<Greeting>(row.method, peer.url, options: options))
            case .stored:
                let client = client.configuring { $0.cache = HTTPCache(maxMemory: 1 << 20) }
                let request = HTTPRequest(row.method, peer.url, options: options)
                _ = try? await client.response(for: request)
                _ = try await client.response(for: request)
            case .pages:
                for try await _ in client.linkedPages(for: HTTPRequest(.get, peer.url, options: options)).values {}
            case .webSocket(let webSocket):
                let request = HTTPRequest(row.method, peer.url, options: options)
                for try await _ in client.webSocket(for: request, options: webSocket).messages {}
            }
            return nil
        } catch {
            return error
        }
    }

    // MARK: The tool

    @Test(arguments: plainCases.filter { $0.row.exitStatus != nil })
    func endsTheToolAsListed(_ fault: FaultCase) async throws {
        try await expectExitStatus(of: fault)
    }

    @Test(.needs(.nginx, .openssl, .gzip), arguments: nginxCases.filter { $0.row.exitStatus != nil })
    func endsTheToolAsListedWithTLS(_ fault: FaultCase) async throws {
        try await expectExitStatus(of: fault)
    }

    private func expectExitStatus(of fault: FaultCase) async throws {
        let peer = try await fault.peer.start()
        // Standard input is empty, after whose end a WebSocket would be closed.
        let command =
            if case .webSocket = fault.row.use { ["ws", "--linger", "60"] } else { [fault.row.method.rawValue] }
        var arguments = try #require(fault.row.setting.arguments) + command + [peer.url]
        if let trustFile = peer.trustFile { arguments += ["--cacert", trustFile] }
        let folder = try ScratchFolder()
        if fault.row.bodySize > 0 {
            try folder.write(String(repeating: "x", count: fault.row.bodySize), to: "body")
            arguments += ["-d", "@\(folder.path)/body"]
        }
        let environment = peer.proxy.map { ["http_proxy": $0, "https_proxy": $0] } ?? [:]
        let run = try await Tool(arguments, environment: environment).start().end()
        withExtendedLifetime((peer, folder)) {}
        #expect(run.status == fault.row.exitStatus, "\(run.errors)")
    }

    // MARK: Pages

    private static let lists = plainCases.compactMap { fault in
        if case .list(let broken, let isMended) = fault.peer { (fault, broken, isMended) } else { nil }
    }

    /// The subscriber gets the pages before a failure, which are not requested again.
    @Test(arguments: lists)
    func deliversThePagesBefore(_ fault: FaultCase, broken: Int, isMended: Bool) async throws {
        let list = try await FaultList(fault)
        await list.read(fault.row.setting)
        #expect(list.pages == Array(1..<(isMended ? FaultPeer.pageCount + 1 : broken)))
        #expect(list.requestedPages == Array(1...broken) + (isMended ? Array(broken...FaultPeer.pageCount) : []))
    }

    /// Without retries, a program goes on behind the last page that it has got.
    @Test(arguments: lists.filter(\.2))
    func goesOnBehindTheLastPage(_ fault: FaultCase, broken: Int, isMended: Bool) async throws {
        let list = try await FaultList(fault)
        await list.read(.usual)
        #expect(list.pages == Array(1..<broken))
        await list.read(.usual)
        #expect(list.pages == Array(1...FaultPeer.pageCount))
        #expect(list.requestedPages == Array(1...broken) + Array(broken...FaultPeer.pageCount))
    }

    // MARK: Memory

    #if os(Linux)
    private static let largeCases = FaultMatrix.cases.filter { $0.row.maxGrowth != nil }.map(\.name)

    /// In a process of its own, which has the server too.
    @Test(arguments: largeCases) func takesLittleMemory(name: String) async {
        await #expect(processExitsWith: .success) { [name = name as String] in
            let fault = try #require(FaultMatrix.cases.first { $0.name == name })
            let server = try LoopbackServer()
            server.on(
                "GET", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(EncodedText.gzip.bytes)))
            let client = HTTPClient(configuration: .init(), transport: CurlTransport())
            // The first exchange allocates what all share.
            _ = try await client.response(for: HTTPRequest(.get, server.url("/")))
            let peer = try await fault.peer.start()
            Memory.resetPeak()
            let before = Memory.resident
            let error = await FaultMatrixTests.failure(of: fault.row, peer, client)
            let growth = Memory.peak - before
            #expect(error?.reason.outline == fault.row.reason)
            #expect(try Memory.isDistorted || growth < #require(fault.row.maxGrowth), "\(growth) bytes")
        }
    }
    #endif

    // MARK: The article

    @Test func articleMatches() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        let article = root.appending(path: "Sources/StreamsHTTP/StreamsHTTP.docc/Faults.md")
        let lines = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "\n")
        let rows = lines.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| Failure |") && !$0.hasPrefix("| ---") }
        #expect(rows == FaultMatrix.rows.map(\.line))
    }
}

/// A program that reads a list, and keeps its position.
private final class FaultList {
    private let peer: StartedPeer
    private let server: LoopbackServer
    private let client = HTTPClient(configuration: .init(), transport: CurlTransport())
    private var link: String?
    /// The numbers that the delivered pages have as their texts.
    private(set) var pages: [Int?] = []

    init(_ fault: FaultCase) async throws {
        peer = try await fault.peer.start()
        server = try #require(peer.server as? LoopbackServer)
    }

    /// Reads the pages from the position on, up to the end or a failure.
    func read(_ setting: FaultSetting) async {
        let request = HTTPRequest(.get, peer.url, options: peer.options(setting))
        do {
            for try await page in client.linkedPages(for: request, from: link).values {
                pages.append(Int(try page.response.text()))
                link = page.next?.target
            }
        } catch {}
    }

    var requestedPages: [Int] { server.requests.compactMap { Int($0.path.dropFirst()) } }
}

extension FaultCase: CustomTestStringConvertible {
    var testDescription: String { name }
}
