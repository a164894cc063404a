import Foundation
import StreamsLoopback
import Testing

/// Exit statuses with the tool's output. Those of misbehaving servers and proxies alone are in the matrix of faults.
@Suite(.serialized) struct ExitStatusTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on("GET", "/", .text("hello"))
    }

    @Test func aResponseEndsWithZero() async throws {
        let run = try await Tool.run(server.url("/"))
        #expect(run.status == 0)
        #expect(run.text == "hello")
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "gopher://x/"])
    func anUnsupportedSchemeIs1(url: String) async throws {
        let run = try await Tool.run(url)
        #expect(run.status == 1)
        #expect(run.errors.contains("scheme"))
    }

    @Test func aRedirectToAnUnsupportedSchemeIs1() async throws {
        server.on("GET", "/away", .redirect(to: "file:///etc/passwd"))
        let run = try await Tool.run(server.url("/away"))
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
    }

    @Test(arguments: [
        "/path", "//h/", ":80/", "?q", "#f", "G ET", "h:99999", "mailto:a", "http:/h", "http://", "http:///path",
        "http://a b/", "http://[::1", "",
    ])
    func aMalformedURLIs3(url: String) async throws {
        let run = try await Tool.run("--", url)
        #expect(run.status == 3, "\(run.errors)")
    }

    @Test func aMissingHostIsNamed() async throws {
        let run = try await Tool.run("http:/path")
        #expect(run.errors.hasSuffix("a URL begins with a host, or with http:// or https://\n"), "\(run.errors)")
    }

    @Test func aRefusedConnectionIs7() async throws {
        // A port that no server is given by chance.
        let run = try await Tool.run("http://127.0.0.1:1/")
        #expect(run.status == 7)
        #expect(run.errors.contains("could not connect"))
    }

    @Test func aBodyThatEndsEarlyIs18() async throws {
        server.on("GET", "/short", .text("0123456789").failing(with: .close(at: .inBody(after: 4))))
        let run = try await Tool.run(server.url("/short"))
        #expect(run.status == 18, "\(run.errors)")
        #expect(run.text == "0123")
    }

    @Test(arguments: [400, 404, 422, 500, 503])
    func anErrorStatusIs22AndItsBodyIsWritten(status: Int) async throws {
        server.on("GET", "/error", .text("what went wrong", status: status))
        let run = try await Tool.run(server.url("/error"))
        #expect(run.status == 22)
        #expect(run.text == "what went wrong")
        #expect(run.errors == "streams: the server answered \(status)\n")
    }

    @Test func aFullDiskIs23() async throws {
        try #require(FileManager.default.fileExists(atPath: "/dev/full"), "this system has no /dev/full")
        let run = try await Tool.run(server.url("/"), "-o", "/dev/full")
        #expect(run.status == 23)
        #expect(run.errors.contains("/dev/full: No space left on device"))
    }

    @Test func aFolderThatIsMissingIs23() async throws {
        let run = try await Tool.run(server.url("/"), "-o", "/nonexistent/file")
        #expect(run.status == 23)
        #expect(server.requests.isEmpty)
    }

    @Test func aFileThatCannotBeReadIs26() async throws {
        let run = try await Tool.run(server.url("/"), "-d", "@/nonexistent/file")
        #expect(run.status == 26)
        #expect(run.errors.contains("/nonexistent/file: No such file or directory"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [("0", 0), ("2", 2)])
    func tooManyRedirectsIs47(limit: String, followed: Int) async throws {
        server.on("GET", "/loop", .redirect(to: "/loop"))
        let run = try await Tool.run(server.url("/loop"), "--max-redirects", limit)
        #expect(run.status == 47)
        #expect(server.requests.count == followed + 1)
    }

    @Test func tenRedirectsAreFollowedAndNoMore() async throws {
        server.on("GET", "/loop", .redirect(to: "/loop"))
        let run = try await Tool.run(server.url("/loop"))
        #expect(run.status == 47)
        #expect(server.requests.count == 11)
    }

    @Test func aBodyLargerThanTheLimitIs63() async throws {
        server.on("GET", "/large", .generated(100_000, framing: .chunked))
        let run = try await Tool.run(server.url("/large"), "--max-bytes", "99999")
        #expect(run.status == 63)
        let whole = try await Tool.run(server.url("/large"), "--max-bytes", "100000")
        #expect(whole.status == 0)
        #expect(whole.output.count == 100_000)
        #expect(GeneratedBytes.matches(whole.output, at: 0))
    }

    @Test func aBodyThatCannotBeSentAgainIs65() async throws {
        server.on("PUT", "/moved", .redirect(to: "/elsewhere", status: 307))
        let input = Pipe.uninherited()
        try input.fileHandleForWriting.write(contentsOf: Data("once".utf8))
        try input.fileHandleForWriting.close()
        let run = try await Tool.run(server.url("/moved"), "-T", "-", input: input.fileHandleForReading)
        #expect(run.status == 65, "\(run.errors)")
    }

    @Test func aTrustFileThatIsMissingIs77() async throws {
        let run = try await Tool.run("https://127.0.0.1:\(server.port)/", "--cacert", "/nonexistent.pem")
        #expect(run.status == 77, "\(run.errors)")
    }
}
