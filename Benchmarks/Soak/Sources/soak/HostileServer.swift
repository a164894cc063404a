import Foundation
import StreamsHTTP
import StreamsLoopback

/// The server of a soak: bodies that are right, in clear text and behind TLS, and every fault of the fault matrix.
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

    /// The faults of exchanges in the matrix: neither values that cannot be decoded, nor those of WebSockets.
    static let faults = FaultMatrix.cases.filter { !$0.row.isDecoded && $0.row.webSocket == nil }

    /// The number of events of the feed.
    static let eventCount = 60

    /// The programs without which there is no TLS, and neither are its faults.
    private static let programs = [Program.nginx, .openssl, .gzip]
    static var isSecure: Bool { programs.allSatisfy { $0.path != nil } || Program.areRequired }

    /// Serves until the process that started this one has ended.
    ///
    /// - Parameter file: The path of the file that the addresses are written to.
    static func serve(tellingAddressesIn file: String) async throws {
        let parent = getppid()
        let server = try LoopbackServer()
        for route in routes {
            server.on("GET", route.path, .generated(route.size, framing: route.framing))
        }
        server.on("POST", "/echo") { .bytes($0.body) }
        server.on("GET", "/file", .generated(200_000).tagged)
        server.on(
            "GET", "/events",
            feed: FeedScript(
                .serverSentEvents, count: eventCount, seed: 1, elements: 5...30, endings: FeedScript.Ending.allCases))
        var peers: [StartedPeer?] = []
        for fault in faults {
            let isServed = isSecure || !fault.peer.needsNginx
            peers.append(isServed ? try await fault.peer.start() : nil)
        }
        let addresses = HostileAddresses(
            port: server.port, secure: isSecure ? try await secureAddress() : nil,
            faults: peers.map { $0.map(HostileAddress.init) })
        try JSONEncoder().encode(addresses).write(to: URL(filePath: file), options: .atomic)
        while getppid() == parent { try await Task.sleep(for: .seconds(1)) }
        withExtendedLifetime(peers) { server.stop() }
    }

    /// nginx passes requests on to the port that their query names.
    private static func secureAddress() async throws -> HostileAddress {
        let nginx = try await Nginx.shared.value
        return HostileAddress(StartedPeer(url: nginx.secureURL("/unbuffered"), trustFile: nginx.authority))
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
