import StreamsHTTP

/// A transport that replays a recording of a ``RecordingTransport``, without a network.
///
/// ```swift
/// let replay = ReplayTransport(from: try RecordedSession(path: "Recordings/login"))
/// let client = HTTPClient(configuration: configuration, transport: replay)
/// ```
///
/// Each request gets the events of the first unused exchange that matches it: the same chunks, progress and failures.
/// An exchange that was aborted delivers its events and then nothing more. A request without an exchange fails with
/// ``MissingRecording``, and so does one that asks for a WebSocket. Redacted values are not compared, and a request's
/// body is read only if it is compared.
public final class ReplayTransport: HTTPTransport {
    /// The parts of a request that must equal those of an exchange.
    public enum Matching: Hashable, Sendable {
        /// The method and the whole URL.
        case methodAndURL
        /// The method, the whole URL and the bytes of the body, decoded if it has a `Content-Encoding`.
        case methodURLAndBody
    }

    /// The timing of the events.
    public enum Pace: Hashable, Sendable {
        /// Events are delivered as soon as possible.
        case atOnce
        /// Events are delivered with the recorded delays between them.
        case asRecorded
    }

    private let session: RecordedSession
    private let matching: Matching
    private let pace: Pace
    private let scheduler: ExchangeScheduler
    /// The indices of the exchanges that have not been used.
    private let unused: Locked<[Int]>

    /// Creates a transport whose delays are in real time.
    public convenience init(
        from session: RecordedSession, matching: Matching = .methodAndURL, pace: Pace = .atOnce
    ) {
        self.init(session, matching, pace, .realTime)
    }

    /// Creates a transport whose events are delivered on a scheduler.
    public convenience init(
        from session: RecordedSession, matching: Matching = .methodAndURL, pace: Pace = .atOnce,
        scheduler: some Scheduler & Sendable
    ) {
        self.init(session, matching, pace, ExchangeScheduler(scheduler))
    }

    private init(_ session: RecordedSession, _ matching: Matching, _ pace: Pace, _ scheduler: ExchangeScheduler) {
        self.session = session
        self.matching = matching
        self.pace = pace
        self.scheduler = scheduler
        unused = Locked(Array(session.exchanges.indices))
    }

    /// The exchanges that no request has used.
    public var remaining: [RecordedExchange] {
        unused.withLock { $0 }.map { session.exchanges[$0] }
    }

    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        let script: [ExchangeStep] =
            switch matching {
            case _ where request.isUpgrade: [missing(request)]
            case .methodAndURL: steps(for: request, body: nil)
            case .methodURLAndBody:
                [.readBody(reportsProgress: false), .makeSteps { [self] body in steps(for: request, body: body) }]
            }
        return ScriptedExchange.start(script, of: request, to: receiver, on: scheduler)
    }

    /// The longest delay between two events in microseconds, a hundred years.
    private static let maxDelay: Double = 3.2e15

    private func steps(for request: TransportRequest, body: Data?) -> [ExchangeStep] {
        let url = session.redaction.redacting(url: request.url.absoluteString)
        let body = body.map { session.redaction.redacting(requestBody: $0, request.headers) }
        guard let exchange = takeExchange(request.method.rawValue, url, body) else { return [missing(request)] }
        var time = 0.0
        return exchange.events.flatMap { event -> [ExchangeStep] in
            defer { time = event.at }
            let step = event.step(url: request.url)
            guard pace == .asRecorded, event.at > time else { return [step] }
            // The times in a file may be any numbers.
            return [.delay(.microseconds(Int64(min((event.at - time) * 1000, Self.maxDelay)))), step]
        }
    }

    private func missing(_ request: TransportRequest) -> ExchangeStep {
        let url = session.redaction.redacting(url: request.url.absoluteString)
        return .failure(.thrown(MissingRecording(request: "\(request.method) \(url)"), by: .transport))
    }

    private func takeExchange(_ method: String, _ url: String, _ body: Data?) -> RecordedExchange? {
        unused.withLock { unused in
            let place = unused.firstIndex { index in
                let request = session.exchanges[index].request
                return request.method == method && request.url == url
                    && (body == nil || body == request.body?.data ?? Data())
            }
            return place.map { session.exchanges[unused.remove(at: $0)] }
        }
    }
}

/// The error of a request that a ``ReplayTransport`` has no exchange left for. The reason of the request's failure is
/// `thrown(_:by:)` with this error.
public struct MissingRecording: Error, Hashable, CustomStringConvertible {
    /// The method and the URL of the request, without secrets.
    public let request: String

    public var description: String { "no recorded exchange is left for \(request)" }
}

extension MissingRecording: RedactableError {
    package func redacted(by redaction: Redaction) -> MissingRecording {
        MissingRecording(request: redaction.redactingParameters(in: request))
    }
}
