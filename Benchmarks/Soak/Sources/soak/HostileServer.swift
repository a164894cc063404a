import Foundation
import StreamsLoopback

/// The server of a soak: bodies that are right, and every fault of a plain connection.
enum HostileServer {
    /// A route with a right response.
    struct Route: Sendable {
        let path: String
        let size: Int
        let framing: Reply.Body.Framing

        /// Whether a client can tell the end of the body from that of the server.
        var isBounded: Bool { framing != .untilClose }
    }

    static let routes: [Route] = [0, 1, 1000, 20_000, 200_000].flatMap { size in
        [("length", .length), ("chunked", .chunked), ("close", .untilClose)].map { name, framing in
            Route(path: "/\(name)/\(size)", size: size, framing: framing)
        }
    }

    /// The number of events of the feed.
    static let eventCount = 60

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// A reply for each kind of fault.
    static let faults: [Reply] =
        [
            .close(at: .beforeHead), .reset(at: .beforeHead), .stall(at: .beforeHead), .close(at: .inHead(after: 20)),
            .reset(at: .inHead(after: 20)), .stall(at: .inHead(after: 20)), .close(at: .inBody(after: 5000)),
            .reset(at: .inBody(after: 5000)), .stall(at: .inBody(after: 5000)), .close(at: .afterReply),
            .reset(at: .afterReply), .malformedChunkSize(after: 5000), .oversizedHead(bytes: 1 << 20), .garbage(),
            .drip(bytes: 500, every: .milliseconds(5)),
        ].map { Reply.generated(10_000, framing: .chunked).failing(with: $0) }
        + [
            "HTTP/4.0 200 OK\r\n\r\n", "HTTP/1.1 200OK\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello",
            "\(chunked)4\r\nhello\r\n0\r\n\r\n",
            "\(chunked)1\r\na\r\n0\r\n\(String(repeating: "a: b\r\n", count: 100_000))",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\nContent-Length: 5\r\n\r\nhello",
            "\(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 20_000))",
        ].map { Reply().failing(with: .garbage(Array($0.utf8))) }
        + [
            .status(404), .status(500), .status(503), .status(429, headers: ["Retry-After": "0"]),
            .redirect(to: "/fault/loop"), .redirect(to: "ftp://127.0.0.1/"), .redirect(to: "http://["),
        ]

    /// Serves until the process that started this one has ended.
    ///
    /// - Parameter file: The path of the file that the port is written to.
    static func serve(tellingPortIn file: String) throws {
        let server = try LoopbackServer()
        for route in routes {
            server.on("GET", route.path, .generated(route.size, framing: route.framing))
        }
        for (number, reply) in faults.enumerated() { server.on("GET", "/fault/\(number)", reply) }
        server.on("GET", "/fault/loop", .redirect(to: "/fault/loop"))
        server.on("GET", "/redirect", .redirect(to: "/length/1000"))
        server.on("POST", "/echo") { .bytes($0.body) }
        server.on("GET", "/file", .generated(200_000).tagged)
        server.on(
            "GET", "/events",
            feed: FeedScript(
                .serverSentEvents, count: eventCount, seed: 1, elements: 5...30, endings: FeedScript.Ending.allCases))
        let parent = getppid()
        try Data("\(server.port)".utf8).write(to: URL(filePath: file), options: .atomic)
        while getppid() == parent { sleep(1) }
        server.stop()
    }
}

extension Reply {
    /// The reply with a validator, so that a download of it may be resumed.
    fileprivate var tagged: Reply {
        var reply = self
        reply.headers = ["ETag": "\"1\""]
        return reply
    }
}
