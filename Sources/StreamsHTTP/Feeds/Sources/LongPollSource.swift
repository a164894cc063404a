/// A feed of the responses to requests of which each is made from the response before.
struct LongPollSource: FeedSource {
    static var connection: FeedConnection { .longPoll }

    private let makeNext: @Sendable (HTTPResponse<Data>) -> HTTPRequest?
    private let interval: Duration
    private var current: HTTPRequest
    private var response: HTTPResponse<Data>?
    private var isDelivered = false

    init(
        _ request: HTTPRequest, atMostEvery interval: Duration,
        next: @escaping @Sendable (HTTPResponse<Data>) -> HTTPRequest?
    ) {
        current = request
        self.interval = interval
        makeNext = next
    }

    func request(now: Duration) -> HTTPRequest { current }

    mutating func next() -> FeedItem<HTTPResponse<Data>>? {
        guard let response, !isDelivered else { return nil }
        isDelivered = true
        return .element(response, nil)
    }

    mutating func end(_ response: HTTPResponse<Data>, now: Duration) {
        self.response = response
        isDelivered = false
    }

    mutating func continuation() -> FeedContinuation {
        guard let response = response.take(), let next = makeNext(response) else { return .finish }
        current = next
        return .repeat(period: interval, pause: .zero)
    }
}
