/// A scripted HTTP/1.1 server on this machine, for tests of HTTP clients and for demonstrations.
///
/// ```swift
/// let server = try LoopbackServer()
/// server.on("GET", "/greeting", .text("hello"))
/// server.on("GET", "/flaky", .status(503), .status(503), .json(#"{"ok":true}"#))
/// server.on("POST", "/echo") { request in .bytes(request.body) }
/// server.on("GET", "/broken", .generated(1 << 20).failing(with: .reset(at: .inBody(after: 1000))))
///
/// // ... send requests to server.url("/greeting") ...
///
/// let requests = try await server.waitForRequests(3)
/// ```
///
/// A server serves from its creation until ``stop()`` or its release; make one for each test. Each connection has a
/// thread of its own, which reads requests strictly, answers them in order and keeps the connection alive as HTTP/1.1
/// has it. A route that does not exist is answered with 404, what is not HTTP with a 4xx or 5xx and the end of the
/// connection.
public final class LoopbackServer: Sendable {
    /// Where a server listens.
    public enum Address: Sendable, Hashable {
        /// A free port of 127.0.0.1.
        case loopback
        /// A unix-domain socket, created at this path, which must be free, and removed when the server stops.
        case unixSocket(path: String)
    }

    /// Bounds on what a server takes in.
    public struct Limits: Sendable, Hashable {
        /// The bytes of each request's body that are recorded; all are counted.
        public var recording: Int
        /// The bytes a request's head may have; a longer one is answered with 431.
        public var head: Int
        /// The size asked of the kernel for each connection's buffers in both directions, nil for the system's own
        /// choice.
        ///
        /// Small buffers make back-pressure show early.
        public var socketBuffers: Int?

        /// Bounds that suit most tests.
        public init(recording: Int = 64 * 1024, head: Int = 64 * 1024, socketBuffers: Int? = nil) {
            self.recording = max(0, recording)
            self.head = max(0, head)
            self.socketBuffers = socketBuffers
        }
    }

    /// Where the server listens.
    public let address: Address
    /// The TCP port; zero for a unix-domain socket.
    public let port: Int

    private let routes = RouteTable()
    private let recorder = Recorder()
    private let acceptor: Acceptor

    /// Starts a server.
    ///
    /// - Throws: ``LoopbackError/cannotListen(on:code:)``.
    public init(on address: Address = .loopback, limits: Limits = Limits()) throws(LoopbackError) {
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
        acceptor = try Acceptor(listener, on: address, routes: routes, recorder: recorder, limits: limits)
    }

    deinit {
        stop()
    }

    /// The URL of a path on this server; for a unix-domain socket with the host `localhost`.
    ///
    /// - Parameter path: Begins with a slash, and may have a query; it is taken as it stands.
    public func url(_ path: String = "/") -> String {
        switch address {
        case .loopback: "http://127.0.0.1:\(port)\(path)"
        case .unixSocket: "http://localhost\(path)"
        }
    }

    /// Ends every connection, waits until every thread has ended and every descriptor is closed, and forgets the
    /// routes. The journal stays.
    ///
    /// Idempotent, and callable from any thread. Handlers that run are waited for, except when one of them makes the
    /// call: then it returns at once, and the rest ends by itself.
    public func stop() {
        acceptor.stop()
        routes.removeAll()
    }

    // MARK: Routes

    /// Answers a method and a path with a reply, or with several in turn, of which the last repeats.
    ///
    /// - Parameters:
    ///   - method: The method, in capitals. A GET route answers HEAD too, where HEAD has none.
    ///   - path: The path, percent-encoded as it is on the wire; the query plays no part.
    ///   - intake: How the request's body is read.
    ///   - first: The reply to the first request.
    ///   - later: The replies to those after it.
    public func on(
        _ method: String, _ path: String, intake: Intake = .atOnce, _ first: Reply, _ later: Reply...
    ) {
        let replies = [first] + later
        on(method, path, intake: intake) { request in replies[min(request.turn, replies.count) - 1] }
    }

    /// Answers a method and a path with what a closure makes of each request.
    ///
    /// The closure runs on the connection's own thread, concurrently for several connections, with what `intake` lets
    /// it see of the body. To wait in it would hold up ``stop()``: a reply's delays and gates are the way to wait. The
    /// server keeps the closure until it stops, so one that uses the server holds it weakly. A new route takes the
    /// place of the old one.
    public func on(
        _ method: String, _ path: String, intake: Intake = .atOnce,
        reply handler: @escaping @Sendable (RecordedRequest) -> Reply
    ) {
        routes.set(RouteTable.Route(intake: intake, handler: handler), method: method, path: path)
    }

    /// Answers what no route does, in place of the 404.
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

// MARK: Observation

extension LoopbackServer {
    /// What the server has seen and done up to now.
    public var journal: Journal { recorder.journal }

    /// The requests so far, in the order their heads arrived.
    public var requests: [RecordedRequest] { journal.requests }

    /// The bytes of content the kernel has taken so far, of all replies.
    public var bytesWritten: Int { journal.bytesWritten }

    /// The connections accepted so far.
    public var acceptedConnections: Int { journal.acceptedConnections }

    /// The connections that are open now.
    public var openConnections: Int { journal.openConnections }

    /// Waits until the journal meets a condition.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait at most.
    ///   - condition: Looked at now and after each change, in the caller's task; changes in quick succession may share
    ///     a look.
    /// - Returns: the journal that met it.
    /// - Throws: ``LoopbackError/timedOut(_:)``, `CancellationError`, or what the condition throws.
    @discardableResult
    public func wait(
        within timeout: Duration = .seconds(60), until condition: (Journal) throws -> Bool
    ) async throws -> Journal {
        try await recorder.wait(within: timeout) { try condition($0) ? .met($0) : .unmet }
    }

    /// Waits until the heads of that many requests have arrived, counted from the server's start.
    ///
    /// - Returns: all requests that have arrived.
    /// - Throws: ``LoopbackError/timedOut(_:)`` or `CancellationError`.
    @discardableResult
    public func waitForRequests(_ count: Int, within timeout: Duration = .seconds(60)) async throws -> [RecordedRequest]
    {
        try await wait(within: timeout) { $0.requests.count >= count }.requests
    }

    /// Waits until the client has left before the reply to its request was complete.
    ///
    /// - Parameter number: The request's number, one for the first, whether it has arrived or not.
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

    /// Waits until a reply is held back: for that long the kernel has taken none of its bytes, as the client does not
    /// read.
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
