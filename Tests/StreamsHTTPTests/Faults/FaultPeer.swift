import StreamsHTTP
import StreamsLoopback

/// A server, a proxy or an address that misbehaves.
enum FaultPeer: Sendable {
    /// A URL without a server of the test.
    case address(String)
    /// A port that accepts no connection, and refuses none.
    case unaccepting
    /// A server that reads nothing, of connections that the system has accepted.
    case unreading
    /// A server with these replies, of which the last repeats.
    case replies([Reply], scheme: String = "http")
    /// A server that redirects to a generated response of 1000 bytes, by responses with this body.
    case redirecting(body: Reply.Body, Fault? = nil)
    /// A server with a list of three pages that link to one another, of which one breaks: always, or the first time.
    case list(breaking: Int, isMended: Bool = false)
    /// A server that treats each connection as the closure does.
    case connection(scheme: String = "http", @Sendable (RawConnection) -> Void)
    /// A proxy that treats each connection as the closure does, for a URL without a server.
    case proxy(scheme: String = "http", to: String, @Sendable (RawConnection) -> Void)
    /// A proxy at a URL without a server.
    case proxyAddress(String)
    /// nginx.
    case nginx(trusted: Bool = true, @Sendable (Nginx) -> String)
    /// A server behind nginx, which adds TLS.
    case secured(Reply)

    /// The number of pages of a list.
    static let pageCount = 3

    static func reply(_ reply: Reply) -> FaultPeer { .replies([reply]) }

    /// A server that replies with these bytes, and closes the connection.
    static func text(_ text: String) -> FaultPeer {
        .reply(Reply().failing(with: .garbage(Array(text.utf8))))
    }

    /// A server that replies with a beginning, and then with a text again and again.
    static func endless(_ beginning: String, _ text: String) -> FaultPeer {
        .connection { $0.writeEndlessly(beginning, text) }
    }

    /// A server whose first connection breaks at its second request.
    ///
    /// - Parameter next: The reply on other connections; `nil` if they break too.
    static func breakingWhenReused(next: String? = nil, isReset: Bool = false) -> FaultPeer {
        .connection { connection in
            guard connection.readRequest() != nil else { return }
            if connection.number > 1 {
                if let next { connection.write(next) }
                return
            }
            connection.write("HTTP/1.1 307 Temporary Redirect\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n")
            guard connection.readRequest() != nil, isReset else { return }
            connection.resetOnClose()
        }
    }

    var needsNginx: Bool {
        switch self {
        case .nginx, .secured: true
        case .address, .unaccepting, .unreading, .replies, .redirecting, .list, .connection, .proxy, .proxyAddress:
            false
        }
    }

    /// Starts the peer.
    func start() async throws -> StartedPeer {
        switch self {
        case .address(let url):
            return StartedPeer(url: url)
        case .unaccepting:
            let listener = try FullListener()
            return StartedPeer(url: listener.url, server: listener)
        case .unreading:
            let server = try BacklogServer()
            return StartedPeer(url: server.url, server: server)
        case .replies(let replies, let scheme):
            let server = try LoopbackServer()
            server.otherwise { replies[min($0.turn, replies.count) - 1] }
            return StartedPeer(url: "\(scheme)://127.0.0.1:\(server.port)/", server: server)
        case .redirecting(let body, let fault):
            let server = try LoopbackServer()
            var redirect = Reply.redirect(to: "/next")
            redirect.body = body
            server.on("GET", "/", fault.map { redirect.failing(with: $0) } ?? redirect)
            server.on("GET", "/next", .generated(1000))
            return StartedPeer(url: server.url("/"), server: server)
        case .list(let broken, let isMended):
            let server = try LoopbackServer()
            for page in 1...Self.pageCount {
                var whole = Reply.text("\(page)")
                if page < Self.pageCount { whole.headers.append("Link", "</\(page + 1)>; rel=next") }
                let cut = whole.failing(with: .close(at: .inBody(after: 0)))
                server.on("GET", "/\(page)", page == broken ? cut : whole, page == broken && !isMended ? cut : whole)
            }
            return StartedPeer(url: server.url("/1"), server: server)
        case .connection(let scheme, let serve):
            let server = try RawServer(serve)
            return StartedPeer(url: server.url.replacing("http:", with: "\(scheme):") + "/", server: server)
        case .proxy(let scheme, let url, let serve):
            let server = try RawServer(serve)
            return StartedPeer(url: url, proxy: server.url.replacing("http:", with: "\(scheme):"), server: server)
        case .proxyAddress(let proxy):
            return StartedPeer(url: "http://name.invalid/", proxy: proxy)
        case .nginx(let isTrusted, let url):
            let nginx = try await Nginx.shared.value
            return StartedPeer(url: url(nginx), trustFile: isTrusted ? nginx.authority : nil)
        case .secured(let reply):
            let nginx = try await Nginx.shared.value
            let server = try LoopbackServer()
            server.otherwise { _ in reply }
            let url = nginx.secureURL("/proxy/?port=\(server.port)")
            return StartedPeer(url: url, trustFile: nginx.authority, server: server)
        }
    }
}

extension RawConnection {
    /// The number of bytes after which an endless reply ends, and the failure is another one: more than sockets buffer.
    private static let most = 32 << 20

    func writeEndlessly(_ beginning: String, _ text: String) {
        guard readRequest() != nil, write(beginning) else { return }
        let bytes = Array(String(repeating: text, count: max(10_000 / text.utf8.count, 1)).utf8)
        for _ in 0..<Self.most / bytes.count where !write(bytes) { return }
    }
}

/// A peer that runs until it is released.
struct StartedPeer: Sendable {
    let url: String
    var proxy: String?
    var trustFile: String?
    var server: (any Sendable)?

    /// The options for requests to the peer.
    func options(_ setting: FaultSetting) -> RequestOptions {
        var options = RequestOptions()
        setting.apply(&options)
        options.connection.proxy = proxy.map { .url($0) } ?? .none
        if let trustFile { options.connection.trustRoots = .file(path: trustFile) }
        return options
    }
}
