import Foundation
import StreamsLoopback
import Testing

/// `-D`.
@Suite(.serialized) struct DumpHeaderTests {
    let server: LoopbackServer
    let folder: Folder

    init() throws {
        server = try LoopbackServer()
        folder = try Folder()
        let fields = HeaderFields([HeaderFields.Field(name: "X-A", bytes: "caf".utf8 + [0xE9])])
        server.on("GET", "/a", Reply(headers: fields, body: .text("body")))
        server.on("GET", "/b", .text("b"))
        server.on("GET", "/old", .redirect(to: "/b"))
    }

    private static let headOfA = "HTTP/1.1 200 OK\r\nX-A: café\r\nContent-Length: 4\r\n\r\n"
    private static let headOfB =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 1\r\n\r\n"
    private static let redirect = "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"

    private func run(_ arguments: String...) async throws -> Tool.Run {
        try await Tool.run(in: folder, arguments)
    }

    /// The content of the file `heads`, read as ISO-8859-1.
    private var heads: String? {
        folder.data(of: "heads").map { String(decoding: $0.map(UInt16.init), as: UTF16.self) }
    }

    @Test func writesBytesOfHeads() async throws {
        try folder.write("of an earlier run, and longer than the heads of this one".repeated(9), to: "heads")
        let run = try await run("-D", "heads", server.url("/a"))
        #expect(run.text == "body", "\(run.errors)")
        #expect(heads == Self.headOfA)
    }

    @Test func appendsHeadsOfRedirectsAndSeveralURLs() async throws {
        let run = try await run("--dump-header", "heads", server.url("/old"), server.url("/{a,b}"), "-o", "x")
        #expect(run.text == "bodyb", "\(run.errors)")
        #expect(folder.contents(of: "x") == "b")
        #expect(heads == Self.redirect + Self.headOfB + Self.headOfA + Self.headOfB)
    }

    @Test func appendsHeadsOfParallelRequests() async throws {
        let run = try await run("-ZD", "heads", server.url("/[1-9]"), "-o", "#1", server.url("/a"))
        #expect(run.status == 22)
        let parts = try #require(heads).components(separatedBy: "\r\n\r\n")
        #expect(parts.count == 11 && parts.last == "")
        #expect(parts.count { $0.hasPrefix("HTTP/1.1 404 Not Found\r\nContent-Type: ") } == 9)
        #expect(parts.count { $0 + "\r\n\r\n" == Self.headOfA } == 1)
    }

    @Test func beginsFileAnewWithNextOptions() async throws {
        let run = try await run(
            "-D", "heads", server.url("/a"), "--next", "-D", "heads", server.url("/b"), "--next", server.url("/a"))
        #expect(run.text == "bodybbody", "\(run.errors)")
        #expect(heads == Self.headOfB)
    }

    @Test func writesHeadsOfRetriesAndErrors() async throws {
        server.on("GET", "/busy", Reply(503, body: .text("busy")), Reply(404, body: .text("gone")))
        let run = try await run("-f", "-D", "heads", "--retry", "1", "--retry-delay", "0", server.url("/busy"))
        #expect(run.status == 22)
        #expect(run.output.isEmpty)
        #expect(
            heads == "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\n"
                + "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\n")
    }

    @Test func writesHeadAtOnce() async throws {
        server.on("GET", "/stalled", Reply(body: .text("0123")).failing(with: .stall(at: .inBody(after: 2))))
        let path = folder.path("heads")
        try #require(mkfifo(path, 0o600) == 0)
        let running = try Tool(["-D", path, server.url("/stalled")]).start()
        let head = Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".utf8)
        let written = await Running.onThread {
            FileHandle(forReadingAtPath: path).flatMap { try? $0.read(upToCount: head.count) }
        }
        #expect(written == head)
        running.send(SIGKILL)
        _ = try await running.end()
    }

    @Test func writesTrailersBehindBody() async throws {
        server.on("GET", "/t", Reply(body: .chunked("ab", "c")).with(trailers: ["X-T": "1", "X-U": "2"]))
        let run = try await run("-D", "-", server.url("/old"), server.url("/t"), server.url("/b"))
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let text = Self.redirect + Self.headOfB + "b" + head + "abcX-T: 1\r\nX-U: 2\r\n" + Self.headOfB + "b"
        #expect(run.text == text, "\(run.errors)")
        _ = try await self.run("-D", "heads", server.url("/t"), "-o", "body")
        #expect(heads == head + "X-T: 1\r\nX-U: 2\r\n")
        #expect(folder.contents(of: "body") == "abc")
    }

    @Test func writesHeadsBesideOtherOutputs() async throws {
        let included = try await run("-i", "-D", "heads", server.url("/b"))
        #expect(included.text == Self.headOfB + "b" && heads == Self.headOfB)
        let head = try await run("-I", "-D", "-", server.url("/b"))
        #expect(head.text == Self.headOfB + Self.headOfB)
        let events = try await run("--events", "-D", "heads", server.url("/a"), "-o", "x")
        #expect(events.lines.last == #"{"event":"finished","status":200,"bytes":4}"#)
        #expect(heads == Self.headOfA && folder.contents(of: "x") == "body")
        let device = try await run("-D", "/dev/null", "-o", "/dev/null", server.url("/a"))
        #expect(device.status == 0, "\(device.errors)")
    }

    @Test func createsFoldersOfTheFileItself() async throws {
        let run = try await run(
            "--create-dirs", "--output-dir", "out", "-D", "d/e/heads", "-o", "body", server.url("/b"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.contents(of: "d/e/heads") == Self.headOfB)
        #expect(folder.contents(of: "out/body") == "b")
    }

    @Test func leavesEmptyFileOfRefusedConnection() async throws {
        try folder.write("old", to: "heads")
        #expect(try await run("-D", "heads", "http://127.0.0.1:1/").status == 7)
        #expect(heads == "")
    }

    @Test func sendsNothingIfFileCannotBeOpened() async throws {
        for command in [[], ["download"], ["sse"], ["lines"], ["ws"], ["poll", "--every", "1"]] as [[String]] {
            let run = try await Tool.run(in: folder, command + ["-D", "none/heads", "127.0.0.1:\(server.port)/b"])
            #expect(run.status == 23, "\(command)")
            #expect(run.errors == "streams: cannot open none/heads: No such file or directory\n")
        }
        #expect(server.requests.isEmpty)
        #expect(try folder.names.isEmpty)
    }

    #if os(Linux)
    @Test func failsIfFileCannotBeWritten() async throws {
        let message = "streams: cannot write /dev/full: No space left on device\n"
        for arguments in [["-o", "body"], ["download", "-o", "file"], ["lines"]] {
            let run = try await Tool.run(in: folder, arguments + ["-D", "/dev/full", server.url("/b")])
            #expect(run.status == 23, "\(arguments)")
            #expect(run.errors == message)
            #expect(run.output.isEmpty)
        }
        // A download may be complete by then.
        #expect(folder.data(of: "body") == nil)
    }
    #endif

    @Test(arguments: [
        ["-D", "-", "-Z", "http://127.0.0.1:1/"], ["-D", "x", "-o", "x", "http://127.0.0.1:1/"],
        ["-D", "x", "-O", "http://127.0.0.1:1/x"], ["download", "-D", "x", "http://127.0.0.1:1/x"],
    ]) func refusesOutputsThatDoNotFit(arguments: [String]) async throws {
        #expect(try await Tool.run(in: folder, arguments).status == 2)
        #expect(try folder.names.isEmpty)
    }

    @Test func writesHeadsOfFeedsAndDownloads() async throws {
        let lines = try await run("lines", "--no-reconnect", "-D", "-", server.url("/old"))
        #expect(lines.text == Self.redirect + Self.headOfB + "b\n", "\(lines.errors)")
        let download = try await run("download", "-s", "-D", "heads", server.url("/old"), "-o", "x")
        #expect(download.status == 0, "\(download.errors)")
        #expect(heads == Self.redirect + Self.headOfB && folder.contents(of: "x") == "b")
        let refused = try await run("ws", "-D", "heads", "127.0.0.1:\(server.port)/a")
        #expect(refused.status != 0)
        #expect(heads == Self.headOfA)
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
