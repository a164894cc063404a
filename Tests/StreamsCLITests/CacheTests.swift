import Foundation
import StreamsLoopback
import Testing

/// The stored responses of `--cache` and `--stale-if-error`.
@Suite(.serialized) struct CacheTests {
    private let server: LoopbackServer
    private let folder: Folder

    init() throws {
        server = try LoopbackServer()
        folder = try Folder()
        server.on("GET", "/a") { request in
            if request.headers["If-None-Match"] == "\"1\"" { return .status(304) }
            return Reply(headers: ["Cache-Control": "max-age=60"], body: .generated(300_000))
        }
        server.on("GET", "/stale") { request in
            let headers: HeaderFields = ["Cache-Control": "max-age=0", "ETag": "\"1\""]
            if request.headers["If-None-Match"] == "\"1\"" { return .status(304, headers: headers) }
            return Reply(headers: headers, body: .text("stale"))
        }
    }

    private func run(_ arguments: String...) async throws -> Tool.Run {
        try await Tool.run(in: folder, ["--cache", "cache"] + arguments)
    }

    @Test func oneRunStoresForTheNext() async throws {
        for status in ["Streams; fwd=uri-miss; fwd-status=200; stored", "Streams; hit; ttl="] {
            let run = try await run("-w", "%{stderr}%{cache_status}", server.url("/a"))
            #expect(run.output.isGenerated(300_000))
            #expect(run.errors.hasPrefix(status))
        }
        #expect(server.requests.count == 1)
        #expect(try folder.mode(of: "cache") == 0o700)
    }

    @Test func aRunWithSeveralURLsStoresOnce() async throws {
        let run = try await run("-w", "%{cache_status}\n", "-o", "x", "-o", "y", server.url("/a"), server.url("/a"))
        #expect(run.lines.count == 2)
        #expect(run.lines.last?.hasPrefix("Streams; hit; ttl=") == true)
        #expect(server.requests.count == 1)
    }

    @Test func showsTheHeadOfAStoredResponse() async throws {
        _ = try await run(server.url("/stale"))
        let second = try await run("-i", "-v", "-D", "heads", server.url("/stale"))
        #expect(second.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(second.text.contains("\r\nAge: 0\r\n"))
        #expect(second.text.hasSuffix("\r\n\r\nstale"))
        #expect(second.errors.contains("* cache: Streams; fwd=stale; fwd-status=304; ttl="))
        let heads = try String(contentsOfFile: folder.path("heads"), encoding: .utf8)
        #expect(heads.components(separatedBy: "HTTP/1.1 ").map { $0.prefix(3) } == ["", "304", "200"])
    }

    @Test func answersWhileTheServerIsAway() async throws {
        let url = server.url("/stale")
        #expect(try await run(url).text == "stale")
        server.stop()
        #expect(try await run(url).status == 7)
        let run = try await run("--stale-if-error", "3600", "-w", " %{cache_status}", url)
        #expect(run.status == 0)
        #expect(run.text.hasPrefix("stale Streams; fwd=stale; ttl="))
    }

    @Test func refusesAFileAsItsFolder() async throws {
        _ = try folder.write("x", to: "cache")
        let run = try await run(server.url("/a"))
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("streams: --cache cannot use cache: "))
        #expect(try await Tool.run("--stale-if-error", "1", server.url("/a")).status == 2)
        #expect(server.requests.isEmpty)
    }

    @Test func eventsTellOfTheCache() async throws {
        _ = try await run(server.url("/a"))
        let run = try await run("--events", "-o", "x", server.url("/a"))
        #expect(
            run.lines.contains { $0.contains("\"event\":\"head\"") && $0.contains("\"cache\":\"Streams; hit; ttl=") })
    }
}
