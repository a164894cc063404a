/// The rules of one kind of feed: the request of each connection, and the elements in its response.
///
/// A source is a value that the feed's subscription owns. Its methods may call a program's code, so they are called
/// outside of locks, by one thread at a time.
protocol FeedSource<Element>: Sendable {
    associatedtype Element: Sendable

    /// The kind of the connections.
    static var connection: FeedConnection { get }

    /// Returns the request of the next connection, which resumes after the elements that ``next()`` has returned.
    ///
    /// - Parameter now: The time by the client's clock.
    mutating func request(now: Duration) throws(HTTPError) -> HTTPRequest
    /// Returns the plan of a connection's request.
    func plan(for request: HTTPRequest, client: HTTPClient) -> RequestPlan

    /// The position that the next request resumes from, if the elements tell one.
    var position: String? { get }
    /// Begins to read the response of a new connection.
    ///
    /// - Returns: Whether the response has elements. If not, it ends the feed.
    mutating func open(_ head: HTTPResponse<Void>) throws(HTTPError.Reason) -> Bool
    /// Appends a chunk of the body, if it is delivered in chunks.
    mutating func receive(_ chunk: Data)
    /// Returns the next item of the body; `nil` if it needs more of it.
    mutating func next() throws(HTTPError.Reason) -> FeedItem<Element>?
    /// Ends the body. The following calls of ``next()`` return its last items.
    ///
    /// - Parameters:
    ///   - response: The response, with its body if that is collected.
    ///   - now: The time by the client's clock.
    mutating func end(_ response: HTTPResponse<Data>, now: Duration)
    /// Returns how to go on after a connection that ended in order, and whose items have all been returned.
    mutating func continuation() -> FeedContinuation
    /// Takes the time until the next reminder, if it is to be set.
    mutating func takeReminder() -> Duration?

    /// Does what the reminder was set for, or throws the reason for which the connection has failed.
    ///
    /// - Parameters:
    ///   - now: The time by the client's clock.
    ///   - isReading: Whether the connection is read.
    mutating func remind(now: Duration, isReading: Bool) throws(HTTPError.Reason)

    /// Returns the reason for which a connection has ended, as the source knows more about it than its request.
    func reason(of failure: HTTPError.Reason) -> HTTPError.Reason

    /// Begins to end the connection in order, because the client shuts down.
    ///
    /// - Returns: Whether there is an end to wait for.
    mutating func finish() -> Bool

    /// Releases what the connection holds open.
    func close()

    /// Makes the next request start over, if the error says that the server cannot resume.
    ///
    /// - Returns: The gap to report; `nil` if the error says something else.
    mutating func startOver(after error: HTTPError) -> FeedGap?
}

extension FeedSource {
    var position: String? { nil }
    mutating func open(_ head: HTTPResponse<Void>) -> Bool { true }
    mutating func receive(_ chunk: Data) {}
    mutating func takeReminder() -> Duration? { nil }
    mutating func remind(now: Duration, isReading: Bool) {}
    func reason(of failure: HTTPError.Reason) -> HTTPError.Reason { failure }
    mutating func finish() -> Bool { false }
    func close() {}

    func plan(for request: HTTPRequest, client: HTTPClient) -> RequestPlan {
        RequestPlan(feed: request, Self.connection, client: client)
    }

    mutating func startOver(after error: HTTPError) -> FeedGap? { nil }

    /// Returns the gap of an element that cannot be decoded and is skipped, or throws the reason that the feed fails with.
    ///
    /// - Parameters:
    ///   - error: The error of the decoder.
    ///   - data: The undecoded element.
    ///   - response: The response that it came in.
    ///   - undecodableElements: The treatment of the element.
    func gap(
        after error: any Error, _ data: Data, in response: HTTPResponse<Void>?,
        _ undecodableElements: FeedOptions.UndecodableElements
    ) throws(HTTPError.Reason) -> FeedItem<Element> {
        guard undecodableElements == .fail, let response else { return .gap(.undecodable(error)) }
        throw .decoding(error, response.replacingBody(data))
    }
}

/// The kind of a feed's connections.
enum FeedConnection {
    /// Responses without an end, which are delivered in chunks.
    case stream
    /// Connections that have been switched to another protocol.
    case socket
    /// Responses that the server holds back until it has something to say, which are collected.
    case longPoll
    /// Requests like others. They count towards ``HTTPClient/Limits/maxConcurrentRequests``, have their own
    /// timeouts, and may be answered with 304.
    case poll

    /// Whether a response waits for elements, so that a part of it is useful before its end.
    var isHeldOpen: Bool { self == .stream || self == .longPoll }
}

/// An item of a feed's body.
enum FeedItem<Element> {
    /// An element, with its identity if it has an identifier of its own.
    case element(Element, ElementIdentity?)
    case comment(String)
    case gap(FeedGap)
    /// The delay before reconnections that the server asks for.
    case reconnectionDelay(Duration)
}

/// The continuation of a feed after a connection that ended in order.
enum FeedContinuation {
    /// Connect again, as the policy says.
    case reconnect
    /// Go on as after a failure, because the body ended inside of an element.
    case breakOff
    /// Go on as after a failure.
    case fail(HTTPError.Reason)
    /// Connect again when a period has passed since the beginning of the connection, and a pause since its end.
    case `repeat`(period: Duration, pause: Duration)
    case finish
}

extension HTTPRequest {
    /// Returns this request with what a position adds to it; `nil` if that cannot be sent.
    ///
    /// A server chooses its positions, so one may have control characters, or a size that no server accepts. Such a
    /// request would be refused each time.
    ///
    /// - Parameter addPosition: Returns the request that resumes at the position.
    func resuming(_ addPosition: (HTTPRequest) -> HTTPRequest) -> HTTPRequest? {
        let request = addPosition(self)
        let isSendable = request.headers.allSatisfy { field in
            headers.contains(field) || field.name.isToken && field.text.isReturnable
        }
        guard isSendable, request.target.isPrintable || request.target == target,
            request.targetSize - targetSize <= String.maxReturnedSize
        else { return nil }
        return request
    }

    private var targetSize: Int { target.utf8.count + query.percentEncoded.utf8.count }
}

extension FeedGap {
    /// Creates the gap of a feed whose position the server has refused; `nil` if an error says something else.
    init?(ofRefusedPosition error: HTTPError) {
        guard let status = error.response?.status else { return nil }
        switch status {
        case .gone: self = .cursorExpired
        case .uriTooLong, .requestHeaderFieldsTooLarge: self = .notResumable
        default: return nil
        }
    }
}

extension HTTPRequest {
    /// Returns the request with header fields that it does not have.
    func settingDefaultHeaders(_ headers: HTTPHeaders) -> HTTPRequest {
        var request = self
        request.headers = request.headers.merging(defaults: headers)
        return request
    }
}

extension Framing {
    /// Returns the next element, or throws the reason that a feed fails with.
    mutating func nextItem() throws(HTTPError.Reason) -> Element? {
        do throws(FramingError) {
            return try next()
        } catch {
            switch error {
            case .elementTooLarge(let limit): throw .transfer(.elementTooLarge(limit: limit))
            case .truncatedElement, .unexpectedBytes: throw .transfer(.protocolError)
            }
        }
    }
}
