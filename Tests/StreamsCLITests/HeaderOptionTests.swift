import Foundation
import StreamsLoopback
import Testing

/// The options that decide which header fields are sent: `-H`, `-A`, `-e`, `-b`, `--oauth2-bearer`, `--compressed`.
@Suite(.serialized) struct HeaderOptionTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.otherwise { _ in .text("ok") }
    }

    @Test func removesFields() async throws {
        let request = try await sent(
            "-d", "x", "-H", "Accept:", "-H", "user-agent: ", "-H", "Content-Type:", "-H", "X-None:", "-H", "Expect:")
        #expect(request.text == "x")
        for name in ["accept", "user-agent", "content-type", "x-none", "expect"] {
            #expect(request.headers.values(of: name).isEmpty, "\(name)")
        }
    }

    @Test func removesCredentials() async throws {
        let url = "http://ada:s3cret@127.0.0.1:\(server.port)/"
        let requests = [
            try await sent("-H", "Authorization:", url: url), try await sent("-u", "a:b", "-H", "Authorization:"),
            try await sent("--oauth2-bearer", "t", "-H", "Authorization:"),
            try await sent("-b", "a=1", "-H", "Cookie:"),
        ]
        for request in requests {
            #expect(request.headers["authorization"] == nil && request.headers["cookie"] == nil)
        }
    }

    @Test func removesFieldsAfterRedirectsToo() async throws {
        server.on("GET", "/old", .redirect(to: "/new"))
        let run = try await Tool.run("-H", "Accept:", "-A", "", server.url("/old"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.headers["accept"] == nil && $0.headers["user-agent"] == nil })
    }

    @Test func prefersAValueToARemoval() async throws {
        let request = try await sent("-H", "Accept: a", "-H", "Accept:")
        #expect(request.headers.values(of: "accept") == ["a"])
    }

    @Test func sendsFieldsWithoutValue() async throws {
        let request = try await sent("-H", "X-Empty;", "-H", "Accept;")
        #expect(request.headers.values(of: "x-empty") == [""])
        #expect(request.headers.values(of: "accept") == [""])
    }

    @Test func readsFieldsFromAFile() async throws {
        let folder = try Folder()
        let path = try folder.write("X-One: 1\r\n# X-Two: 2\n\nX-Three;\nAccept:\nX-Four:4", to: "headers")
        let request = try await sent("-H", "@\(path)")
        #expect(request.headers["x-one"] == "1" && request.headers["x-four"] == "4")
        #expect(request.headers.values(of: "x-three") == [""])
        #expect(request.headers["x-two"] == nil && request.headers["accept"] == nil)
        let input = try #require(FileHandle(forReadingAtPath: path))
        let run = try await Tool.run("-H", "@-", server.url("/"), input: input)
        #expect(run.status == 0, "\(run.errors)")
        #expect(server.requests.last?.headers["x-one"] == "1")
    }

    @Test func namesTheProgramAndTheReferrer() async throws {
        let request = try await sent("-A", "other/2", "-e", "http://example.com/from")
        #expect(request.headers.values(of: "user-agent") == ["other/2"])
        #expect(request.headers.values(of: "referer") == ["http://example.com/from"])
        let none = try await sent("-A", "", "-e", "")
        #expect(none.headers["user-agent"] == nil && none.headers["referer"] == nil)
        let given = try await sent("-A", "a", "-e", "b", "-H", "User-Agent: c", "-H", "Referer: d")
        #expect(given.headers.values(of: "user-agent") == ["c"] && given.headers.values(of: "referer") == ["d"])
    }

    @Test func sendsCookies() async throws {
        #expect(try await sent("-b", "a=1; b=2").headers.values(of: "cookie") == ["a=1; b=2"])
        #expect(try await sent("-b", "a=1", "-b", "b=2").headers.values(of: "cookie") == ["a=1;b=2"])
        #expect(try await sent("-b", "a=1", "-H", "Cookie: c=3").headers.values(of: "cookie") == ["c=3"])
    }

    @Test func keepsCookiesAndTokensFromOtherOrigins() async throws {
        let other = try LoopbackServer()
        other.on("GET", "/there", .text("there"))
        server.on("GET", "/away", .redirect(to: other.url("/there")))
        let run = try await Tool.run("-b", "a=s3cret", "--oauth2-bearer", "s3cret", "-v", server.url("/away"))
        #expect(run.text == "there")
        let second = try #require(other.requests.first)
        #expect(second.headers["cookie"] == nil && second.headers["authorization"] == nil)
        #expect(!run.errors.contains("s3cret"))
    }

    @Test func sendsATokenBeforeCredentials() async throws {
        let request = try await sent("-u", "a:b", "--oauth2-bearer", "token")
        #expect(request.headers.values(of: "authorization") == ["Bearer token"])
        let given = try await sent("--oauth2-bearer", "token", "-H", "Authorization: X")
        #expect(given.headers.values(of: "authorization") == ["X"])
    }

    /// A coding that `-H` asks for is written as it comes, unless the tool is told to decode it.
    @Test func decodesWhatTheOptionsSay() async throws {
        let gzip = Data(base64Encoded: "H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==") ?? Data()
        server.on("GET", "/x", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(Array(gzip))))
        let url = server.url("/x")
        #expect(try await Tool.run(url).text == "hello")
        #expect(try await Tool.run("--compressed", url).text == "hello")
        #expect(try await Tool.run("-H", "Accept-Encoding: gzip", url).output == gzip)
        #expect(try await Tool.run("-H", "Accept-Encoding: gzip", "--compressed", url).text == "hello")
        #expect(try await Tool.run("-H", "Accept-Encoding:", url).output == gzip)
        let codings = server.requests.map { $0.headers.values(of: "accept-encoding") }
        #expect(codings[0] == codings[1] && codings[0].first?.contains("gzip") == true)
        #expect(codings.suffix(3) == [["gzip"], ["gzip"], []])
    }

    @Test(arguments: [
        ["-d", "x"], ["-I"], ["-X", "PUT", "-d", ""], ["-X", "POST"], ["-T", "file"], ["-F", "a=@file", "-F", "b=c"],
        ["-H", "Host: example.com"], ["-H", "Accept:"], ["-H", "X-Empty;"], ["-T", "-"], ["-r", "0-1"],
    ]) func verboseTellsAllFieldsThatAreSent(options: [String]) async throws {
        let folder = try Folder()
        try folder.write("content", to: "file")
        let run = try await Tool.run(in: folder, ["-v", server.url("/")] + options)
        #expect(run.status == 0, "\(run.errors)")
        let told = run.errors.split(separator: "\n").filter { $0.hasPrefix("> ") }.dropFirst().map { line in
            line.dropFirst(2).trimmingCharacters(in: .whitespaces)
        }
        let sent = try #require(server.requests.first).headers.map { "\($0.name): \($0.value)" }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(told.sorted() == sent.sorted())
    }

    @Test(arguments: [
        ["-H", "Host:"], ["-H", "Content-Length:"], ["-H", "Transfer-Encoding: "], ["-H", "Name;value"],
        ["-H", "@/nonexistent"], ["-e", "http://a/;auto"], ["-A", "a\nb"],
        ["-e", "a\r"], ["-b", "a=\n"], ["--oauth2-bearer", "a b"], ["--compressed", "-H", "Accept-Encoding:"],
    ]) func refusesWhatCannotBeSent(options: [String]) async throws {
        let run = try await Tool([server.url("/")] + options).start().end()
        #expect(run.status == 2)
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(server.requests.isEmpty)
    }

    /// The last request of a run that succeeds.
    private func sent(_ options: String..., url: String? = nil) async throws -> RecordedRequest {
        let run = try await Tool([url ?? server.url("/")] + options).start().end()
        #expect(run.status == 0, "\(run.errors)")
        return try #require(server.requests.last)
    }
}
