import Foundation
import StreamsLoopback
import Testing

@testable import StreamsCLI

/// The command line, right and wrong.
@Suite(.serialized) struct UsageTests {
    @Test(arguments: [
        ["--bogus", "http://127.0.0.1:1/"], ["-x", "http://127.0.0.1:1/"], ["-v"], ["-Bogus", "http://127.0.0.1:1/"],
        ["GET", "PUT", "http://127.0.0.1:1/"], ["get", "http://127.0.0.1:1/"], ["http://127.0.0.1:1/", "-H"],
        ["http://127.0.0.1:1/", "-H", "no colon"], ["http://127.0.0.1:1/", "-H", "bad name: x"],
        ["http://127.0.0.1:1/", "-H", ": x"], ["http://127.0.0.1:1/", "-H", "A: b\nC: d"],
        ["http://127.0.0.1:1/", "-H", "A: b\r\nC: d"], ["http://127.0.0.1:1/", "-H", "Content-Length: 3"],
        ["http://127.0.0.1:1/", "-d", "a", "--json", "{}"],
        ["http://127.0.0.1:1/", "-d", "a", "-F", "a=b"], ["http://127.0.0.1:1/", "-T", "/dev/null", "-d", "a"],
        ["http://127.0.0.1:1/", "-F", "no equals sign"], ["http://127.0.0.1:1/", "-F", "a=\"b\"c"],
        ["http://127.0.0.1:1/", "-F", "a=b;type=x\r\ny"], ["http://127.0.0.1:1/", "-G", "-T", "/dev/null"],
        ["http://127.0.0.1:1/", "-G", "--json", "{}"], ["http://127.0.0.1:1/", "-I", "-d", "a"],
        ["GET", "http://127.0.0.1:1/", "-I"], ["GET", "http://127.0.0.1:1/", "-X", "PUT"],
        ["http://127.0.0.1:1/", "-X", "get"], ["http://127.0.0.1:1/", "-u", "no colon"], ["http://127.0.0.1:1/", "-u"],
        ["http://127.0.0.1:1/", "--key", "x.pem"], ["http://127.0.0.1:1/", "--pass", "x"],
        ["http://127.0.0.1:1/", "-w"], ["http://127.0.0.1:1/", "-w", "@/nonexistent"],
        ["http://127.0.0.1:1/", "--insecure=yes"], ["http://127.0.0.1:1/", "-k=yes"],
        ["http://127.0.0.1:1/", "--retry", "-1"], ["http://127.0.0.1:1/", "--retry", "many"],
        ["http://127.0.0.1:1/", "--retry=1.5"], ["http://127.0.0.1:1/", "--timeout", "-1"],
        ["http://127.0.0.1:1/", "--timeout", "soon"], ["http://127.0.0.1:1/", "--timeout", "nan"],
        ["http://127.0.0.1:1/", "--max-time", "1e400"], ["http://127.0.0.1:1/", "--max-bytes", "99999999999999999999"],
        ["http://127.0.0.1:1/", "--http1", "--http2"], ["http://127.0.0.1:1/", "--events=yes"],
        ["http://127.0.0.1:1/", "--progress", "loudly"], ["http://127.0.0.1:1/", "--insecure", "--cacert", "x.pem"],
        ["HEAD", "http://127.0.0.1:1/", "-d", "a"], ["tour", "--events"],
        ["http://127.0.0.1:1/", "--sensitive", "X-Key"],
        ["http://127.0.0.1:1/", "-H", "X-Key: a", "--sensitive", "X-Kee"],
    ])
    func wrongUsageIs2WithOneLine(arguments: [String]) async throws {
        let run = try await Tool(arguments).start().end()
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("streams: "))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test func anOptionThatIsNearlyRightIsPointedOut() async throws {
        let run = try await Tool.run("--max-redirect", "3", "http://127.0.0.1:1/")
        #expect(run.errors.hasSuffix("did you mean --max-redirects? See streams --help.\n"))
        let method = try await Tool.run("get", "http://127.0.0.1:1/")
        #expect(method.errors == "streams: 'get' is no method; did you mean GET? See streams --help.\n")
        let other = try await Tool.run("-v")
        #expect(other.errors == "streams: a URL is missing. See streams --help.\n")
    }

    @Test func describesRelativeURL() async throws {
        let run = try await Tool.run("/nonsense")
        #expect(run.status == 3)
        #expect(run.errors == "streams: GET /nonsense: the URL has no host; a URL begins with a host or a scheme\n")
    }

    @Test func helpAndVersionGoToStandardOutput() async throws {
        let help = try await Tool.run("http://127.0.0.1:1/", "--help")
        #expect(help.status == 0)
        #expect(help.text.hasPrefix("Usage: streams [METHOD] URL"))
        let version = try await Tool.run("--version")
        #expect(version.status == 0)
        #expect(version.text.hasPrefix("streams "))
        #expect(version.text.contains("libcurl/"))
    }

    @Test func optionsMayComeBehindTheURLAndWithAnEqualsSign() async throws {
        let server = try LoopbackServer()
        server.on("DELETE", "/thing", .text("gone"))
        let run = try await Tool.run(
            "DELETE", server.url("/thing"), "--retry=1", "-HX-One: 1", "-H", "X-Two:2", "--http1")
        #expect(run.status == 0, "\(run.errors)")
        let request = try #require(server.requests.first)
        #expect(request.headers["x-one"] == "1")
        #expect(request.headers["x-two"] == "2")
    }
}
