/// A feed of the representations of a resource, which is requested again and again, with the validators of the last
/// response (RFC 9110, section 13).
struct PollSource<Element: Sendable>: FeedSource {
    static var connection: FeedConnection { .poll }

    private let makeRequest: @Sendable () throws(HTTPError) -> HTTPRequest
    private let interval: Duration
    /// Whether a representation that equals the last one is dropped.
    private let dropsRepeated: Bool
    private let options: FeedOptions
    private let decode: @Sendable (HTTPResponse<Data>) throws -> Element
    /// The conditional fields of the next request.
    private var conditions: HTTPHeaders = [:]
    /// The time of the last request without conditions.
    private var unconditionalTime: Duration?
    private var response: HTTPResponse<Data>?
    private var lastBody: Data?
    private var pause = Duration.zero

    init(
        every interval: Duration, droppingRepeated dropsRepeated: Bool, options: FeedOptions,
        request: @escaping @Sendable () throws(HTTPError) -> HTTPRequest,
        decode: @escaping @Sendable (HTTPResponse<Data>) throws -> Element
    ) {
        self.interval = interval
        self.dropsRepeated = dropsRepeated
        self.options = options
        makeRequest = request
        self.decode = decode
    }

    mutating func request(now: Duration) throws(HTTPError) -> HTTPRequest {
        let request = try makeRequest()
        // With another method, a server must refuse the conditions or ignore them (RFC 9110, section 13.1).
        if let unconditionalTime, !conditions.isEmpty, request.method == .get || request.method == .head,
            options.unconditionalPollInterval.map({ now - unconditionalTime < $0 }) ?? true
        {
            return request.settingDefaultHeaders(conditions)
        }
        unconditionalTime = now
        return request
    }

    mutating func end(_ response: HTTPResponse<Data>, now: Duration) {
        pause = min(response.headers.freshnessLifetime, options.reconnection.maxServerDelay)
        guard response.status != .notModified else { return }
        conditions = [:]
        // An asterisk is no tag: the condition would be false as long as there is a representation.
        if let tag = response.headers.text(for: "ETag"), tag.isReturnable, tag.string != "*" {
            conditions.add(HTTPHeaders.Field(name: "If-None-Match", text: tag))
        }
        if let date = response.headers.text(for: "Last-Modified"), date.isReturnable {
            conditions.add(HTTPHeaders.Field(name: "If-Modified-Since", text: date))
        }
        guard !dropsRepeated || response.body != lastBody else { return }
        self.response = response
        if dropsRepeated { lastBody = response.body }
    }

    mutating func next() throws(HTTPError.Reason) -> FeedItem<Element>? {
        guard let response = response.take() else { return nil }
        do {
            return .element(try decode(response), nil)
        } catch {
            return try gap(after: error, response.body, in: response.replacingBody(()), options.undecodableElements)
        }
    }

    func continuation() -> FeedContinuation {
        .repeat(period: interval, pause: pause)
    }
}
