import Foundation
import StreamsLoopback
import Testing

/// `--url`, and the folders of outputs.
@Suite(.serialized) struct OutputFolderTests {
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

    // MARK: --url

    @Test func takesURLsInTheirOrder() async throws {
        let run = try await run("--url", server.url("/a"), server.url("/b"), "--url=" + server.url("/{c,d}"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == "/a/b/c/d")
    }

    @Test func takesAMethodBesideIt() async throws {
        let run = try await run("--url", server.url("/a"), "DELETE")
        #expect(run.status == 0, "\(run.errors)")
        #expect(server.requests.map(\.method) == ["DELETE"])
    }

    @Test func takesTheURLOfADownload() async throws {
        let run = try await run("download", "--url", server.url("/a"), "-o", "x")
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.contents(of: "x") == "/a")
    }

    @Test func takesNoCommandForAURL() async throws {
        for word in ["tour", "download"] {
            let run = try await run("--url", word, "-x", "http://127.0.0.1:1", "--noproxy", "")
            #expect(run.status == 7)
            #expect(run.errors.hasPrefix("streams: GET http://\(word): "), "\(run.errors)")
        }
    }

    // MARK: --output-dir, --create-dirs

    @Test func writesToAFolder() async throws {
        try FileManager.default.createDirectory(atPath: folder.path("d"), withIntermediateDirectories: false)
        let run = try await run(
            "--output-dir", "d", server.url("/a"), "-o", "x", server.url("/b"), "-O", server.url("/c"), "-w",
            "%{filename_effective};")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == "d/x;d/b;/c;")
        #expect(folder.contents(of: "d/x") == "/a" && folder.contents(of: "d/b") == "/b")
    }

    @Test func createsFoldersOnlyOnDemand() async throws {
        let failed = try await run("--output-dir", "d", server.url("/a"), "-O")
        #expect(failed.status == 23)
        #expect(try folder.names.isEmpty)
        let run = try await run(
            "--output-dir", "d", "--create-dirs", server.url("/{a,b}"), "-o", "#1/x", server.url("/c"), "-O")
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.contents(of: "d/a/x") == "/a" && folder.contents(of: "d/b/x") == "/b")
        #expect(folder.contents(of: "d/c") == "/c")
        // The mode of curl.
        #expect(try folder.mode(of: "d/a") == 0o750)
    }

    @Test func putsANamedFileInTheFolder() async throws {
        let reply = Reply(headers: ["Content-Disposition": "attachment; filename=../named"], body: .text("N"))
        server.on("GET", "/a", reply)
        let run = try await run(
            "-OJ", "--output-dir", "d", "--create-dirs", server.url("/a"), "-w", "%{filename_effective}")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == "d/named")
        #expect(folder.contents(of: "d/named") == "N")
        #expect(try folder.names == ["d"])
    }

    @Test func downloadsToAFolder() async throws {
        #expect(try await run("download", "--output-dir", "d", server.url("/a")).status == 23)
        let run = try await run("download", "--output-dir", "d", "--create-dirs", server.url("/{a,b%20c}"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.contents(of: "d/a") == "/a" && folder.contents(of: "d/b c") == "/b%20c")
    }

    @Test func failsIfAFileIsInTheWay() async throws {
        try folder.write("old", to: "d")
        let run = try await run("--create-dirs", server.url("/a"), "-o", "d/x")
        #expect(run.status == 23)
        #expect(folder.contents(of: "d") == "old")
    }
}
