import Foundation
import StreamsLoopback
import Testing

/// `--next` and `-Z`.
@Suite(.serialized) struct SeveralRequestTests {
    let server: LoopbackServer
    let folder: Folder

    init() throws {
        server = try LoopbackServer()
        folder = try Folder()
        server.otherwise { .text($0.target) }
    }

    private func run(_ arguments: String...) async throws -> Tool.Run {
        try await Tool.run(in: folder, arguments)
    }

    // MARK: --next

    @Test(arguments: ["--next", "-:"]) func beginsWithTheOptionsAnew(next: String) async throws {
        let run = try await run(
            "PUT", server.url("/a"), "-d", "x=1", "-H", "X-One: 1", "-o", "out", "-w", "|", next, server.url("/b"),
            "-H", "X-Two: 2", "--next", "DELETE", server.url("/{c,d}"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == "|/b/c/d")
        #expect(folder.contents(of: "out") == "/a")
        #expect(server.requests.map { "\($0.method) \($0.target)" } == ["PUT /a", "GET /b", "DELETE /c", "DELETE /d"])
        #expect(server.requests.map(\.text) == ["x=1", "", "", ""])
        #expect(server.requests.map { $0.headers["x-one"] } == ["1", nil, nil, nil])
        #expect(server.requests.map { $0.headers["x-two"] } == [nil, "2", nil, nil])
        #expect(server.acceptedConnections == 1)
    }

    @Test func sendsNoCredentialsToTheNext() async throws {
        let run = try await run(
            server.url("/a"), "-u", "ada:s3cret", "-b", "sid=1", "--next", server.url("/b"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(server.requests.map { $0.headers["authorization"] } == ["Basic YWRhOnMzY3JldA==", nil])
        #expect(server.requests.map { $0.headers["cookie"] } == ["sid=1", nil])
    }

    @Test func readsTheBodyOfEach() async throws {
        server.otherwise { .text($0.text) }
        try folder.write("content", to: "file")
        let run = try await run(
            server.url("/a"), "--json", "{}", "--next", server.url("/b"), "--data-binary", "@file")
        #expect(run.text == "{}content", "\(run.errors)")
    }

    @Test func showsTheErrorsOfAllAsTheLastSays() async throws {
        let run = try await run("http://127.0.0.1:1/", "--next", server.url("/b"), "-s")
        #expect(run.status == 7)
        #expect(run.text == "/b" && run.errors.isEmpty)
    }

    @Test func keepsTheCookiesOfAll() async throws {
        server.on("GET", "/login", Reply(headers: ["Set-Cookie": "sid=1"], body: .text("in")))
        let run = try await run(
            server.url("/login"), "-c", "jar", "--next", server.url("/a"), "-b", "jar", "--next", server.url("/b"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(server.requests.map { $0.headers["cookie"] } == [nil, "sid=1", nil])
        #expect(folder.contents(of: "jar")?.contains("sid\t1") == true)
    }

    @Test func exitsWithTheFirstFailure() async throws {
        server.on("GET", "/missing", .text("no", status: 404))
        let run = try await run(
            server.url("/missing"), "-f", "--next", "http://127.0.0.1:1/", "--next", server.url("/b"))
        #expect(run.status == 22)
        #expect(run.text == "/b")
    }

    @Test(arguments: [
        ["http://127.0.0.1:1/a", "--next"], ["--next", "http://127.0.0.1:1/a"],
        ["sse", "http://127.0.0.1:1/a", "--next", "http://127.0.0.1:1/b"],
        ["download", "http://127.0.0.1:1/a", "--next", "http://127.0.0.1:1/b"],
        ["http://127.0.0.1:1/a", "--next", "sse", "http://127.0.0.1:1/b"],
        ["http://127.0.0.1:1/a", "--next", "http://127.0.0.1:1/b", "-o", "x", "-o", "y"],
        ["http://127.0.0.1:1/a", "-c", "x", "--next", "http://127.0.0.1:1/b", "-c", "y"],
        ["http://127.0.0.1:1/a", "--noproxy", "x", "--next", "http://127.0.0.1:1/b"],
        ["http://127.0.0.1:1/a", "-d", "@-", "--next", "http://127.0.0.1:1/b", "-T", "-"],
        ["http://127.0.0.1:1/a", "-Z", "--events"], ["http://127.0.0.1:1/a", "-ZC", "-", "-O"],
        ["http://127.0.0.1:1/a", "--parallel-max", "0"], ["http://127.0.0.1:1/a", "--parallel-max", "301"],
        ["sse", "http://127.0.0.1:1/a", "-Z"],
    ]) func refusesRequestsThatDoNotFit(arguments: [String]) async throws {
        let run = try await Tool.run(in: folder, arguments)
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(try folder.names.isEmpty)
    }

    // MARK: -Z

    /// Holds each answer until all requests have come.
    private func serveTogether(_ count: Int) -> Gate {
        let gate = Gate()
        for number in 1...count {
            let body = Reply.Body([.hold(gate), .generated(300_000 + number)])
            server.on("GET", "/\(number)", Reply(body: body))
        }
        return gate
    }

    @Test func makesRequestsAtTheSameTime() async throws {
        let gate = serveTogether(5)
        let running = try Tool(["-Z", server.url("/[1-5]"), "-o", folder.path("#1")]).start()
        try await server.wait { $0.requests.count == 5 }
        gate.open()
        let run = try await running.end()
        #expect(run.status == 0, "\(run.errors)")
        for number in 1...5 { #expect(folder.data(of: "\(number)")?.isGenerated(300_000 + number) == true) }
        #expect(try folder.names == ["1", "2", "3", "4", "5"])
    }

    @Test(arguments: [["-Z", "--parallel-max", "2"], ["--parallel", "2"], ["--parallel=2"]])
    func limitsThem(options: [String]) async throws {
        let (first, last) = (Gate(), Gate())
        for number in 1...2 {
            server.on("GET", "/\(number)", Reply(body: Reply.Body([.hold(first), .bytes(Array("\(number)".utf8))])))
        }
        server.on("GET", "/3", Reply(body: Reply.Body([.hold(last), .bytes(Array("3".utf8))])))
        let running = try Tool(options + [server.url("/[1-3]"), "-o", folder.path("#1")]).start()
        try await server.wait { $0.requests.count == 2 }
        #expect(Set(server.requests.map(\.target)) == ["/1", "/2"])
        first.open()
        try await server.wait { $0.requests.count == 3 }
        last.open()
        #expect(try await running.end().status == 0)
        #expect(try folder.names == ["1", "2", "3"])
    }

    @Test func writesBodiesWholeToStandardOutput() async throws {
        // Chunks of all bodies come in turn.
        let gate = Gate()
        for letter in ["a", "b", "c"] {
            let part = String(repeating: letter, count: 100_000)
            let body = Reply.Body([
                .bytes(Array(part.utf8)), .hold(gate), .bytes(Array(part.utf8)), .bytes(Array(part.utf8)),
            ])
            server.on("GET", "/\(letter)", Reply(body: body))
        }
        let running = try Tool(["-Z", server.url("/{a,b,c}"), "-i", "-w", "end %{url}\\n"]).start()
        try await server.wait { $0.requests.count == 3 }
        gate.open()
        let run = try await running.end()
        #expect(run.status == 0, "\(run.errors)")
        let outputs = run.text.components(separatedBy: "HTTP/1.1 200 OK\r\n").dropFirst()
        #expect(outputs.count == 3)
        var letters: Set<String> = []
        for output in outputs {
            let letter = String(output.suffix(2).prefix(1))
            letters.insert(letter)
            let content = output.components(separatedBy: "\r\n\r\n").last
            #expect(content == String(repeating: letter, count: 300_000) + "end \(server.url("/\(letter)"))\n")
        }
        #expect(letters == ["a", "b", "c"])
    }

    @Test func exitsWithTheFirstFailureInTheirOrder() async throws {
        let gate = Gate()
        server.on("GET", "/missing", Reply(404, body: Reply.Body([.hold(gate), .bytes(Array("no".utf8))])))
        server.on("GET", "/b", Reply(body: Reply.Body([.bytes(Array("B".utf8))])))
        let running = try Tool(["-Z", "-f", server.url("/missing"), "http://127.0.0.1:1/", server.url("/b")]).start()
        try await server.wait { $0.requests.count == 2 }
        gate.open()
        let run = try await running.end()
        #expect(run.status == 22)
        #expect(run.text == "B")
        #expect(run.errors.split(separator: "\n").count == 2)
    }

    @Test func removesPartialFilesOnASignal() async throws {
        let gate = Gate()
        for number in 1...3 {
            server.on("GET", "/\(number)", Reply(body: Reply.Body([.generated(50_000), .hold(gate), .generated(1)])))
        }
        let running = try Tool(["-Z", server.url("/[1-3]"), "-o", folder.path("#1")]).start()
        while try folder.names.count < 3 { await Task.yield() }
        running.send(SIGINT)
        let run = try await running.end()
        #expect(run.status == 130, "\(run.errors)")
        #expect(try folder.names == [])
        gate.open()
    }

    @Test func beginsNoMoreRequestsAfterASignal() async throws {
        let gate = Gate()
        server.otherwise { _ in Reply(body: Reply.Body([.hold(gate), .bytes(Array("x".utf8))])) }
        let running = try Tool([server.url("/[1-1000000]")]).start()
        try await server.wait { $0.requests.count == 1 }
        running.send(SIGINT)
        #expect(try await running.end().status == 130)
        #expect(server.requests.count == 1)
        gate.open()
    }

    @Test func countsDownloads() async throws {
        let gate = serveTogether(3)
        let running = try Tool(
            ["download", "--parallel", "3", server.url("/[1-3]"), "--output-dir", folder.path, "-o", "#1"]
        ).start()
        try await server.wait { $0.requests.count == 3 }
        gate.open()
        #expect(try await running.end().status == 0)
        for number in 1...3 { #expect(folder.data(of: "\(number)")?.isGenerated(300_000 + number) == true) }
    }
}
