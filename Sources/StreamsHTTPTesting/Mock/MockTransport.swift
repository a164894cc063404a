import StreamsHTTP

/// A transport that answers requests from its routes, without a network, and records them.
///
/// ```swift
/// let mock = MockTransport()
/// mock.on(.get, "/users/*", try .json(User(id: 7)))
/// mock.on(.post, "/users") { request in MockResponse(.created, body: request.body) }
/// mock.on(.get, "/flaky", .failure(.connection(.refused)), MockResponse(.serviceUnavailable), .text("at last"))
/// mock.on(.get, "/echo", .webSocket(.echo))
/// let client = HTTPClient(configuration: HTTPClient.Configuration(baseURL: url), transport: mock)
/// ```
///
/// A request's body is read and recorded before the response. A response obeys the demand of its receiver, so a slow
/// subscriber delays it. If several routes match, the most specific one answers. A request without a route fails with
/// ``MissingRoute``.
///
/// Events are delivered on the scheduler, or on the thread that allows more bytes. With a `TestScheduler`, delays and
/// timeouts take virtual time.
public final class MockTransport: HTTPTransport {
    /// A closure that creates the response of a request.
    public typealias Answer = @Sendable (MockRequest) -> MockResponse

    fileprivate enum Reply: Sendable {
        /// Responses for one request after another. The last one repeats.
        case responses([MockResponse])
        case closure(Answer)

        func response(to request: MockRequest) -> MockResponse {
            switch self {
            case .responses(let responses): responses[min(max(request.turn, 1), responses.count) - 1]
            case .closure(let answer): answer(request)
            }
        }
    }

    private struct Route: Sendable {
        let method: HTTPMethod?
        let pattern: MockPattern
        let reply: Reply
        /// The rank among the routes that match a request; the greatest in lexicographic order answers.
        let specificity: [Int]
        var requestCount = 0

        init(_ method: HTTPMethod?, _ pattern: MockPattern, _ reply: Reply) {
            self.method = method
            self.pattern = pattern
            self.reply = reply
            specificity = pattern.pathSpecificity + [method == nil ? 0 : 1, pattern.hasQuery ? 1 : 0]
        }

        func matches(_ request: TransportRequest) -> Bool {
            (method == nil || method == request.method) && pattern.matches(request.url)
        }
    }

    private struct State {
        var routes: [Route] = []
        var fallback: Reply?
        var requests: [MockRequest] = []

        /// Records a request and returns its reply; `nil` without a route and a fallback.
        mutating func record(_ request: TransportRequest) -> (Reply?, MockRequest) {
            let route = mostSpecificRoute(for: request)
            if let route { routes[route].requestCount += 1 }
            let turn = route.map { routes[$0].requestCount } ?? 0
            let recorded = MockRequest(request, number: requests.count + 1, turn: turn)
            requests.append(recorded)
            return (route.map { routes[$0].reply } ?? fallback, recorded)
        }

        /// Returns the index of the most specific route that matches a request; of equal ones, the last.
        private func mostSpecificRoute(for request: TransportRequest) -> Int? {
            var best: Int?
            for (index, route) in routes.enumerated() where route.matches(request) {
                let isLess = best.map { route.specificity.lexicographicallyPrecedes(routes[$0].specificity) } ?? false
                if !isLess { best = index }
            }
            return best
        }
    }

    private let scheduler: ExchangeScheduler
    private let state = Locked(State())

    /// Creates a transport in real time.
    public init() {
        scheduler = .realTime
    }

    /// Creates a transport whose events, delays and timeouts are on a scheduler.
    public init(scheduler: some Scheduler & Sendable) {
        self.scheduler = ExchangeScheduler(scheduler)
    }

    /// The requests so far, in the order of their starts.
    public var requests: [MockRequest] { state.withLock { $0.requests } }

    // MARK: Routes

    /// Adds a route with a response, or with one response after another. The last response repeats.
    ///
    /// If several routes match a request, the most specific one answers it, in whatever order they were added:
    ///
    /// 1. a whole URL before a path,
    /// 2. the path, segment by segment: a literal segment before `*`, and `*` before `**`,
    /// 3. a method before any method,
    /// 4. a query before none.
    ///
    /// Of equally specific routes, the one that was added last answers. So a test can replace a route of its setup.
    ///
    /// - Parameters:
    ///   - method: The method; `nil` for any.
    ///   - pattern: A path, `/users/7`, or a whole URL, `https://api.example.com/users/7`, percent-encoded. The schemes
    ///     `ws` and `wss` stand for `http` and `https`. A segment `*` stands for any one segment, and `**` at the end
    ///     for any number of segments. A query in the pattern must equal the request's; without one, any query matches.
    ///   - first: The response to the first request.
    ///   - later: The responses to the following requests.
    public func on(_ method: HTTPMethod?, _ pattern: String, _ first: MockResponse, _ later: MockResponse...) {
        add(method, pattern, .responses([first] + later))
    }

    /// Adds a route with a closure that creates the responses.
    ///
    /// - Parameters:
    ///   - method: The method; `nil` for any.
    ///   - pattern: The pattern of URLs; see ``on(_:_:_:_:)``.
    ///   - answer: Creates the response when the request's body has been read. Called on the scheduler, also for
    ///     several requests at the same time if the scheduler is concurrent.
    public func on(_ method: HTTPMethod?, _ pattern: String, answer: @escaping Answer) {
        add(method, pattern, .closure(answer))
    }

    /// Sets the closure that answers requests without a route. Replaces the previous one.
    public func otherwise(answer: @escaping Answer) {
        let old = state.withLock { state in
            defer { state.fallback = .closure(answer) }
            return state.fallback
        }
        withExtendedLifetime(old) {}
    }

    private func add(_ method: HTTPMethod?, _ pattern: String, _ reply: Reply) {
        let route = Route(method, MockPattern(pattern), reply)
        state.withLock { $0.routes.append(route) }
    }

    // MARK: Exchanges

    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        let (reply, recorded) = state.withLock { $0.record(request) }
        if let reply, request.isUpgrade {
            return SocketExchange.start(request, to: receiver, on: scheduler) {
                reply.response(to: recorded)
            } onReceipt: { [weak self] item in
                self?.state.withLock { $0.requests[recorded.number - 1].record(item) }
            }
        }
        return ScriptedExchange.start(
            Self.steps(reply, recorded, request), of: request, to: receiver, on: scheduler
        ) { [weak self] body in
            self?.state.withLock { $0.requests[recorded.number - 1] = recorded.with(body: body) }
        }
    }

    private static func steps(_ reply: Reply?, _ recorded: MockRequest, _ request: TransportRequest) -> [ExchangeStep] {
        guard let reply else {
            let error = MissingRoute(request: "\(request.method) \(Redaction.usual.redacting(request.url))")
            return [.failure(.thrown(error, by: .transport))]
        }
        switch reply {
        case .responses:
            let response = reply.response(to: recorded)
            let steps = response.steps(for: request)
            return response.isUnconnected ? steps : [.readBody(reportsProgress: true)] + steps
        case .closure:
            return [
                .readBody(reportsProgress: true),
                .makeSteps { body in reply.response(to: recorded.with(body: body)).steps(for: request) },
            ]
        }
    }
}

extension MockTransport: CustomReflectable {
    /// The received requests, without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["requests": requests], displayStyle: .class) }
}

/// The error of a request that a ``MockTransport`` has no route for. The reason of the request's failure is
/// `thrown(_:by:)` with this error.
public struct MissingRoute: Error, Hashable, CustomStringConvertible {
    /// The method and the URL of the request, without secrets.
    public let request: String

    public var description: String { "no route answers \(request)" }
}

extension MissingRoute: RedactableError {
    package func redacted(by redaction: Redaction) -> MissingRoute {
        MissingRoute(request: redaction.redactingParameters(in: request))
    }
}
