import Foundation
import StreamsLoopback
import Testing

/// The output of the body.
@Suite(.serialized) struct OutputTests {
    let server: LoopbackServer
    let folder: Folder

    init() throws {
        server = try LoopbackServer()
        folder = try Folder()
        server.on("GET", "/", .text("new"))
        server.on("GET", "/short", .text("0123456789").failing(with: .close(at: .inBody(after: 4))))
    }

    @Test func aFileAppearsWhole() async throws {
        let size = 5_000_000
        server.on("GET", "/large", .generated(size))
        let run = try await Tool.run(server.url("/large"), "-o", folder.path("file"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.isEmpty)
        let contents = try #require(folder.data(of: "file"))
        #expect(contents.count == size)
        #expect(GeneratedBytes.matches(contents, at: 0))
        #expect(try folder.names == ["file"])
    }

    @Test func aFileOfATruncatedBodyDoesNotAppear() async throws {
        let run = try await Tool.run(server.url("/short"), "-o", folder.path("file"))
        #expect(run.status == 18)
        #expect(try folder.names.isEmpty)
    }

    /// The status decides, whatever becomes of the body of an error.
    @Test(arguments: [[], ["-f"], ["--retry", "1", "--retry-delay", "0.01"]] as [[String]])
    func anErrorWhoseBodyBreaksIsItsStatus(options: [String]) async throws {
        let cut = Reply(404, body: .text("gone for good")).failing(with: .close(at: .inBody(after: 4)))
        server.on("GET", "/cut", cut)
        server.on("GET", "/coded", Reply(403, headers: ["Content-Encoding": "unknown"], body: .text("no entry")))
        server.on(
            "GET", "/stall", Reply(404, body: .text("gone for good")).failing(with: .stall(at: .inBody(after: 4))))
        let run = try await Tool([server.url("/cut")] + options).start().end()
        #expect(run.status == 22 && run.text == (options == ["-f"] ? "" : "gone"))
        #expect(run.errors == "streams: the server answered 404, and the body ended early\n")
        #expect(server.requests.count == 1)
        let coded = try await Tool([server.url("/coded")] + options).start().end()
        #expect(
            coded.status == 22 && coded.errors.hasPrefix("streams: the server answered 403, and "), "\(coded.errors)")
        let stalled = try await Tool(
            [server.url("/stall"), "--timeout", "0.5", "-w", "%{exitcode} %{http_code}"] + options
        )
        .start().end()
        #expect(stalled.status == 22 && stalled.text == (options == ["-f"] ? "" : "gone") + "22 404")
    }

    /// The retries are used up, and the last body breaks.
    @Test(arguments: [[], ["-f"]] as [[String]]) func aRetriedErrorWhoseBodyBreaksIsItsStatus(options: [String])
        async throws
    {
        let body = Reply(503, body: .text("gone for good"))
        server.on("GET", "/cut", body.failing(with: .close(at: .inBody(after: 4))))
        server.on("GET", "/coded", Reply(429, headers: ["Content-Encoding": "unknown"], body: .text("no entry")))
        server.on("GET", "/stall", body.failing(with: .stall(at: .inBody(after: 4))))
        let options = options + ["--retry", "1", "--retry-delay", "0.01"]
        let part = options.contains("-f") ? "" : "gone"
        let cut = try await Tool([server.url("/cut")] + options).start().end()
        #expect(cut.status == 22 && cut.text == part)
        #expect(cut.errors == "streams: the server answered 503, and the body ended early\n")
        let coded = try await Tool([server.url("/coded")] + options).start().end()
        #expect(coded.status == 22 && coded.text.isEmpty)
        #expect(coded.errors == "streams: the server answered 429, and the content encoding cannot be decoded\n")
        let stalled = try await Tool([server.url("/stall"), "--timeout", "0.5"] + options).start().end()
        #expect(stalled.status == 22 && stalled.text == part)
        #expect(stalled.errors == "streams: the server answered 503, and the peer kept silent for too long\n")
        #expect(server.requests.count == 6)
    }

    @Test func theEventOfAnErrorWhoseBodyBreaksSaysSo() async throws {
        server.on("GET", "/cut", Reply(404, body: .text("gone for good")).failing(with: .close(at: .inBody(after: 4))))
        let run = try await Tool.run(server.url("/cut"), "--events", "-o", folder.path("file"))
        let message = "the server answered 404, and the body ended early"
        #expect(
            run.lines.last
                == #"{"event":"failed","kind":"transfer.body-ended-early","exit":22,"message":"\#(message)"}"#)
        #expect(folder.contents(of: "file") == "gone")
    }

    @Test func aFileThatExistsIsReplacedAndKeepsItsMode() async throws {
        try folder.write("a longer old content", to: "file", mode: 0o640)
        let run = try await Tool.run(server.url(), "-o", folder.path("file"))
        #expect(run.status == 0)
        #expect(folder.contents(of: "file") == "new")
        #expect(try folder.mode(of: "file") == 0o640)
    }

    /// A program that runs with another user's rights is not to be replaced by what a server sends.
    @Test func replacedFileLosesSpecialBits() async throws {
        server.on("GET", "/", .text("new"))
        try folder.write("old", to: "file", mode: 0o755)
        try #require(chmod(folder.path("file"), 0o6755) == 0)
        let run = try await Tool.run(server.url(), "-o", folder.path("file"))
        #expect(run.status == 0)
        #expect(folder.contents(of: "file") == "new")
        #expect(try folder.mode(of: "file") == 0o755)
    }

    /// While it is written, the file has at most the rights of the one that it replaces.
    @Test func unfinishedFileIsPrivate() async throws {
        let gate = Gate()
        server.on("GET", "/", Reply(body: .chunked("one", .hold(gate), "two")))
        try folder.write("old", to: "file", mode: 0o600)
        let running = try Tool([server.url(), "-o", folder.path("file")]).start()
        try await server.waitForRequests(1)
        let partial = try #require(try folder.names.first { $0 != "file" })
        #expect(try folder.mode(of: partial) == 0o600)
        gate.open()
        #expect(try await running.end().status == 0)
        #expect(folder.contents(of: "file") == "onetwo")
    }

    @Test(arguments: ["/short", "/stall"])
    func aFileThatExistsIsUntouchedByAFailure(path: String) async throws {
        server.on("GET", "/stall", .text("0123456789").failing(with: .stall(at: .inBody(after: 4))))
        try folder.write("old", to: "file")
        let run = try await Tool.run(server.url(path), "-o", folder.path("file"), "--timeout", "0.3")
        #expect(run.status != 0)
        #expect(folder.contents(of: "file") == "old")
        #expect(try folder.names == ["file"])
    }

    @Test func aSymbolicLinkStays() async throws {
        try folder.write("old", to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: "target")
        let run = try await Tool.run(server.url(), "-o", folder.path("link"))
        #expect(run.status == 0)
        #expect(folder.contents(of: "target") == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link")) == "target")
    }

    @Test func theBodyOfAnErrorIsWrittenToo() async throws {
        let run = try await Tool.run(server.url("/missing"), "-o", folder.path("file"))
        #expect(run.status == 22)
        #expect(folder.contents(of: "file") == "no such route\n")
    }

    @Test func aDeviceIsWrittenInPlace() async throws {
        let run = try await Tool.run(server.url(), "-o", "/dev/null")
        #expect(run.status == 0)
        var status = stat()
        #expect(stat("/dev/null", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test func aFIFOIsWrittenInPlace() async throws {
        let path = folder.path("fifo")
        try #require(mkfifo(path, 0o600) == 0)
        async let read = Running.onThread { try? FileHandle(forReadingAtPath: path)?.readToEnd() }
        let run = try await Tool.run(server.url(), "-o", path)
        #expect(run.status == 0)
        #expect(await read == Data("new".utf8))
        #expect(try folder.names == ["fifo"])
    }

    @Test func aClosedPipeEndsQuietly() async throws {
        server.on("GET", "/endless", .generated(1 << 40))
        let pipe = Pipe.uninherited()
        let running = try Tool([server.url("/endless")], output: pipe.fileHandleForWriting).start()
        try pipe.fileHandleForWriting.close()
        let read = try pipe.fileHandleForReading.read(upToCount: 1)
        #expect(read == Data(GeneratedBytes.bytes(0..<1)))
        try pipe.fileHandleForReading.close()
        let run = try await running.end()
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
    }

    @Test func aStandardOutputThatIsClosedIs23() async throws {
        let script = #"exec "$0" "$1" >&-"#
        let run = try await Tool.shell(script, server.url())
        #expect(run.status == 23)
        // Not some file or socket that was given the free number.
        #expect(run.errors == "streams: cannot write standard output: Bad file descriptor\n")
    }

    @Test func aNonBlockingPipeGetsEveryByte() async throws {
        let size = 20_000_000
        server.on("GET", "/large", .generated(size))
        let pipe = Pipe.uninherited()
        let number = pipe.fileHandleForWriting.fileDescriptor
        try #require(fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) == 0)
        let running = try Tool([server.url("/large")], output: pipe.fileHandleForWriting).start()
        try pipe.fileHandleForWriting.close()
        // The pipe is full before the first byte of it is read.
        try await server.waitForBackPressure()
        let reading = pipe.fileHandleForReading
        let read = await Running.onThread { (try? reading.readToEnd()) ?? Data() }
        #expect(try await running.end().status == 0)
        #expect(read.count == size)
        #expect(GeneratedBytes.matches(read, at: 0))
    }
}
