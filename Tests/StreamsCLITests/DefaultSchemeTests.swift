import Foundation
import StreamsLoopback
import Testing

@testable import StreamsCLI

/// URLs that begin with their host.
@Suite(.serialized) struct DefaultSchemeTests {
    let server: LoopbackServer
    /// The address of the server, with its port.
    let host: String

    init() throws {
        server = try LoopbackServer()
        server.otherwise { .text("\($0.method) \($0.target)") }
        host = "127.0.0.1:\(server.port)"
    }

    @Test(arguments: [
        ("localhost:8080/x", "http://localhost:8080/x"), ("localhost", "http://localhost"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080"), ("[::1]:8080/x", "http://[::1]:8080/x"),
        ("user:pass@h/x", "http://user:pass@h/x"), ("h?u=http://x/", "http://h?u=http://x/"), ("h#x", "http://h#x"),
        ("h/http://x", "http://h/http://x"), ("ftp.example.com", "http://ftp.example.com"),
        ("1http://h", "http://1http://h"), ("https://h", "https://h"), ("HTTP://h", "HTTP://h"),
        ("ftp://h", "ftp://h"), ("a+b-c.1:/h", "a+b-c.1:/h"), ("/x", "/x"), ("?x", "?x"), ("#x", "#x"),
        (":80/x", ":80/x"), ("//h/x", "//h/x"), ("", ""),
    ])
    func addsSchemeToHost(url: String, expected: String) {
        #expect(url.adding(.http) == expected)
        #expect(URLPattern(literal: url, scheme: .http).map(\.url) == [expected])
    }

    @Test func addsSchemeBehindPatterns() throws {
        let urls = try URLPattern("{a,https://b}[1-2].h/x", scheme: .ws).map(\.url)
        #expect(urls == ["ws://a1.h/x", "ws://a2.h/x", "https://b1.h/x", "https://b2.h/x"])
        #expect(try URLPattern("[::1]:8/{x,y}", scheme: .http).map(\.url) == ["http://[::1]:8/x", "http://[::1]:8/y"])
    }

    @Test(arguments: [[], ["-g"], ["sse", "--no-reconnect"], ["lines", "--no-reconnect"]] as [[String]])
    func requestsByHTTP(arguments: [String]) async throws {
        server.on("GET", "/x", Reply(headers: ["Content-Type": "text/event-stream"], body: .text("data: a\n\n")))
        let run = try await Tool(arguments + ["\(host)/x"]).start().end()
        #expect(run.status == 0, "\(run.errors)")
        #expect(server.requests.map(\.target) == ["/x"])
        #expect(run.text.hasPrefix(arguments.first == "sse" ? "a\n" : "data: a\n"))
    }

    @Test func requestsURLOfFile() async throws {
        let folder = try Folder()
        let path = try folder.write("url = \(host)/a\nnext\nurl = \(host)/b\n", to: "options")
        let run = try await Tool.run("-K", path)
        #expect(run.text == "GET /aGET /b", "\(run.errors)")
    }

    @Test func polls() async throws {
        server.on("GET", "/x", .text("a"), .text("gone", status: 404))
        let run = try await Tool.run("poll", "--every", "0.01", "--no-reconnect", "\(host)/x")
        #expect(run.status == 22)
        #expect(run.text == "a\n", "\(run.errors)")
    }

    @Test func takesMethodAndSeveralURLs() async throws {
        let run = try await Tool.run("M-SEARCH", "\(host)/{a,b}", "--url", "\(host)?c", host)
        #expect(run.text == "M-SEARCH /aM-SEARCH /bM-SEARCH /?cM-SEARCH /", "\(run.errors)")
    }

    @Test func takesWordAloneAsHost() async throws {
        for word in ["get", "GET"] {
            let run = try await Tool.run(word, "-x", host, "-w", "%{url}", "--noproxy", "")
            #expect(run.text == "GET http://\(word)/http://\(word)", "\(run.errors)")
        }
        let run = try await Tool.run("-x", host, "--noproxy", "", "get/", "--url", "PUT", "a-b")
        #expect(run.text == "GET http://get/GET http://PUT/GET http://a-b/", "\(run.errors)")
    }

    @Test(arguments: [
        (["get", "127.0.0.1:1"], "'get' is no method; did you mean GET?"),
        (["Delete", "localhost"], "'Delete' is no method; did you mean DELETE?"),
        (["127.0.0.1:1/", "PUT"], "'PUT' is no URL; PUT/ is a host, and a method comes first."),
        (["GET", "PUT", "127.0.0.1:1"], "'PUT' is no URL; PUT/ is a host, and a method comes first."),
        (["download", "-O", "GET", "127.0.0.1:1/x"], "'GET' is no URL; GET/ is a host, and a method comes first."),
        (["ws", "127.0.0.1:1/x", "127.0.0.1:1/y"], "streams ws has one URL, and there are 2."),
        (["127.0.0.1:1", "-O"], "'http://127.0.0.1:1' has no file name; give one with -o."),
        (["u:s3cret@127.0.0.1:1", "-O"], "'http://127.0.0.1:1' has no file name; give one with -o."),
        (["127.0.0.1:1", "--http2"], "--http2 does not upgrade http://; use --http2-prior-knowledge."),
    ])
    func refusesMisplacedWords(arguments: [String], message: String) async throws {
        let run = try await Tool(arguments).start().end()
        #expect(run.status == 2)
        #expect(run.errors == "streams: \(message) See streams --help.\n")
    }

    @Test func uploadsAndNamesFilesAndContinues() async throws {
        let folder = try Folder()
        try folder.write("body", to: "up")
        let upload = try await Tool.run(in: folder, ["-T", "up", host])
        #expect(upload.text == "PUT /up", "\(upload.errors)")
        let slash = try await Tool.run(in: folder, ["-T", "up", "\(host)/d/"])
        #expect(slash.text == "PUT /d/up", "\(slash.errors)")
        let named = try await Tool.run(in: folder, ["-O", "\(host)/a/file?q=/x"])
        #expect(named.status == 0, "\(named.errors)")
        #expect(folder.contents(of: "file") == "GET /a/file?q=/x")
        let download = try await Tool.run(in: folder, ["download", "\(host)/d/other", "-s"])
        #expect(download.status == 0, "\(download.errors)")
        #expect(folder.contents(of: "other") == "GET /d/other")
    }

    @Test func showsTheWholeURL() async throws {
        let run = try await Tool.run(
            "-v", "ann:s3cret@\(host)/x?page=2&api_key=s3cret", "-w", " %{url} %{url_effective} %{scheme}")
        let url = "http://\(host)/x?page=2&api_key="
        #expect(run.status == 0)
        #expect(run.text == "GET /x?page=2&api_key=s3cret \(url)s3cret \(url)s3cret http")
        #expect(run.errors.contains("\n* request to \(url)<hidden>\n"), "\(run.errors)")
        #expect(!run.errors.contains("s3cret"))
        let authorization = "Basic " + Data("ann:s3cret".utf8).base64EncodedString()
        #expect(server.requests.map { $0.headers["Authorization"] } == [authorization])
        let refused = try await Tool.run("ann:s3cret@127.0.0.1:1/x?sig=s3cret")
        #expect(refused.status == 7)
        #expect(refused.errors.hasPrefix("streams: GET http://127.0.0.1:1/x?sig=<hidden>: "), "\(refused.errors)")
    }

    @Test(.enabled(if: SocketServer.isExpected)) func opensWebSockets() async throws {
        let server = try await SocketServer.start()
        let run = try await Tool.run("ws", String(server.url("/say").dropFirst("ws://".count)))
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == Data("one\ntwo\nlines\n".utf8 + [0x00, 0xFF, 0x0A]))
    }
}
