/// A request as a ``MockTransport`` got it.
public struct MockRequest: Sendable {
    /// One for the first request of the transport.
    public let number: Int
    /// One for the first request of its route; zero without one.
    public let turn: Int
    /// The method as it would have been sent.
    public let method: HTTPMethod
    /// Where it would have been sent.
    public let url: URL
    /// The fields as they would have been sent, credentials included.
    public let headers: HTTPHeaders
    /// The body, all of it once ``isBodyComplete`` says so, and nothing before.
    public internal(set) var body = Data()
    /// Whether the body has been read.
    public internal(set) var isBodyComplete = false

    init(_ request: TransportRequest, number: Int, turn: Int) {
        self.number = number
        self.turn = turn
        method = request.method
        url = request.url
        headers = request.headers
    }
}
