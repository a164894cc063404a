/// Answers requests as they were answered when a ``RecordingTransport`` was there: with the same events in the same
/// pieces, progress and failures included, and without a network.
///
/// ```swift
/// let replay = ReplayTransport(from: try RecordedSession(path: "Recordings/login"))
/// let client = HTTPClient(configuration: configuration, transport: replay)
/// ```
///
/// A request is answered with the first exchange of its kind that has not been used; one that is left with none fails
/// with ``HTTPError/Unanswered/notRecorded(_:)``. What the recording leaves out of a URL or a body does not count when
/// they are compared. Where the one that recorded gave a request up, nothing more comes. A request's body is not read,
/// unless it is compared.
public final class ReplayTransport: HTTPTransport {
    /// What must agree for an exchange to answer a request.
    public enum Matching: Hashable, Sendable {
        /// The method and the whole URL.
        case methodAndURL
        /// These, and the request's body, byte for byte.
        case methodURLAndBody
    }

    /// When events come.
    public enum Pace: Hashable, Sendable {
        /// As soon as there is room for them.
        case atOnce
        /// As far apart as they were.
        case asRecorded
    }

    private let session: RecordedSession
    private let matching: Matching
    private let pace: Pace
    private let clock: PlayClock
    /// The exchanges that have not been used, by their places.
    private let unused: Locked<[Int]>

    /// A transport that waits in real time, where it waits.
    public convenience init(
        from session: RecordedSession, matching: Matching = .methodAndURL, pace: Pace = .atOnce
    ) {
        self.init(from: session, matching: matching, pace: pace, clock: .system)
    }

    /// A transport whose events come on a scheduler.
    public convenience init(
        from session: RecordedSession, matching: Matching = .methodAndURL, pace: Pace = .atOnce,
        scheduler: some Scheduler & Sendable
    ) {
        self.init(from: session, matching: matching, pace: pace, clock: PlayClock(scheduler))
    }

    private init(from session: RecordedSession, matching: Matching, pace: Pace, clock: PlayClock) {
        self.session = session
        self.matching = matching
        self.pace = pace
        self.clock = clock
        unused = Locked(Array(session.exchanges.indices))
    }

    /// The exchanges that no request has been answered with.
    public var remaining: [RecordedExchange] {
        unused.withLock { $0 }.map { session.exchanges[$0] }
    }

    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        let steps: [ExchangeStep] =
            switch matching {
            case .methodAndURL: recorded(for: request, body: nil)
            case .methodURLAndBody:
                [.readBody(telling: false), .decide { [self] body in recorded(for: request, body: body) }]
            }
        return PlayedExchange.start(steps, of: request, to: receiver, clock: clock)
    }

    /// The longest that is waited for: a hundred years, in microseconds.
    private static let longest: Double = 3.2e15

    private func recorded(for request: TransportRequest, body: Data?) -> [ExchangeStep] {
        let url = session.redaction.redacting(url: request.url.absoluteString)
        let body = body.map { session.redaction.redacting(body: $0, contentType: request.headers["Content-Type"]) }
        guard let exchange = take(request.method.rawValue, url, body) else {
            return [.event(.failed(TransportFailure(.unanswered(.notRecorded("\(request.method) \(url)")))))]
        }
        var time = 0.0
        return exchange.events.flatMap { event -> [ExchangeStep] in
            defer { time = event.at }
            let step = event.step(url: request.url)
            guard pace == .asRecorded, event.at > time else { return [step] }
            // A recording is a file, and may say anything.
            return [.wait(.microseconds(Int64(min((event.at - time) * 1000, Self.longest)))), step]
        }
    }

    private func take(_ method: String, _ url: String, _ body: Data?) -> RecordedExchange? {
        unused.withLock { unused in
            let place = unused.firstIndex { index in
                let request = session.exchanges[index].request
                return request.method == method && request.url == url
                    && body.map { $0 == request.body?.data ?? Data() } ?? true
            }
            return place.map { session.exchanges[unused.remove(at: $0)] }
        }
    }
}
