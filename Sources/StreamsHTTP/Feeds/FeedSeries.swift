/// The connections of a feed: decides which event to deliver, when to connect and how long to wait.
struct FeedSeries<Source: FeedSource>: RequestSeries {
    typealias Event = Feed<Source.Element>.Event

    private enum Phase {
        /// Not yet admitted.
        case queued
        /// A connection may be announced.
        case ready
        /// The connection has been announced, and is made once that event has been delivered.
        case announced
        case connecting
        case open(since: Duration)
        case waiting
    }

    static var name: String { "Feed" }
    static var mayBlock: Bool { false }

    let client: HTTPClient
    private var source: Source
    private let policy: FeedOptions.ReconnectPolicy
    private let jitter: Double
    private let requestsCompression: Bool
    private let areSuccessive: (@Sendable (String, String) -> Bool)?
    private var phase = Phase.queued
    var output = SeriesOutput<Event>()
    /// The connection's completion, which is processed after the items before it.
    private var connectionCompletion: Subscribers.Completion<HTTPError>?
    private var connectionStart = Duration.zero
    /// The request of the latest connection; `nil` before the first one.
    private var connectionRequest: HTTPRequest?
    /// The number of reconnections since the last healthy connection.
    private var reconnections = 0
    /// The number of reconnections since the last element, or the last poll in order.
    private var fruitlessReconnections = 0
    /// The delay before reconnections that the server asks for.
    private var serverDelay: Duration?
    private var recentElements: RecentElements
    /// The identifier that the next one must follow, if there is a rule for that.
    private var lastIdentifier: String?
    /// Whether the feed finishes with the connection, because the client shuts down.
    private var isFinishing = false

    private(set) var status: FeedStatus

    /// - Parameters:
    ///   - source: The rules of the feed.
    ///   - client: The client that connects.
    ///   - options: The options of the feed.
    ///   - summary: The request as it was given.
    init(_ source: Source, client: HTTPClient, options: FeedOptions, summary: HTTPError.RequestSummary) {
        self.client = client
        self.source = source
        status = FeedStatus(summary)
        policy = options.reconnection
        jitter = max(options.pollJitter, 0)
        requestsCompression = options.requestsCompression
        areSuccessive = options.areSuccessive
        if areSuccessive != nil { lastIdentifier = source.position }
        recentElements = RecentElements(capacity: options.repeatedElements == .drop ? options.duplicateWindow : 0)
    }

    var queue: RequestQueue { client.feedQueue }

    func close() {
        source.close()
    }

    mutating func handle(_ input: SeriesInput) {
        switch input {
        case .admitted, .waited: phase = .ready
        case .event(let event): receive(event)
        case .completion(let completion): receive(completion)
        case .finish: if case .open = phase, source.finish() { isFinishing = true } else { output.end(.finished) }
        case .fail(let reason): fail(reason)
        case .reminded(let isReading): remind(isReading: isReading)
        // A feed has no deadline.
        case .expired, .close, .worked: break
        }
    }

    mutating func nextAction() -> SeriesAction? {
        if let delay = source.takeReminder() { return .remind(delay) }
        guard output.isEmpty else { return nil }
        switch phase {
        case .ready:
            output.append(.connecting(attempt: reconnections + 1))
            phase = .announced
            return nil
        case .announced:
            return connect(now: client.clock.now)
        case .connecting, .open:
            // One item ahead of the demand: the completion is delivered without demand. A connection that has not opened
            // has none, not even a gap.
            if case .open = phase { takeItems() }
            guard output.isEmpty else { return nil }
            if let completion = connectionCompletion.take() { return endConnection(completion) }
            return .read
        case .queued, .waiting:
            return nil
        }
    }

    mutating func willDeliver(_ event: Event) {
        status.deliver(event, position: source.position)
    }
}

// MARK: Connections

extension FeedSeries {
    private mutating func connect(now: Duration) -> SeriesAction? {
        do throws(HTTPError) {
            let request = requestingCoding(try source.request(now: now))
            connectionRequest = request
            connectionStart = now
            connectionCompletion = nil
            phase = .connecting
            let plan = source.plan(for: request, client: client)
            status.connect(plan.summary)
            return .send(plan)
        } catch {
            output.end(.failure(error))
            return nil
        }
    }

    /// Returns a request that accepts the content codings by which no element is held back.
    ///
    /// A proxy whose compression is not flushed holds an element back until the next one, and the first one for ever if
    /// none follows. Without the field, any coding would be acceptable (RFC 9110, section 12.5.3).
    private func requestingCoding(_ request: HTTPRequest) -> HTTPRequest {
        guard Source.connection.isHeldOpen, !requestsCompression,
            !client.configuration.defaultHeaders.contains("Accept-Encoding")
        else { return request }
        return request.settingDefaultHeaders(["Accept-Encoding": "identity"])
    }

    private mutating func receive(_ event: RequestEvent<Data>) {
        switch event {
        case .head(let head): if head.isAccepted { open(head, now: client.clock.now) }
        case .chunk(let chunk): source.receive(chunk)
        case .response(let response):
            if !response.isAccepted { open(response.replacingBody(()), now: client.clock.now) }
            source.end(response, now: client.clock.now)
        case .attempt, .uploadProgress, .downloadProgress, .retrying: break
        }
    }

    private mutating func receive(_ completion: Subscribers.Completion<HTTPError>) {
        guard !isRefusal(completion) else { return output.end(.finished) }
        connectionCompletion = completion
        // The source may have been told why the connection ends.
        guard case .failure(let error) = completion, case .open = phase else { return }
        let reason = source.reason(of: error.reason)
        if reason.name != error.name { connectionCompletion = .failure(makeError(reason)) }
    }

    /// Returns whether the client has refused the connection because it shuts down. The error alone does not tell: an
    /// interceptor may have thrown that of another client.
    private func isRefusal(_ completion: Subscribers.Completion<HTTPError>) -> Bool {
        guard case .failure(let error) = completion, case .invalidRequest(.clientShutDown) = error.reason else {
            return false
        }
        return client.requestQueue.isClosed
    }

    private mutating func open(_ head: HTTPResponse<Void>, now: Duration) {
        do throws(HTTPError.Reason) {
            guard try source.open(head) else { return }
            phase = .open(since: now)
            output.append(.open(head))
        } catch {
            connectionCompletion = .failure(makeError(error))
        }
    }

    /// Takes items of the body up to the next one that is delivered.
    private mutating func takeItems() {
        do throws(HTTPError.Reason) {
            while output.isEmpty {
                switch try source.next() {
                case nil: return
                case .element(let element, let identity):
                    guard recentElements.insert(identity) else { continue }
                    fruitlessReconnections = 0
                    if !isSuccessor(identity?.id) { output.append(.gap(.missingElements)) }
                    output.append(.element(element))
                case .comment(let text): output.append(.comment(text))
                case .gap(let gap): output.append(.gap(gap))
                case .reconnectionDelay(let delay): serverDelay = delay
                }
            }
        } catch {
            fail(error)
        }
    }

    /// Returns whether no element is missing before an element, as far as their identifiers tell.
    private mutating func isSuccessor(_ identifier: String?) -> Bool {
        guard let areSuccessive, let identifier else { return true }
        let previous = lastIdentifier
        lastIdentifier = identifier
        return previous.map { areSuccessive($0, identifier) } ?? true
    }

    private mutating func remind(isReading: Bool) {
        do throws(HTTPError.Reason) {
            try source.remind(now: client.clock.now, isReading: isReading)
        } catch {
            guard !isFinishing else { return output.end(.finished) }
            connectionCompletion = .failure(makeError(error))
        }
    }

    private mutating func endConnection(_ completion: Subscribers.Completion<HTTPError>) -> SeriesAction? {
        guard !isFinishing else {
            output.complete(.finished)
            return nil
        }
        let now = client.clock.now
        if case .open(let start) = phase, now - start >= policy.healthyTime { reconnections = 0 }
        recentElements.expectDuplicates()
        switch completion {
        case .finished:
            switch source.continuation() {
            case .breakOff:
                let error = makeError(.transfer(.bodyEndedEarly))
                return endConnection(.failure(error))
            case .reconnect: return reconnect(after: nil)
            case .fail(let reason): return endConnection(.failure(makeError(reason)))
            case .finish: output.complete(.finished)
            case .repeat(let period, let pause):
                (reconnections, fruitlessReconnections) = (0, 0)
                let period = period * (1 + jitter * .random(in: 0...1))
                return wait(max(connectionStart + period - now, pause, .zero), after: nil)
            }
        case .failure(let error):
            if mayRepeat(after: error), let gap = source.startOver(after: error) {
                output.append(.gap(gap))
                phase = .ready
                lastIdentifier = nil
            } else if policy.reconnects(after: error) {
                return reconnect(after: error)
            } else {
                output.complete(finalCompletion(after: error))
            }
        }
        return nil
    }

    /// Returns the completion of a feed that does not connect again.
    private func finalCompletion(after error: HTTPError?) -> Subscribers.Completion<HTTPError> {
        guard let error, !error.reason.isOrderlyClose else { return .finished }
        return .failure(error)
    }

    private mutating func reconnect(after error: HTTPError?) -> SeriesAction? {
        reconnections += 1
        fruitlessReconnections += 1
        guard reconnections <= policy.maxRetries ?? .max, mayRepeat(after: error) else {
            output.complete(finalCompletion(after: error))
            return nil
        }
        let retryAfter = error?.retryAfter(now: client.clock.date)
        let delay = policy.delay(
            beforeReconnection: reconnections, fruitless: fruitlessReconnections,
            serverDelay: retryAfter ?? serverDelay, random: .random(in: 0...1))
        return wait(delay, after: error)
    }

    /// Returns whether the connection's request may be sent again. The requests of polls are repeated in any case.
    private func mayRepeat(after error: HTTPError?) -> Bool {
        guard Source.connection != .poll, let connectionRequest else { return true }
        return policy.allowsRepetition(of: connectionRequest, after: error)
    }

    private mutating func wait(_ delay: Duration, after error: HTTPError?) -> SeriesAction {
        phase = .waiting
        status.phase = .waiting
        output.append(.waiting(FeedWait(delay: delay, error: error, position: source.position)))
        return .wait(delay)
    }

    private mutating func fail(_ reason: HTTPError.Reason) {
        output.end(.failure(makeError(reason)))
    }

    private mutating func makeError(_ reason: HTTPError.Reason) -> HTTPError {
        do throws(HTTPError) {
            let request = if let connectionRequest { connectionRequest } else { try source.request(now: .zero) }
            return HTTPError(
                reason.redacted(by: client.configuration.redaction),
                request: request.summary(client.configuration.redaction))
        } catch {
            return error
        }
    }
}

extension HTTPResponse {
    /// Whether a connection is open when this head arrives. Other responses may be errors by the request's validation,
    /// which is known when they have ended.
    fileprivate var isAccepted: Bool { status.isSuccess || status == .notModified || status == .switchingProtocols }
}

extension RequestPlan {
    /// Creates the plan of one connection of a feed, which makes its own retries.
    ///
    /// - Parameters:
    ///   - request: The request of the connection.
    ///   - connection: The kind of the connection.
    ///   - client: The client that sends it.
    convenience init(feed request: HTTPRequest, _ connection: FeedConnection, client: HTTPClient) {
        let options = request.options.merging(defaults: client.configuration.options)
        var request = request
        request.options.retry = .never
        guard connection != .poll else {
            request.options.validation = options.validation.accepting(.notModified)
            self.init(request, client: client, bodyUse: .collect)
            return
        }
        request.options.hedging = .never
        // A stored response has no new elements.
        request.options.cache.mode = .unstored
        request.options.timeouts = request.options.timeouts.merging(defaults: .ofFeeds)
        if connection == .stream {
            // The body of an error is none of the feed's elements, and its end is no reason to connect again.
            request.options.validation = options.validation.requiringSuccess()
            request.options.maxErrorBodySize = options.maxErrorBodySize ?? Self.defaultMaxErrorBodySize
            request.options.maxBodySize = .max
        }
        self.init(
            request, client: client, bodyUse: connection == .stream ? .deliver : .collect,
            queue: client.innerRequestQueue, takesPlace: false)
    }
}

extension RequestOptions.Timeouts {
    /// Those of connections without an end, in place of a client's.
    fileprivate static let ofFeeds: Self = {
        var timeouts = Self()
        timeouts.idle = .seconds(180)
        timeouts.minimumRate = nil
        timeouts.total = nil
        return timeouts
    }()
}
