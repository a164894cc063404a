import Foundation
import StreamsLoopback
import Testing

/// Several URLs, and `-O` and `-J`, which name their files.
@Suite(.serialized) struct SeveralURLTests {
    let server: LoopbackServer
    let folder: Folder

    init() throws {
        server = try LoopbackServer()
        folder = try Folder()
        server.on("GET", "/a", .text("A"))
        server.on("GET", "/b", .text("B"))
    }

    private func run(_ arguments: String...) async throws -> Tool.Run {
        try await Tool.run(in: folder, arguments)
    }

    @Test func writesEachBody() async throws {
        let run = try await run(server.url("/a"), server.url("/b"), "-w", "\\n")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == "A\nB\n")
        #expect(server.requests.count == 2 && server.acceptedConnections == 1)
    }

    @Test func takesOutputsInTheOrderOfTheURLs() async throws {
        let run = try await run(server.url("/a"), "-o", "x", server.url("/b"), server.url("/a"), "-O")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == "A")
        #expect(folder.contents(of: "x") == "A" && folder.contents(of: "b") == "B")
    }

    @Test func sendsTheMethodAndStandardInputToEach() async throws {
        server.otherwise { .text($0.text) }
        let pipe = Pipe.uninherited()
        try pipe.fileHandleForWriting.write(contentsOf: Data("piped".utf8))
        try pipe.fileHandleForWriting.close()
        let run = try await Tool.run(
            "PUT", server.url("/1"), server.url("/2"), "-d", "@-", input: pipe.fileHandleForReading)
        #expect(run.text == "pipedpiped", "\(run.errors)")
        #expect(server.requests.map(\.method) == ["PUT", "PUT"])
    }

    @Test func continuesAfterAFailureAndExitsWithTheFirst() async throws {
        let run = try await run(server.url("/missing"), "http://127.0.0.1:1/", server.url("/b"), "-f")
        #expect(run.status == 22)
        #expect(run.text == "B")
        #expect(run.errors.split(separator: "\n").count == 2)
    }

    @Test func endsWithTheFirstFailure() async throws {
        let run = try await run("--fail-early", server.url("/[1-9]"), "--next", server.url("/b"))
        #expect(run.status == 22)
        #expect(server.requests.map(\.target) == ["/1"])
        #expect(run.errors == "streams: the server answered 404\n")
        let later = try await self.run(server.url("/{b,1}"), "--next", "--fail-early", "127.0.0.1:1", server.url("/a"))
        #expect(later.status == 22)
        #expect(server.requests.map(\.target) == ["/1", "/b", "/1"])
        #expect(try await self.run("--fail-early", "127.0.0.1:1", server.url("/a")).status == 7)
        #expect(try await self.run("--fail-early", server.url("/{a,b}")).text == "AB")
        #expect(try await self.run("--fail-early", "-Z", server.url("/a")).status == 2)
    }

    @Test(arguments: [
        ["http://127.0.0.1:1/a", "-o", "x", "-o", "y"],
        ["http://127.0.0.1:1/a", "-O", "-o", "y"], ["http://127.0.0.1:1/a", "http://127.0.0.1:1/b", "-T", "file"],
        ["sse", "http://127.0.0.1:1/a", "http://127.0.0.1:1/b"], ["http://127.0.0.1:1/a", "-J"],
        ["http://127.0.0.1:1/", "-O"], ["http://127.0.0.1:1", "-O"], ["http://127.0.0.1:1/a/..", "-O"],
        ["http://127.0.0.1:1/a/?b/c", "-O"], ["a?b://c/d", "-O"], ["http://127.0.0.1:1/a", "-OJC", "-"],
    ]) func refusesOutputsThatDoNotFit(arguments: [String]) async throws {
        let run = try await Tool.run(in: folder, arguments)
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(try folder.names.isEmpty)
    }

    // MARK: -O

    @Test func namesAFileAsTheURLDoes() async throws {
        server.otherwise { _ in .text("ok") }
        for path in ["/d/plain?q=/x", "/a%20b", "/..%2Fc", "/%2E%2E#/x", "/.bashrc", "/a%0Ab", "/x.streams-part"] {
            #expect(try await run("-O", server.url(path)).status == 0)
        }
        let names = ["%2E%2E", "_.%2Fc", "_bashrc", "a%0Ab", "a%20b", "plain", "x.streams-part_"]
        #expect(try folder.names == names)
    }

    // MARK: -J

    @Test(arguments: [
        ("attachment; filename=\"report.txt\"", "report.txt"), ("attachment; filename=plain ; x=y", "plain"),
        ("attachment; FILENAME=\"a \\\"b\\\"\"", "a \"b\""), ("attachment; x=\"; filename=no\"; filename=yes", "yes"),
        ("attachment; filename=\"../../etc/evil\"", "evil"), ("attachment; filename=\"/tmp/evil\"", "evil"),
        ("attachment; filename=\"..\\\\..\\\\evil\"", "evil"), ("attachment; filename=..", "a"),
        ("attachment; filename=.bashrc", "_bashrc"), ("attachment; filename=\"x/.a\"", "_a"),
        ("attachment; filename=a.Streams-Part.json", "a.Streams-Part.json_"),
        ("attachment; filename=\"a\tb\u{9B}31m\u{202E}txt\"", "a%09b%C2%9B31m%E2%80%AEtxt"),
        ("attachment; filename=\"x/\"", "a"), ("attachment; filename*=UTF-8''other", "a"), ("attachment", "a"),
        ("", "a"),
    ]) func namesAFileAsTheResponseDoes(disposition: String, name: String) async throws {
        server.on("GET", "/a", Reply(headers: ["Content-Disposition": disposition], body: .text("A")))
        let run = try await run("-OJ", server.url("/a"), "-w", "%{filename_effective}")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == name)
        #expect(try folder.names == [name])
        #expect(folder.contents(of: name) == "A")
    }

    @Test func neverReplacesAFileThatTheResponseNames() async throws {
        server.on("GET", "/a", Reply(headers: ["Content-Disposition": "attachment; filename=x"], body: .text("A")))
        try folder.write("old", to: "x")
        let run = try await run("-OJ", server.url("/a"))
        #expect(run.status == 23)
        #expect(run.errors == "streams: cannot create x: File exists\n")
        #expect(folder.contents(of: "x") == "old")
        try FileManager.default.removeItem(atPath: folder.path("x"))
        try FileManager.default.createSymbolicLink(atPath: folder.path("x"), withDestinationPath: "elsewhere")
        #expect(try await self.run("-OJ", server.url("/a")).status == 23)
        #expect(try folder.names == ["x"])
    }

    @Test func removesANamedFileThatIsNotComplete() async throws {
        let reply = Reply(headers: ["Content-Disposition": "attachment; filename=x"], body: .text("0123456789"))
        server.on("GET", "/a", reply.failing(with: .close(at: .inBody(after: 4))))
        #expect(try await run("-OJ", server.url("/a")).status == 18)
        #expect(try folder.names.isEmpty)
    }

    @Test func makesNoFileOfAnErrorThatIsOmitted() async throws {
        let reply = Reply(404, headers: ["Content-Disposition": "attachment; filename=x"], body: .text("no"))
        server.on("GET", "/a", reply)
        #expect(try await run("-OJf", server.url("/a")).status == 22)
        #expect(try folder.names.isEmpty)
    }
}
