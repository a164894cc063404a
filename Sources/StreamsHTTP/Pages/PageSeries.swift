/// The requests of the pages of a list: requests a page when it is demanded, and decides which page follows.
struct PageSeries<Body: Sendable>: RequestSeries {
    typealias Event = HTTPResponse<Body>.Page

    private enum Phase {
        /// Not yet admitted.
        case queued
        /// The page of the step is requested when there is demand.
        case ready
        case requesting
    }

    static var name: String { "Pages" }
    static var mayBlock: Bool { false }

    let client: HTTPClient
    private var step: PageStep<Body>
    private let maxPages: Int?
    private var loops = LoopDetector()
    private var phase = Phase.queued
    var output = SeriesOutput<Event>()
    /// The page of the request under way. It is handled when the request has ended, and left its place in the queue.
    private let received = ReceivedPage<Body>()
    private var pageCount = 0
    /// Whether the client shuts down, and sends no further request.
    private var isFinishing = false

    init(_ first: PageStep<Body>, client: HTTPClient, maxPages: Int?) {
        self.client = client
        self.maxPages = maxPages
        step = first
        if case .success(let request) = first.plan.request { _ = loops.detectsLoop(at: request) }
    }

    /// A series has no place among the client's requests: each of its pages has one.
    var queue: RequestQueue { client.pageQueue }

    var status: PageStatus {
        PageStatus(request: step.plan.summary, isRequesting: isRequesting, pageCount: pageCount)
    }

    func close() {}

    mutating func handle(_ input: SeriesInput) {
        switch input {
        case .admitted: phase = .ready
        case .completion(.finished): receivePage()
        case .completion(.failure(let error)): output.complete(.failure(error))
        case .finish:
            isFinishing = true
            if !isRequesting { fail(.invalidRequest(.clientShutDown)) }
        case .fail(let reason): fail(reason)
        // Timeouts are those of each page.
        case .event, .waited, .expired, .reminded, .worked, .close: break
        }
    }

    mutating func nextAction() -> SeriesAction? {
        guard output.isEmpty else { return nil }
        switch phase {
        case .ready where output.demand > .none:
            phase = .requesting
            return .send(step.plan, decode: received.decoder(step.decode))
        case .requesting: return .read
        case .queued, .ready: return nil
        }
    }

    private var isRequesting: Bool { if case .requesting = phase { true } else { false } }
}

// MARK: Pages

extension PageSeries {
    private mutating func receivePage() {
        guard let page = received.take() else { return }
        let next = step.next(page)
        pageCount += 1
        output.append(HTTPResponse.Page(number: pageCount, response: page, next: next?.request))
        advance(to: next)
    }

    private mutating func advance(to next: PageStep<Body>?) {
        guard let next else { return output.complete(.finished) }
        if let maxPages, pageCount >= maxPages {
            step = next.failing(.redirect(.tooMany(limit: max(maxPages, 1))), client: client)
        } else if case .success(let request) = next.plan.request, loops.detectsLoop(at: request) {
            step = next.failing(.redirect(.loop), client: client)
        } else {
            step = next
        }
        phase = .ready
        if isFinishing { fail(.invalidRequest(.clientShutDown)) }
    }

    private mutating func fail(_ reason: HTTPError.Reason) {
        let reason = reason.redacted(by: client.configuration.redaction)
        output.complete(.failure(HTTPError(reason, request: step.plan.summary)))
    }
}

/// The page that a request has received, decoded on the thread that delivers its response. A page that cannot be
/// decoded fails its request.
private final class ReceivedPage<Body: Sendable>: Sendable {
    private let page = Locked<HTTPResponse<Body>?>(nil)

    /// Returns a closure that decodes a response and keeps the page.
    func decoder(
        _ decode: @escaping @Sendable (HTTPResponse<Data>) throws -> Body
    ) -> @Sendable (HTTPResponse<Data>) throws -> Void {
        { response in
            let page = response.replacingBody(try decode(response))
            self.page.withLock { $0 = page }
        }
    }

    func take() -> HTTPResponse<Body>? { page.withLock { $0.take() } }
}

/// The state of a series of pages at one moment, for snapshots.
struct PageStatus: SeriesStatus {
    /// The request of the page under way, or of the next one.
    let request: HTTPError.RequestSummary
    let isRequesting: Bool
    let pageCount: Int

    func add(
        to snapshot: inout HTTPClient.Snapshot, _ callSite: CallSite?, _ queueStatus: RequestQueue.Status,
        age: Duration
    ) {
        snapshot.pages.append(
            HTTPClient.Snapshot.ActivePages(
                callSite: callSite, method: request.method, url: request.url, isRequesting: isRequesting, age: age,
                pages: pageCount))
    }
}
