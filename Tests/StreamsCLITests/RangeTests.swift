import Foundation
import StreamsLoopback
import Testing

/// `-r` and `-C`.
@Suite(.serialized) struct RangeTests {
    let server: LoopbackServer
    let folder: Folder

    init() throws {
        server = try LoopbackServer()
        folder = try Folder()
        server.on("GET", "/x") { request in
            guard let range = request.headers["range"] else { return .text("0123456789") }
            guard range == "bytes=4-" else { return Reply(416, headers: ["Content-Range": "bytes */10"]) }
            return Reply(206, headers: ["Content-Range": "bytes 4-9/10"], body: .text("456789"))
        }
    }

    private func run(_ arguments: String...) async throws -> Tool.Run {
        try await Tool.run(in: folder, arguments)
    }

    @Test(arguments: [("0-499", "0-499"), ("4", "4-"), ("-2", "-2"), ("0-1,4-", "0-1,4-")])
    func requestsRanges(value: String, sent: String) async throws {
        _ = try await run("-r", value, server.url("/x"))
        #expect(server.requests.first?.headers["range"] == "bytes=\(sent)")
        // A range is one of what is stored, not of what a coding makes of it.
        #expect(server.requests.first?.headers["accept-encoding"] == nil)
    }

    @Test func writesThePart() async throws {
        #expect(try await run("-r", "4-", server.url("/x")).text == "456789")
    }

    @Test func continuesAFile() async throws {
        try folder.write("0123", to: "x")
        let run = try await run("-C", "-", "-O", server.url("/x"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.contents(of: "x") == "0123456789")
        #expect(try folder.names == ["x"])
    }

    @Test func continuesAfterANumberOfBytes() async throws {
        #expect(try await run("-C", "4", server.url("/x")).text == "456789")
        #expect(try await run("-C", "0", server.url("/x")).text == "0123456789")
        #expect(server.requests.map { $0.headers["range"] } == ["bytes=4-", nil])
    }

    @Test func replacesAFileThatIsContinuedAfterNothing() async throws {
        try folder.write("0123", to: "x")
        let run = try await run("-C", "0", "-o", "x", server.url("/x"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.contents(of: "x") == "0123456789")
    }

    @Test func keepsWhatAFailureLeavesForTheNextRun() async throws {
        server.on("GET", "/y") { request in
            request.headers["range"] == nil
                ? Reply(body: .text("0123456789")).failing(with: .close(at: .inBody(after: 4)))
                : Reply(206, headers: ["Content-Range": "bytes 4-9/10"], body: .text("456789"))
        }
        #expect(try await run("-C", "-", "-o", "y", server.url("/y")).status == 18)
        #expect(folder.contents(of: "y") == "0123")
        #expect(try await run("-C", "-", "-o", "y", server.url("/y")).status == 0)
        #expect(folder.contents(of: "y") == "0123456789")
    }

    @Test func leavesACompleteFile() async throws {
        try folder.write("0123456789", to: "x")
        let run = try await run("-C", "-", "-O", server.url("/x"))
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        #expect(folder.contents(of: "x") == "0123456789")
    }

    /// Only the rest of a file may follow its beginning.
    @Test func appendsNothingElse() async throws {
        try folder.write("0123", to: "x")
        server.on("GET", "/whole", .text("0123456789"))
        server.on("GET", "/other", Reply(206, headers: ["Content-Range": "bytes 5-9/10"], body: .text("56789")))
        for path in ["/whole", "/other"] {
            let run = try await run("-C", "-", "-o", "x", server.url(path))
            #expect(run.status == 33)
            #expect(run.errors == "streams: the server does not continue after 4 bytes, as -C asks for\n")
        }
        #expect(try await run("-C", "-", "-o", "x", server.url("/missing")).status == 22)
        #expect(folder.contents(of: "x") == "0123")
    }

    @Test(arguments: [
        ["-r", "a"], ["-r", ""], ["-r", "-"], ["-C", "x"], ["-C", "-1"], ["-C", ""], ["-r", "0-1", "-C", "2"],
        ["-C", "2", "-d", "x"], ["-C", "2", "-T", "file"], ["-C", "2", "-I"], ["-C", "99999999999999999999"],
    ]) func refusesWhatIsNoRange(options: [String]) async throws {
        let run = try await Tool([server.url("/x")] + options).start().end()
        #expect(run.status == 2)
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(server.requests.isEmpty)
    }
}
