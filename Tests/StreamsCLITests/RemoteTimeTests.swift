import Foundation
import StreamsLoopback
import Testing

/// `-R`.
@Suite(.serialized) struct RemoteTimeTests {
    let server: LoopbackServer
    let folder: Folder

    private static let field = "Tue, 15 Nov 1994 12:45:26 GMT"
    private static let seconds: time_t = 784_903_526

    init() throws {
        server = try LoopbackServer()
        folder = try Folder()
        server.on("GET", "/a", Reply(headers: ["Last-Modified": Self.field], body: .text("abc")))
    }

    private func run(_ arguments: String...) async throws -> Tool.Run {
        try await Tool.run(in: folder, arguments)
    }

    /// The times of the last change of a file and of the last access to it.
    private func times(of name: String) throws -> [time_t] {
        var status = stat()
        try #require(stat(folder.path(name), &status) == 0)
        #if canImport(Darwin)
        return [status.st_mtimespec.tv_sec, status.st_atimespec.tv_sec]
        #else
        return [status.st_mtim.tv_sec, status.st_atim.tv_sec]
        #endif
    }

    @Test(arguments: [["-o", "a"], ["-O"], ["-OJ"], ["-C", "-", "-o", "a"], ["-io", "a"]])
    func givesFileTimeOfContent(options: [String]) async throws {
        let run = try await Tool.run(in: folder, options + ["-R", server.url("/a")])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try times(of: "a") == [Self.seconds, Self.seconds])
        #expect(folder.contents(of: "a")?.hasSuffix("abc") == true)
    }

    @Test func givesTimeToContinuedFileAndTargetOfLink() async throws {
        let fields: HeaderFields = ["Last-Modified": Self.field, "Content-Range": "bytes 2-2/3"]
        server.on("GET", "/rest", Reply(206, headers: fields, body: .text("c")))
        try folder.write("ab", to: "part")
        #expect(try await run("-C", "-", "-o", "part", "--remote-time", server.url("/rest")).status == 0)
        #expect(try times(of: "part") == [Self.seconds, Self.seconds])
        #expect(folder.contents(of: "part") == "abc")
        try folder.write("old", to: "target")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "target")
        #expect(try await run("-R", "-o", "link", server.url("/a")).status == 0)
        #expect(try times(of: "target") == [Self.seconds, Self.seconds])
        #expect(folder.contents(of: "target") == "abc")
    }

    @Test(arguments: ["", "soon", "Tue, 31 Feb 2000 00:00:00 GMT", "Tue, 15 Nov 1960 12:45:26 GMT"])
    func keepsTimeWithoutValidDate(date: String) async throws {
        server.on("GET", "/b", Reply(headers: ["Last-Modified": date], body: .text("abc")))
        let start = time(nil)
        let run = try await run("-R", "-o", "b", server.url("/b"))
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(folder.contents(of: "b") == "abc")
        #expect(try times(of: "b")[0] >= start)
    }

    @Test func leavesOtherOutputsAlone() async throws {
        #expect(try await run("-R", server.url("/a")).text == "abc")
        let start = time(nil)
        let reply = Reply(404, headers: ["Last-Modified": Self.field], body: .text("no"))
        server.on("GET", "/missing", reply)
        try folder.write("old", to: "old")
        #expect(try await run("-Rf", "-o", "old", server.url("/missing")).status == 22)
        #expect(folder.contents(of: "old") == "old")
        #expect(try times(of: "old")[0] >= start)
        #expect(try await run("-R", "-o", "/dev/null", server.url("/a")).status == 0)
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
        let download = try await run("download", "-R", server.url("/a"))
        #expect(download.status == 2)
        #expect(download.errors == "streams: streams download has no -R. See streams --help.\n")
    }
}
