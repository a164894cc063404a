/// What a ``MockTransport`` answers: a response, when it comes, and how it goes wrong.
///
/// ```swift
/// MockResponse(.noContent)
/// try MockResponse.json(User(id: 7)).delayed(by: .seconds(2))
/// MockResponse.text("a long text").failing(.transfer(.bodyEndedEarly), at: .inBody(after: 4))
/// ```
///
/// A `Content-Length` is added unless the headers have that field or `Transfer-Encoding`.
public struct MockResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The fields of the head.
    public var headers: HTTPHeaders
    /// The version of HTTP it is said to come by.
    public var version = HTTPVersion.http11
    /// The body, in the pieces in which it is delivered.
    public var chunks: [Data]
    /// The time between the request's last byte and the head.
    public var delay = Duration.zero
    /// The time before each chunk.
    public var chunkDelay = Duration.zero
    /// What goes wrong.
    public var fault: MockFault?
    /// What the exchange is said to have cost, where somebody asks.
    public var metrics: ExchangeMetrics?

    /// A response whose body comes in one piece.
    public init(_ status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.init(status, headers: headers, chunks: [body])
    }

    /// A response whose body comes in pieces. Empty ones are left out.
    public init(_ status: HTTPStatus = .ok, headers: HTTPHeaders = [:], chunks: [Data]) {
        self.status = status
        self.headers = headers
        self.chunks = chunks.filter { !$0.isEmpty }
    }
}

extension MockResponse {
    /// Plain text in UTF-8.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> MockResponse {
        MockResponse(status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    /// A value as JSON.
    ///
    /// - Throws: What the encoder throws.
    public static func json(
        _ value: some Encodable, status: HTTPStatus = .ok, encoder: JSONEncoder = JSONEncoder()
    ) throws -> MockResponse {
        MockResponse(status, headers: ["Content-Type": "application/json"], body: try encoder.encode(value))
    }

    /// The way elsewhere.
    public static func redirect(to location: String, status: HTTPStatus = .found) -> MockResponse {
        MockResponse(status, headers: ["Location": location])
    }

    /// No response, but a failure before a connection comes about.
    public static func failure(_ reason: HTTPError.Reason) -> MockResponse {
        MockResponse().failing(reason, at: .connecting)
    }
}

extension MockResponse {
    /// This response, so much later.
    public func delayed(by delay: Duration) -> MockResponse {
        changing { $0.delay += delay }
    }

    /// This response with so much time before each chunk.
    public func delayingChunks(by delay: Duration) -> MockResponse {
        changing { $0.chunkDelay += delay }
    }

    /// This response with its body in pieces of one size, the last of which may be smaller.
    ///
    /// - Parameter size: In bytes, at least 1.
    public func split(into size: Int) -> MockResponse {
        changing { response in
            let size = max(size, 1)
            let body = response.body
            response.chunks = stride(from: 0, to: body.count, by: size).map { body.dropFirst($0).prefix(size) }
        }
    }

    /// This response with a failure in place of its rest.
    public func failing(_ reason: HTTPError.Reason, at place: MockFault.Place) -> MockResponse {
        changing { $0.fault = MockFault(.failure(TransportFailure(reason)), at: place) }
    }

    /// This response with silence in place of its rest, until a timeout of the request's ends it.
    public func stalling(at place: MockFault.Place) -> MockResponse {
        changing { $0.fault = MockFault(.stall, at: place) }
    }

    /// The whole body.
    public var body: Data { Data(chunks.joined()) }

    private func changing(_ change: (inout MockResponse) -> Void) -> MockResponse {
        var copy = self
        change(&copy)
        return copy
    }
}

/// A way for a mock exchange to go wrong.
public struct MockFault: Sendable {
    /// Where it does.
    public enum Place: Hashable, Sendable {
        /// Before a connection stands: nothing of the request's body is read.
        case connecting
        /// When the request has been read, before the head.
        case beforeHead
        /// After so many bytes of the body, or at its end where it is shorter.
        case inBody(after: Int)
    }

    /// What happens there.
    public enum Effect: Sendable {
        /// The exchange fails; any reason is possible, also one that no network would have.
        case failure(TransportFailure)
        /// Nothing more comes.
        case stall
    }

    /// What happens.
    public var effect: Effect
    /// Where it does.
    public var place: Place

    /// Has something happen at a place.
    public init(_ effect: Effect, at place: Place) {
        self.effect = effect
        self.place = place
    }
}
