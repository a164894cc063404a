/// A scripted HTTP/1.1 and HTTP/2 server on the local machine, for tests of HTTP clients and for demonstrations.
///
/// ```swift
/// let server = try LoopbackServer()
/// server.on("GET", "/greeting", .text("hello"))
/// server.on("GET", "/flaky", .status(503), .status(503), .json(#"{"ok":true}"#))
/// server.on("POST", "/echo") { request in .bytes(request.body) }
/// server.on("GET", "/broken", .generated(1 << 20).failing(with: .reset(at: .inBody(after: 1000))))
/// server.on("GET", "/events", feed: FeedScript(.serverSentEvents, count: 9, .elements(4, then: .reset), .elements()))
///
/// // ... send requests to server.url("/greeting") ...
///
/// let requests = try await server.waitForRequests(3)
/// ```
///
/// A connection that begins with the preface of HTTP/2 is served by HTTP/2 in clear text with prior knowledge (RFC 9113
/// section 3.3), with the same routes, replies, gates and journal. The streams of a connection are served concurrently.
/// ``Fault/HTTP2`` has the faults of streams and frames, ``HTTP2Settings`` what the server demands of its clients, and
/// ``http2Connections`` what they have sent.
///
/// A server runs from its creation until ``stop()`` or its release; create one for each test. Each connection has its
/// own thread, which parses requests strictly, replies in order and keeps the connection alive as HTTP/1.1 requires; with
/// HTTP/2, each stream has one more. A request without a route gets status 404. A malformed request gets a 4xx or 5xx
/// status, and its connection is closed; with HTTP/2, a RST_STREAM or a GOAWAY.
public final class LoopbackServer: Sendable {
    /// An address to listen on.
    public enum Address: Sendable, Hashable {
        /// A free port of 127.0.0.1.
        case loopback
        /// A unix-domain socket, which is created at this path and removed when the server stops. The path must not
        /// exist.
        case unixSocket(path: String)
    }

    /// The limits of a server.
    public struct Limits: Sendable, Hashable {
        /// The number of bytes of each request's body that are recorded. All bytes are counted.
        public var recording: Int
        /// The maximum size of a request's head. A larger one gets status 431.
        public var head: Int
        /// The size of each connection's kernel buffers in both directions; `nil` for the system's default. With small
        /// buffers, backpressure shows early.
        public var socketBuffers: Int?

        /// Creates limits. The defaults suit most tests.
        public init(recording: Int = 64 * 1024, head: Int = 64 * 1024, socketBuffers: Int? = nil) {
            self.recording = max(0, recording)
            self.head = max(0, head)
            self.socketBuffers = socketBuffers
        }
    }

    /// The address that the server listens on.
    public let address: Address
    /// The TCP port; zero for a unix-domain socket.
    public let port: Int

    private let routes = RouteTable()
    private let recorder = Recorder()
    private let acceptor: Acceptor

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - address: The address to listen on.
    ///   - limits: The limits of the server.
    ///   - http2: The settings of connections of HTTP/2.
    /// - Throws: ``LoopbackError/cannotListen(on:code:)``.
    public init(
        on address: Address = .loopback, limits: Limits = Limits(), http2: HTTP2Settings = HTTP2Settings()
    ) throws(LoopbackError) {
        self.address = address
        let listener: Socket
        switch address {
        case .loopback:
            listener = try .listeningOnLoopback()
            port = listener.port
        case .unixSocket(let path):
            listener = try .listening(atPath: path)
            port = 0
        }
        acceptor = try Acceptor(listener, on: address, routes: routes, recorder: recorder, limits: limits, http2: http2)
    }

    deinit {
        stop()
    }

    /// Returns the URL of a path on this server. With a unix-domain socket, the host is `localhost`.
    ///
    /// - Parameter path: The path, which begins with a slash and may have a query. It is not encoded.
    public func url(_ path: String = "/") -> String {
        switch address {
        case .loopback: "http://127.0.0.1:\(port)\(path)"
        case .unixSocket: "http://localhost\(path)"
        }
    }

    /// Closes all connections, waits until all threads have ended and all descriptors are closed, and removes the
    /// routes. The journal remains.
    ///
    /// Idempotent, and callable from any thread. Waits for running handlers, unless it is called by one of them: then
    /// it returns immediately.
    public func stop() {
        acceptor.stop()
        routes.removeAll()
    }

    // MARK: Routes

    /// Sets the reply to a method and a path, or several replies in turn, of which the last repeats.
    ///
    /// - Parameters:
    ///   - method: The method, in capitals. A route of GET also serves HEAD, unless HEAD has its own.
    ///   - path: The path, percent-encoded as on the wire. The query is ignored.
    ///   - intake: The way to read the request's body.
    ///   - first: The reply to the first request.
    ///   - later: The replies to further requests.
    public func on(
        _ method: String, _ path: String, intake: Intake = .atOnce, _ first: Reply, _ later: Reply...
    ) {
        let replies = [first] + later
        on(method, path, intake: intake) { request in replies[min(request.turn, replies.count) - 1] }
    }

    /// Sets a closure that creates the replies to a method and a path.
    ///
    /// The closure runs on the thread of the connection or the stream, concurrently with others. `intake` determines how much
    /// of the body has been read by then. The closure should not block, because ``stop()`` waits for it; use the delays
    /// and gates of a reply instead. The server retains the closure until it stops, so the closure must capture the
    /// server weakly. A new route replaces the old one.
    public func on(
        _ method: String, _ path: String, intake: Intake = .atOnce,
        reply handler: @escaping @Sendable (RecordedRequest) -> Reply
    ) {
        routes.set(RouteTable.Route(intake: intake, handler: handler), method: method, path: path)
    }

    /// Sets a feed as the reply to a method and a path.
    ///
    /// - Parameters:
    ///   - method: The method, in capitals.
    ///   - path: The path, percent-encoded as on the wire. The query is ignored, except for the feed's cursor.
    ///   - feed: The feed. The requests of this route are its turns.
    public func on(_ method: String, _ path: String, feed: FeedScript) {
        on(method, path) { request in feed.reply(to: request) }
    }

    /// Sets a closure that creates the replies to requests without a route, instead of status 404.
    public func otherwise(intake: Intake = .atOnce, reply handler: @escaping @Sendable (RecordedRequest) -> Reply) {
        routes.setFallback(RouteTable.Route(intake: intake, handler: handler))
    }
}

extension LoopbackServer.Address: CustomStringConvertible {
    public var description: String {
        switch self {
        case .loopback: "127.0.0.1"
        case .unixSocket(let path): path
        }
    }
}

// MARK: Names of other types

extension LoopbackServer {
    /// The record of a server's requests and connections up to a moment.
    public typealias Journal = StreamsLoopback.Journal
    /// The record of a connection of HTTP/2.
    public typealias HTTP2Connection = StreamsLoopback.Journal.HTTP2Connection
    /// The settings that a server sends at the beginning of each connection of HTTP/2, and holds its clients to.
    public typealias HTTP2Settings = StreamsLoopback.HTTP2Settings
    /// A frame that a script writes as it is, valid or not.
    public typealias HTTP2Frame = StreamsLoopback.HTTP2Frame
    /// The reason for the end of a stream or a connection of HTTP/2.
    public typealias HTTP2ErrorCode = StreamsLoopback.HTTP2ErrorCode
}

// MARK: Observation

extension LoopbackServer {
    /// The journal of the server up to now.
    public var journal: Journal { recorder.journal }

    /// The requests so far, in the order in which their heads were received.
    public var requests: [RecordedRequest] { journal.requests }

    /// The number of bytes of content of all replies that the kernel has accepted so far.
    public var bytesWritten: Int { journal.bytesWritten }

    /// The number of connections accepted so far.
    public var acceptedConnections: Int { journal.acceptedConnections }

    /// The number of open connections.
    public var openConnections: Int { journal.openConnections }

    /// The connections of HTTP/2 so far, in the order in which they began.
    public var http2Connections: [HTTP2Connection] { journal.http2Connections }

    /// Waits until the journal meets a condition.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time to wait.
    ///   - condition: The condition. It is evaluated now and after changes, in the caller's task. Changes in quick
    ///     succession may share an evaluation.
    /// - Returns: The journal that met the condition.
    /// - Throws: ``LoopbackError/timedOut(_:)``, `CancellationError`, or an error of the condition.
    @discardableResult
    public func wait(
        within timeout: Duration = .seconds(60), until condition: (Journal) throws -> Bool
    ) async throws -> Journal {
        try await recorder.wait(within: timeout) { try condition($0) ? .met($0) : .unmet }
    }

    /// Waits until the heads of a number of requests have been received, counted from the server's start.
    ///
    /// - Returns: All requests that have been received.
    /// - Throws: ``LoopbackError/timedOut(_:)`` or `CancellationError`.
    @discardableResult
    public func waitForRequests(_ count: Int, within timeout: Duration = .seconds(60)) async throws -> [RecordedRequest]
    {
        try await wait(within: timeout) { $0.requests.count >= count }.requests
    }

    /// Waits until the client has disconnected before the reply to its request was complete.
    ///
    /// - Parameter number: The request's number, from 1. The request may not have been received yet.
    /// - Throws: ``LoopbackError/impossible(_:)`` when the exchange ended another way, ``LoopbackError/timedOut(_:)``
    ///   or `CancellationError`.
    @discardableResult
    public func waitForDisconnection(
        of number: Int = 1, within timeout: Duration = .seconds(60)
    ) async throws -> RecordedRequest {
        try await recorder.wait(within: timeout) { journal in
            guard let request = journal.request(number) else { return .unmet }
            if request.state == .disconnected { return .met(request) }
            guard !request.state.isEnd else { throw LoopbackError.impossible("request \(number) has \(request.state)") }
            return .unmet
        }
    }

    /// Waits until a reply is blocked: the kernel has accepted no bytes of it for a duration, because the client does
    /// not read.
    ///
    /// - Throws: ``LoopbackError/impossible(_:)`` when the exchange ended, ``LoopbackError/timedOut(_:)`` or
    ///   `CancellationError`.
    @discardableResult
    public func waitForBackPressure(
        on number: Int = 1, lasting duration: Duration = .milliseconds(100), within timeout: Duration = .seconds(60)
    ) async throws -> RecordedRequest {
        try await recorder.wait(within: timeout) { journal in
            guard let request = journal.request(number) else { return .unmet }
            guard !request.state.isEnd else { throw LoopbackError.impossible("request \(number) has \(request.state)") }
            guard let since = request.blockedSince else { return .unmet }
            return since + duration <= .now ? .met(request) : .notBefore(since + duration)
        }
    }
}
