import Foundation
import StreamsLoopback
import Testing

/// `streams download`.
@Suite(.serialized) struct DownloadTests {
    private static let text = "hello"
    private static let checksum = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

    let server: LoopbackServer
    let folder: Folder

    init() throws {
        server = try LoopbackServer()
        folder = try Folder()
        server.on("GET", "/text", .text(Self.text))
    }

    /// Runs the tool in the folder.
    private func run(_ arguments: String...) async throws -> Tool.Run {
        let script = #"cd "$1" && shift && exec "$0" download "$@""#
        let command = ["/bin/sh", "-c", script, try Tool.executable().path]
        return try await Tool([folder.path] + arguments, command: command).start().end()
    }

    private func names(_ run: Tool.Run) throws -> [String] {
        try run.lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["event"] as? String)
        }
    }

    @Test func filesHaveTheNamesOfTheirURLs() async throws {
        server.on("GET", "/b%20c", .text("other"))
        server.on("GET", "/d%20e%5Bf%5D", .text("mixed"))
        let run = try await run(
            server.url("/text?x=/y"), server.url("/b%20c"), server.url("/d%20e[f]"), "-g", "-O", "--parallel", "1")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.isEmpty && run.errors.isEmpty)
        #expect(try folder.names == ["b c", "d e[f]", "text"])
        #expect(folder.contents(of: "text") == "hello" && folder.contents(of: "b c") == "other")
    }

    /// Names that a terminal would obey, that programs read unasked, or that are those of other downloads' files.
    @Test(arguments: [
        ("/%1B%5B31m", "%1B[31m"), ("/a%0ab", "a%0Ab"), ("/a%E2%80%AEb", "a%E2%80%AEb"), ("/a%C2%9Bb", "a%C2%9Bb"),
        ("/.bashrc", "_bashrc"), ("/%2Ebashrc", "_bashrc"), ("/...", "_.."), ("/x.streams-part", "x.streams-part_"),
        ("/x.STREAMS-PART.json", "x.STREAMS-PART.json_"), ("/x.streams-part.json.new", "x.streams-part.json.new_"),
        ("/x.streams-party", "x.streams-party"), ("/%FF.", "%FF."), ("/%CC%81", "\u{301}"),
    ])
    func changesHarmfulNames(path: String, name: String) async throws {
        server.otherwise { _ in .text(Self.text) }
        let run = try await run(server.url(path))
        #expect(run.status == 0, "\(run.errors)")
        #expect(try folder.names == [name])
        #expect(folder.contents(of: name) == Self.text)
    }

    @Test func aFileKeepsItsMode() async throws {
        try folder.write("old", to: "file", mode: 0o640)
        #expect(try await run(server.url("/text"), "-o", "file").status == 0)
        #expect(folder.contents(of: "file") == "hello")
        #expect(try folder.mode(of: "file") == 0o640)
        let script = #"umask 027; exec "$0" "$@""#
        let new = try await Tool.shell(script, "download", server.url("/text"), "-o", folder.path("new"))
        #expect(new.status == 0)
        #expect(try folder.mode(of: "new") == 0o640)
    }

    @Test func anEarlierRunIsResumed() async throws {
        let first = Reply(headers: ["ETag": "\"1\""], body: .text("0123456789"))
        let rest = Reply(206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 4-9/10"], body: .text("456789"))
        server.on("GET", "/x", first.failing(with: .close(at: .inBody(after: 4))), rest)
        #expect(try await run(server.url("/x")).status == 18)
        #expect(try folder.names == ["x.streams-part", "x.streams-part.json"])
        let run = try await run(server.url("/x"), "--events")
        #expect(run.status == 0)
        #expect(try names(run) == ["resuming", "download", "finished"])
        #expect(run.lines.first == #"{"event":"resuming","file":"x","from":4}"#)
        #expect(run.lines.last == #"{"event":"finished","file":"x","bytes":10,"received":6}"#)
        #expect(folder.contents(of: "x") == "0123456789")
    }

    @Test func retriesResume() async throws {
        let first = Reply(headers: ["ETag": "\"1\""], body: .text("0123456789"))
        let rest = Reply(206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 4-9/10"], body: .text("456789"))
        server.on("GET", "/x", first.failing(with: .close(at: .inBody(after: 4))), rest)
        let run = try await run(server.url("/x"), "--retry", "1", "-v")
        #expect(run.status == 0)
        #expect(run.errors.contains("* x: resuming after 4 bytes\n"))
        #expect(folder.contents(of: "x") == "0123456789")
    }

    @Test func aCompleteFileIsNotDownloadedAgain() async throws {
        server.on("GET", "/x") { request in
            let tag = request.headers["If-None-Match"] == "\"1\""
            return tag ? .status(304) : Reply(headers: ["ETag": "\"1\""], body: .text("0123456789"))
        }
        #expect(try await run(server.url("/x"), "-s").status == 0)
        let second = try await run(server.url("/x"), "--events", "-v")
        #expect(second.status == 0)
        #expect(try names(second) == ["resuming", "download", "finished"])
        #expect(second.lines.last == #"{"event":"finished","file":"x","bytes":10,"received":0,"complete":true}"#)
        #expect(second.errors.contains("* x: 10 bytes, 0 of them received; the file was complete\n"))
        #expect(try folder.names == ["x"])
        #expect(folder.contents(of: "x") == "0123456789")
    }

    @Test func aFileWithTheChecksumNeedsNoRequest() async throws {
        #expect(try await run(server.url("/text"), "--checksum", Self.checksum).status == 0)
        let count = server.requests.count
        let second = try await run(server.url("/text"), "--checksum", Self.checksum)
        #expect(second.status == 0 && second.errors.isEmpty)
        #expect(server.requests.count == count)
        #expect(folder.contents(of: "text") == "hello")
        // Contents of the same length.
        try folder.write("jelly", to: "text")
        #expect(try await run(server.url("/text"), "--checksum", Self.checksum).status == 0)
        #expect(folder.contents(of: "text") == "hello")
    }

    /// Of several files, only what is missing is downloaded.
    @Test func anInterruptedBatchIsContinued() async throws {
        let whole = Reply(headers: ["ETag": "\"1\""], body: .text("0123456789"))
        let rest = Reply(206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 4-9/10"], body: .text("456789"))
        server.on("GET", "/a") { $0.headers["If-None-Match"] == "\"1\"" ? .status(304) : whole }
        server.on("GET", "/b", whole.failing(with: .close(at: .inBody(after: 4))), rest)
        #expect(try await run(server.url("/a"), server.url("/b"), "-s").status == 18)
        let run = try await run(server.url("/a"), server.url("/b"), "--events", "--parallel", "1")
        #expect(run.status == 0)
        let ends = run.lines.filter { $0.contains("\"finished\"") }
        #expect(
            ends == [
                #"{"event":"finished","file":"a","bytes":10,"received":0,"complete":true}"#,
                #"{"event":"finished","file":"b","bytes":10,"received":6}"#,
            ])
        for name in ["a", "b"] { #expect(folder.contents(of: name) == "0123456789") }
    }

    @Test func checksumsAreVerified() async throws {
        let wrong = Self.checksum.replacing("2cf2", with: "2cf3")
        let run = try await run(
            server.url("/text"), server.url("/text?") + "#", "-o", "x", "--checksum", Self.checksum)
        #expect(run.status == 2)
        #expect(try await self.run(server.url("/text"), "--checksum", Self.checksum).status == 0)
        let other = try await self.run(server.url("/text"), "-o", "other", "--checksum", wrong)
        #expect(other.status == 61)
        #expect(other.errors.contains("the checksum of the file is not \(wrong)"))
        #expect(try folder.names == ["text"])
    }

    /// All others are downloaded, and the first failure decides how the tool exits.
    @Test func oneFailureDoesNotEndTheOthers() async throws {
        server.on("GET", "/missing", .text("no", status: 404))
        server.on("GET", "/short", .text("0123").failing(with: .close(at: .inBody(after: 2))))
        let run = try await run(server.url("/missing"), server.url("/text"), server.url("/short"), "--events")
        #expect(run.status == 22)
        #expect(run.errors.split(separator: "\n").count == 2)
        #expect(folder.contents(of: "text") == "hello" && folder.contents(of: "missing") == nil)
        #expect(try names(run).filter { $0 == "failed" }.count == 2)
    }

    @Test func progressIsOneForAll() async throws {
        for name in ["a", "b", "c"] { server.on("GET", "/\(name)", .generated(1 << 20)) }
        let run = try await run(server.url("/a"), server.url("/b"), server.url("/c"), "--progress", "always")
        #expect(run.status == 0)
        for name in ["a", "b", "c"] { #expect(folder.data(of: name)?.isGenerated(1 << 20) == true) }
        let summary = run.errors.split(separator: "\n").last
        #expect(summary?.hasPrefix("download: 3.0 MiB in ") == true, "\(run.errors)")
        #expect(run.errors.split(separator: "\n").filter { $0.contains(" in ") }.count == 1)
    }

    @Test func resumedBytesAreNoneOfTheRate() async throws {
        let first = Reply(headers: ["ETag": "\"1\""], body: .text("0123456789"))
        let rest = Reply(206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 4-9/10"], body: .text("456789"))
        server.on("GET", "/x", first.failing(with: .close(at: .inBody(after: 4))), rest)
        _ = try await run(server.url("/x"))
        let run = try await run(server.url("/x"), "--progress", "always")
        // On a slow machine, lines of the log precede the summary.
        #expect(run.errors.split(separator: "\n").last?.hasPrefix("download: 6 B in ") == true, "\(run.errors)")
    }

    @Test func anInterruptionLeavesWhatCanBeResumed() async throws {
        let gate = Gate()
        let body = Reply.Body([.generated(50_000), .hold(gate), .generated(50_000)])
        server.on("GET", "/x", Reply(headers: ["ETag": "\"1\""], body: body))
        let running = try Tool(["download", server.url("/x"), "-o", folder.path("x")]).start()
        try await server.wait { $0.bytesWritten >= 50_000 }
        while (folder.data(of: "x.streams-part") ?? Data()).isEmpty { await Task.yield() }
        running.send(SIGINT)
        #expect(try await running.end().status == 130)
        #expect(try folder.names == ["x.streams-part", "x.streams-part.json"])
        let part = try #require(folder.data(of: "x.streams-part"))
        #expect(!part.isEmpty && part.count <= 50_000)
        #expect(GeneratedBytes.matches(part, at: 0))
        gate.open()
    }

    @Test func aDeviceIsNotReplaced() async throws {
        let run = try await run(server.url("/text"), "-o", "/dev/null")
        #expect(run.status == 23)
        #expect(run.errors.contains("/dev/null: Invalid argument"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        [], ["http://127.0.0.1:1/"], ["http://127.0.0.1:1"], ["http://127.0.0.1:1/a/.."], ["http://127.0.0.1:1/a/"],
        ["http://127.0.0.1:1/%2E%2E"], ["http://127.0.0.1:1/a", "http://127.0.0.1:1/b", "-o", "c"],
        ["http://127.0.0.1:1/a", "http://127.0.0.1:1/b/a"], ["http://127.0.0.1:1/a", "--checksum", "md5:12"],
        ["http://127.0.0.1:1/a", "--parallel", "0"], ["http://127.0.0.1:1/a", "-d", "x"],
        ["http://127.0.0.1:1/a", "-I"], ["http://127.0.0.1:1/a", "-X", "POST"], ["http://127.0.0.1:1/a", "-i"],
        ["http://127.0.0.1:1/a", "-J"], ["http://127.0.0.1:1/a", "-C", "4"], ["http://127.0.0.1:1/a", "-r", "0-1"],
        ["http://127.0.0.1:1/a", "--compressed"], ["http://127.0.0.1:1/a", "-w", "x"],
        ["http://127.0.0.1:1/a", "http://127.0.0.1:1/b", "-o", "c", "-o", "-"],
    ]) func wrongUsageIs2(arguments: [String]) async throws {
        let run = try await Tool(["download"] + arguments).start().end()
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.errors.hasPrefix("streams: ") && run.errors.split(separator: "\n").count == 1)
    }

    @Test func filesAreNamedInTheOrderOfTheURLs() async throws {
        let run = try await run(server.url("/text"), server.url("/text"), "-o", "a", "-o", "b", "-C", "-")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try folder.names == ["a", "b"])
    }

    @Test func standardOutputIsRefused() async throws {
        let run = try await run(server.url("/text"), "-o", "-")
        #expect(run.status == 2)
        #expect(run.errors.contains("the body goes to standard output"))
        #expect(try folder.names.isEmpty)
        #expect(server.requests.isEmpty)
    }

    /// The files are the output; the events are told as long as there is a reader.
    @Test func aClosedPipeEndsQuietly() async throws {
        server.on("GET", "/x", .generated(1 << 20))
        let pipe = Pipe.uninherited()
        let tool = try Tool(
            ["download", "--events", server.url("/x"), "-o", folder.path("x")], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForReading.close()
        let running = try tool.start()
        try pipe.fileHandleForWriting.close()
        let run = try await running.end()
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        #expect(folder.data(of: "x")?.isGenerated(1 << 20) == true)
    }

    @Test func verboseTellsTheRequests() async throws {
        let run = try await run(server.url("/text"), "-v")
        #expect(run.errors.contains("* request to \(server.url("/text"))\n> GET /text HTTP/1.1\n"))
        #expect(run.errors.contains("> Accept-Encoding: identity\n"))
        #expect(run.errors.contains("< HTTP/1.1 200 OK\n"))
    }

    @Test func otherCommandsHaveNoChecksums() async throws {
        #expect(try await Tool.run(server.url("/text"), "--checksum=\(Self.checksum)").status == 2)
    }
}
