import StreamsLoopback
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The server with a client of HTTP/2 that others have written.
@Suite(.enabled(if: Curl.isInstalled, "curl with HTTP/2 is not installed"), .serialized) struct CurlTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(http2: LoopbackServer.HTTP2Settings(maxConcurrentStreams: 10))
    }

    @Test func servesAReply() throws {
        server.on(
            "GET", "/",
            Reply(headers: ["X-One": "1"], body: .chunked("one", "two"))
                .preceded(by: 103, headers: ["Link": "</a>"]).with(trailers: ["X-Sum": "6"]))
        let output = try Curl.run("-i", server.url())
        #expect(
            output == "HTTP/2 103 \r\nlink: </a>\r\n\r\nHTTP/2 200 \r\nx-one: 1\r\n\r\nonetwox-sum: 6\r\n"
                || output == "HTTP/2 103 \r\nlink: </a>\r\n\r\nHTTP/2 200 \r\nx-one: 1\r\n\r\nonetwo")
        #expect(server.requests[0].version == "HTTP/2")
        #expect(server.requests[0].authority == "127.0.0.1:\(server.port)")
        #expect(server.journal.rejections == [])
    }

    @Test func servesAnUploadAndADownload() throws {
        server.on("POST", "/", reply: { .bytes($0.body.reversed()) })
        server.on("GET", "/large", .generated(3_000_000))
        #expect(try Curl.run("--data-binary", "0123456789", server.url()) == "9876543210")
        let count = try Curl.run("-w", "%{size_download} %{http_version}", "-o", "/dev/null", server.url("/large"))
        #expect(count == "3000000 2")
        #expect(server.journal.rejections == [])
    }

    @Test func servesManyConnections() throws {
        server.otherwise { request in Reply.text("<\(request.path)>").delayed(by: .milliseconds(20)) }
        // Old versions of curl fail with several streams of a connection with prior knowledge.
        let output = try Curl.run("-Z", "--parallel-immediate", server.url("/[1-30]"))
        #expect(output.split(separator: ">").sorted() == (1...30).map { "</\($0)" }.sorted())
        #expect(server.journal.rejections == [])
    }

    @Test(arguments: [
        Fault.HTTP2.resetStream(.internalError, at: .inBody(after: 2)),
        .frames([.init(type: 6, on: .connection, payload: [1])], at: .beforeHead),
        .frames([.headers(block: [0x80])], at: .beforeHead), .resetConnection(at: .inBody(after: 2)),
    ])
    func failsByTheFault(fault: Fault.HTTP2) throws {
        server.on("GET", "/", Reply.text("text").failing(with: fault))
        #expect(try Curl.run("-w", "%{exitcode}", "-o", "/dev/null", server.url()) != "0")
        #expect(server.requests.first?.version == "HTTP/2")
    }
}

/// The tool curl.
enum Curl {
    struct Failure: Error {}

    /// Whether curl is installed and has HTTP/2.
    static let isInstalled = (try? output(of: "curl --version"))?.contains("HTTP2") == true

    /// Returns what a silent run with prior knowledge of HTTP/2 prints.
    static func run(_ arguments: String...) throws -> String {
        let quoted = arguments.map { "'\($0)'" }.joined(separator: " ")
        return try output(of: "curl -s -m 20 --noproxy '*' --http2-prior-knowledge \(quoted)")
    }

    private static func output(of command: String) throws -> String {
        guard let pipe = popen("\(command) 2>/dev/null", "r") else { throw Failure() }
        defer { pclose(pipe) }
        var output: [UInt8] = []
        while true {
            let byte = fgetc(pipe)
            guard byte != EOF else { break }
            output.append(UInt8(truncatingIfNeeded: byte))
        }
        return String(decoding: output, as: UTF8.self)
    }
}
