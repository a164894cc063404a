import Foundation
import StreamsHTTP
import StreamsLoopback

/// The server of a soak: bodies that are right, in clear text and behind TLS, lists of pages, cookies, and every fault of
/// the fault matrix.
enum HostileServer {
    /// The faults of single responses in the matrix: not those of values that cannot be decoded, of stored responses, of pages
    /// and of WebSockets.
    static let faults = FaultMatrix.cases.filter { if case .response = $0.row.use { true } else { false } }

    /// The number of events of the feed.
    static let eventCount = 60

    /// Returns the data of an event. That of a connection is larger than the buffers on its way.
    static func eventData(of number: Int) -> String {
        Data(GeneratedBytes.bytes(number * 3000..<(number + 1) * 3000)).base64EncodedString()
    }

    /// The number of bytes of a request's body that are echoed.
    static let maxEchoSize = 1 << 18

    /// The programs without which there is no TLS, and neither are its faults.
    private static let programs = [Program.nginx, .openssl, .gzip]
    static var isSecure: Bool { programs.allSatisfy { $0.path != nil } || Program.areRequired }

    /// Serves until the process that started this one has ended.
    ///
    /// - Parameter file: The path of the file that the addresses are written to.
    static func serve(tellingAddressesIn file: String) async throws {
        let parent = getppid()
        let server = try LoopbackServer(limits: LoopbackServer.Limits(recording: maxEchoSize))
        server.otherwise(reply: body)
        server.on("POST", "/echo", reply: echo)
        for page in 1...pageCount {
            server.on("GET", "/pages/\(page)") { reply(to: $0, page: page, port: server.port) }
        }
        for room in 0..<roomCount { server.on("GET", "/rooms/\(room)/visit", reply: visit) }
        var feed = FeedScript(
            .serverSentEvents, count: eventCount, seed: 1, elements: 5...30, endings: FeedScript.Ending.allCases)
        feed.content = { eventData(of: $0) }
        server.on("GET", "/events", feed: feed)
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
        return HostileAddress(StartedPeer(url: nginx.secureURL(""), trustFile: nginx.authority))
    }
}

extension HostileServer {
    /// The end of the paths of responses that may be stored.
    static let cacheableSuffix = "/cacheable"

    private static func body(_ request: RecordedRequest) -> Reply {
        let path = request.path.replacing(cacheableSuffix, with: "")
        guard var reply = BodyRoute(path: path)?.reply(to: request) else { return .status(404) }
        if path != request.path { reply.headers.append("Cache-Control", "max-age=1, stale-while-revalidate=2") }
        return reply
    }

    /// Sends a body back as it came, and so in its coding.
    private static func echo(_ request: RecordedRequest) -> Reply {
        var reply = Reply.bytes(request.body)
        if let coding = request.headers["Content-Encoding"] { reply.headers.append("Content-Encoding", coding) }
        return reply
    }

    // MARK: Pages

    /// The number of pages of the list.
    static let pageCount = 8

    /// Returns the size of a page, which tells it from the others.
    static func size(ofPage page: Int) -> Int { page * 9000 }

    /// Replies with a page. Each seventh reply breaks in the middle.
    ///
    /// - Parameter port: The port of the server, which the proxy takes from the query of the next page.
    private static func reply(to request: RecordedRequest, page: Int, port: Int) -> Reply {
        var reply = Reply.generated(size(ofPage: page))
        if page < pageCount { reply.headers.append("Link", "<\(page + 1)?port=\(port)>; rel=next") }
        guard request.turn.isMultiple(of: 7) else { return reply }
        let place = Fault.Place.inBody(after: 500)
        return reply.failing(with: request.turn.isMultiple(of: 2) ? .reset(at: place) : .close(at: place))
    }

    // MARK: Cookies

    /// The number of rooms, which have cookies of their own. A jar keeps more of them for a domain.
    private static let roomCount = 40

    /// The field with the number of an exchange, which the server makes a cookie of.
    static let visitField = "X-Visit"

    /// Returns the room of an exchange.
    static func room(of number: Int) -> Int { number % roomCount }

    /// Replies with the cookies of a request, and sets two: one that a jar must keep, and another that it gives up
    /// first when it has too many, and that expires soon.
    private static func visit(_ request: RecordedRequest) -> Reply {
        let number = request.headers[visitField] ?? ""
        var reply = Reply.text(request.headers["Cookie"] ?? "")
        reply.headers.append("Set-Cookie", "visit=\(number); Secure")
        reply.headers.append("Set-Cookie", "extra\(number)=\(number); Max-Age=1")
        return reply
    }
}
