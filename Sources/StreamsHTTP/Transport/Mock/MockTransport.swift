/// Answers requests without a network, as its routes say, and records them.
///
/// ```swift
/// let mock = MockTransport()
/// mock.on(.get, "/users/*", try .json(User(id: 7)))
/// mock.on(.post, "/users") { request in MockResponse(.created, body: request.body) }
/// mock.on(.get, "/flaky", .failure(.connection(.refused)), MockResponse(.serviceUnavailable), .text("at last"))
/// let client = HTTPClient(configuration: HTTPClient.Configuration(baseURL: url), transport: mock)
/// ```
///
/// A body is read before it is answered, and recorded. A response is delivered as far as its receiver grants, so a slow
/// subscriber makes it wait. A request that no route fits fails with ``HTTPError/Unanswered/noRoute(_:)``.
///
/// Everything that happens, happens on the scheduler or on the threads that grant; with a scheduler of virtual time,
/// delays and timeouts take none.
public final class MockTransport: HTTPTransport {
    /// Makes a response of a request.
    public typealias Answer = @Sendable (MockRequest) -> MockResponse

    fileprivate enum Reply: Sendable {
        /// Known before the body is read; the last repeats.
        case values([MockResponse])
        case closure(Answer)
    }

    fileprivate struct Route: Sendable {
        let method: HTTPMethod?
        let pattern: MockPattern
        let reply: Reply
        var turns = 0
    }

    fileprivate struct State {
        var routes: [Route] = []
        var fallback: Reply?
        var requests: [MockRequest] = []
    }

    private let clock: PlayClock
    private let state = Locked(State())

    /// A transport in real time.
    public init() {
        clock = .system
    }

    /// A transport whose events, delays and timeouts are a scheduler's.
    public init(scheduler: some Scheduler & Sendable) {
        clock = PlayClock(scheduler)
    }

    /// The requests so far, in the order in which they were started.
    public var requests: [MockRequest] { state.withLock { $0.requests } }

    // MARK: Routes

    /// Answers requests with a response, or with several in turn, of which the last repeats.
    ///
    /// - Parameters:
    ///   - method: The method; `nil` for every.
    ///   - pattern: A path, `/users/7`, or a whole URL, `https://api.example.com/users/7`, percent-encoded. A segment
    ///     `*` stands for any one segment, `**` at the end for any number. A query, where there is one, must be the
    ///     same. Where several patterns fit, the one that was given last counts.
    ///   - first: The answer to the first request.
    ///   - later: The answers to those after it.
    public func on(_ method: HTTPMethod?, _ pattern: String, _ first: MockResponse, _ later: MockResponse...) {
        add(method, pattern, .values([first] + later))
    }

    /// Answers requests with what a closure makes of each, once its body has been read.
    ///
    /// The closure runs on the scheduler, for several requests at once where that allows it.
    public func on(_ method: HTTPMethod?, _ pattern: String, answer: @escaping Answer) {
        add(method, pattern, .closure(answer))
    }

    /// Answers what no route does.
    public func otherwise(answer: @escaping Answer) {
        let old = state.withLock { state in
            defer { state.fallback = .closure(answer) }
            return state.fallback
        }
        withExtendedLifetime(old) {}
    }

    private func add(_ method: HTTPMethod?, _ pattern: String, _ reply: Reply) {
        let route = Route(method: method, pattern: MockPattern(pattern), reply: reply)
        state.withLock { $0.routes.append(route) }
    }
}

extension MockTransport {
    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        let (reply, recorded) = state.withLock { $0.take(request) }
        let index = recorded.number - 1
        return PlayedExchange.start(
            Self.steps(reply, recorded, request), of: request, to: receiver, clock: clock,
            onBody: { [weak self] body in self?.note(body, at: index) })
    }

    private func note(_ body: Data, at index: Int) {
        state.withLock { state in
            state.requests[index].body = body
            state.requests[index].isBodyComplete = true
        }
    }

    private static func steps(_ reply: Reply?, _ recorded: MockRequest, _ request: TransportRequest) -> [ExchangeStep] {
        switch reply {
        case nil:
            let reason = HTTPError.Reason.unanswered(.noRoute("\(request.method) \(request.url.redactedString)"))
            return [.event(.failed(TransportFailure(reason)))]
        case .values(let responses):
            let response = responses[min(max(recorded.turn, 1), responses.count) - 1]
            let steps = response.steps(for: request)
            return response.isUnconnected ? steps : [.readBody(telling: true)] + steps
        case .closure(let answer):
            return [
                .readBody(telling: true),
                .decide { body in
                    var read = recorded
                    read.body = body
                    read.isBodyComplete = true
                    return answer(read).steps(for: request)
                },
            ]
        }
    }
}

extension MockTransport.State {
    /// Records a request, and finds who answers it.
    fileprivate mutating func take(_ request: TransportRequest) -> (MockTransport.Reply?, MockRequest) {
        let place = routes.lastIndex { route in
            route.method.map { $0 == request.method } ?? true && route.pattern.matches(request.url)
        }
        if let place { routes[place].turns += 1 }
        let recorded = MockRequest(
            request, number: requests.count + 1, turn: place.map { routes[$0].turns } ?? 0)
        requests.append(recorded)
        return (place.map { routes[$0].reply } ?? fallback, recorded)
    }
}
