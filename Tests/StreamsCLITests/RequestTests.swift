import Foundation
import StreamsLoopback
import Testing

/// The requests that the tool sends.
@Suite(.serialized) struct RequestTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 4 << 20))
        server.otherwise { _ in .text("ok") }
    }

    @Test func aRequestWithoutABodyIsAGet() async throws {
        let request = try await sent(server.url("/path?q=1"))
        #expect(request.method == "GET")
        #expect(request.target == "/path?q=1")
        #expect(request.headers["accept"] == "*/*")
        #expect(request.headers["user-agent"]?.hasPrefix("streams/") == true)
    }

    @Test func dataIsPostedAsAForm() async throws {
        let request = try await sent(server.url(), "-d", "a=1&b=2")
        #expect(request.method == "POST")
        #expect(request.text == "a=1&b=2")
        #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["content-length"] == "7")
    }

    @Test func anEmptyBodyIsABody() async throws {
        let request = try await sent(server.url(), "-d", "")
        #expect(request.method == "POST")
        #expect(request.headers["content-length"] == "0")
    }

    @Test func theMethodIsWhatWasAskedFor() async throws {
        let request = try await sent("PUT", server.url(), "-d", "x")
        #expect(request.method == "PUT")
    }

    @Test func jsonSaysSo() async throws {
        let request = try await sent(server.url(), "--json", #"{"a":1}"#)
        #expect(request.method == "POST")
        #expect(request.text == #"{"a":1}"#)
        #expect(request.headers.values(of: "content-type") == ["application/json"])
        #expect(request.headers.values(of: "accept") == ["application/json"])
    }

    @Test func headersWinOverWhatJSONSays() async throws {
        let request = try await sent(
            server.url(), "--json", "{}", "-H", "Accept: text/plain", "-H", "content-type: application/problem+json")
        #expect(request.headers.values(of: "accept") == ["text/plain"])
        #expect(request.headers.values(of: "content-type") == ["application/problem+json"])
    }

    @Test(arguments: ["--data-binary", "--json"])
    func aFileIsSentByteForByte(option: String) async throws {
        let folder = try Folder()
        let bytes = Data(GeneratedBytes.bytes(0..<60_000)) + Data("\r\n\0".utf8)
        try bytes.write(to: URL(filePath: folder.path("body")))
        let request = try await sent(server.url(), option, "@\(folder.path("body"))")
        #expect(Data(request.body) == bytes)
        #expect(request.headers["content-length"] == "60003")
    }

    @Test func theUploadOfStandardInputIsStreamed() async throws {
        let input = Pipe.uninherited()
        let size = 3_000_000
        Thread.detachNewThread {
            try? input.fileHandleForWriting.write(contentsOf: Data(GeneratedBytes.bytes(0..<size)))
            try? input.fileHandleForWriting.close()
        }
        let run = try await Tool.run("-T", "-", server.url(), input: input.fileHandleForReading)
        #expect(run.status == 0, "\(run.errors)")
        let request = try #require(server.requests.first)
        #expect(request.bodyCount == size && request.body.count == size)
        #expect(GeneratedBytes.matches(request.body, at: 0))
        #expect(request.headers["transfer-encoding"] == "chunked")
    }

    @Test func aRedirectedFileAsStandardInputHasALength() async throws {
        let folder = try Folder()
        try folder.write("0123456789", to: "body")
        let input = try #require(FileHandle(forReadingAtPath: folder.path("body")))
        try input.seek(toOffset: 4)
        let run = try await Tool.run(server.url(), "-d", "@-", input: input)
        #expect(run.status == 0, "\(run.errors)")
        let request = try #require(server.requests.first)
        #expect(request.text == "456789")
        #expect(request.headers["content-length"] == "6")
    }

    @Test func aFIFOIsStreamed() async throws {
        let folder = try Folder()
        let path = folder.path("fifo")
        try #require(mkfifo(path, 0o600) == 0)
        Thread.detachNewThread { try? Data("through a fifo".utf8).write(to: URL(filePath: path), options: []) }
        let request = try await sent(server.url(), "--data-binary", "@\(path)")
        #expect(request.text == "through a fifo")
    }

    /// The content of a file or of standard input is a value, and the ends of its lines are no part of it.
    @Test(arguments: ["-d", "--data", "--data-ascii"])
    func theEndsOfLinesAreNotSent(option: String) async throws {
        let folder = try Folder()
        let path = try folder.write("a=1\r\nb\0\n\n", to: "file")
        #expect(try await sent(server.url(), option, "@\(path)").text == "a=1b")
        let input = try #require(FileHandle(forReadingAtPath: path))
        let run = try await Tool.run(server.url(), option, "@-", input: input)
        #expect(run.status == 0, "\(run.errors)")
        #expect(server.requests.last?.text == "a=1b")
        #expect(try await sent(server.url(), option, "a\nb").text == "a\nb")
    }

    @Test(arguments: [
        (["-d", "@-"], "ab", "application/x-www-form-urlencoded"),
        (["--data-binary", "@-"], "a\nb\n", "application/x-www-form-urlencoded"),
        (["--json", "@-"], "a\nb\n", "application/json"),
    ]) func standardInputHasALength(options: [String], text: String, type: String) async throws {
        let input = Pipe.uninherited()
        try input.fileHandleForWriting.write(contentsOf: Data("a\nb\n".utf8))
        try input.fileHandleForWriting.close()
        let tool = try Tool([server.url()] + options, input: input.fileHandleForReading)
        #expect(try await tool.start().end().status == 0)
        let request = try #require(server.requests.last)
        #expect(request.text == text)
        #expect(request.headers.values(of: "content-length") == ["\(text.utf8.count)"])
        #expect(request.headers["transfer-encoding"] == nil && request.headers["content-type"] == type)
    }

    @Test func aUnixSocketReplacesHostAndPort() async throws {
        let folder = try Folder()
        let local = try LoopbackServer(on: .unixSocket(path: folder.path("socket")))
        local.on("GET", "/here", .text("by socket"))
        let run = try await Tool.run("--unix-socket", folder.path("socket"), "http://example.com/here")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == "by socket")
        #expect(local.requests.first?.headers["host"] == "example.com")
    }

    @Test func anotherOriginGetsNoSecrets() async throws {
        let other = try LoopbackServer()
        other.on("GET", "/there", .text("there"))
        server.on("GET", "/away", .redirect(to: other.url("/there")))
        let run = try await Tool.run(
            server.url("/away"), "-H", "Authorization: Bearer secret", "-H", "Cookie: a=1", "-H", "X-Plain: yes")
        #expect(run.text == "there")
        let first = try #require(server.requests.first)
        #expect(first.headers["authorization"] == "Bearer secret")
        let second = try #require(other.requests.first)
        #expect(second.headers["authorization"] == nil)
        #expect(second.headers["cookie"] == nil)
        #expect(second.headers["x-plain"] == "yes")
    }

    @Test func whatIsMarkedAsSensitiveIsASecretToo() async throws {
        let other = try LoopbackServer()
        other.on("GET", "/there", .text("there"))
        server.on("GET", "/away", .redirect(to: other.url("/there")))
        let run = try await Tool.run(
            server.url("/away"), "-v", "--sensitive", "x-key", "-H", "X-Key: secret", "-H", "X-Plain: yes")
        #expect(run.text == "there")
        #expect(server.requests.first?.headers["x-key"] == "secret")
        let second = try #require(other.requests.first)
        #expect(second.headers["x-key"] == nil)
        #expect(second.headers["x-plain"] == "yes")
        #expect(!run.errors.contains("secret"))
    }

    @Test func credentialsInTheURLAreUsedAndNotShown() async throws {
        let url = "http://user:secret@127.0.0.1:\(server.port)/"
        let run = try await Tool.run(url, "-v", "--events")
        #expect(server.requests.first?.headers["authorization"] == "Basic dXNlcjpzZWNyZXQ=")
        #expect(!(run.text + run.errors).contains("secret"))
        #expect(!(run.text + run.errors).contains("dXNlcjpzZWNyZXQ"))
    }

    @Test func aRetryAfterIsObeyed() async throws {
        server.on("GET", "/busy", .status(503, headers: ["Retry-After": "1"]), .text("well again"))
        let start = ContinuousClock.now
        let run = try await Tool.run(server.url("/busy"), "--retry", "2", "--events", "-v")
        #expect(run.status == 0)
        #expect(ContinuousClock.now - start >= .seconds(1))
        #expect(run.lines.contains { $0.hasPrefix(#"{"event":"retry","after":1,"kind":"status","reason":"#) })
        #expect(run.errors.contains("* attempt 1 failed: the server answered 503; the next begins in 1.0 s"))
    }

    @Test func aDelayIsGiven() async throws {
        server.on("GET", "/busy", .status(503), .status(503), .text("well again"))
        let run = try await Tool.run(server.url("/busy"), "--retry", "2", "--retry-delay", "0.125", "--events")
        #expect(run.status == 0)
        #expect(run.lines.filter { $0.hasPrefix(#"{"event":"retry","after":0.125,"#) }.count == 2)
    }

    @Test func aPostIsNotRepeated() async throws {
        server.on("POST", "/busy", .status(503), .text("well again"))
        let run = try await Tool.run(server.url("/busy"), "-d", "x", "--retry", "2")
        #expect(run.status == 22)
        #expect(run.errors == "streams: the server answered 503; --retry does not repeat a POST\n")
        #expect(server.requests.count == 1)
    }

    @Test func verboseTellsTheExchangeWithoutSecrets() async throws {
        server.on("GET", "/old", .redirect(to: "/new"))
        let run = try await Tool.run(server.url("/old"), "-v", "-H", "Authorization: Bearer secret")
        #expect(run.text == "ok")
        let told = run.errors.split(separator: "\n").map(String.init)
        #expect(told.contains("* request to \(server.url("/old"))"))
        #expect(told.contains("> GET /old HTTP/1.1"))
        #expect(told.contains("> Authorization: <hidden>"))
        #expect(told.contains("< HTTP/1.1 302 Found"))
        #expect(told.contains("> GET /new HTTP/1.1"))
        #expect(told.contains("< HTTP/1.1 200 OK"))
        #expect(told.contains("* redirected by \(server.url("/old"))"))
        #expect(!run.errors.contains("secret"))
    }

    /// The one request that a successful run sends.
    private func sent(_ arguments: String...) async throws -> RecordedRequest {
        let run = try await Tool(arguments).start().end()
        #expect(run.status == 0, "\(run.errors)")
        return try #require(server.requests.last)
    }
}
