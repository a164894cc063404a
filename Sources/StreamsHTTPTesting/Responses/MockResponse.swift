import StreamsHTTP

/// A response of a ``MockTransport``, with its timing and its fault.
///
/// ```swift
/// MockResponse(.noContent)
/// try MockResponse.json(User(id: 7)).delayed(by: .seconds(2))
/// MockResponse.text("a long text").failing(.transfer(.bodyEndedEarly), at: .inBody(after: 4))
/// ```
///
/// The response gets a `Content-Length`, unless its headers have that field or `Transfer-Encoding`.
public struct MockResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The headers.
    public var headers: HTTPHeaders
    /// The version of HTTP.
    public var version = HTTPVersion.http11
    /// The body, in the chunks in which it is delivered.
    public var chunks: [Data]
    /// The time between the end of the request and the head.
    public var delay = Duration.zero
    /// The time before each chunk.
    public var chunkDelay = Duration.zero
    /// The fault; `nil` for a complete response.
    public var fault: MockFault?
    /// The metrics of the exchange; `nil` for none. Delivered only if the request wants metrics.
    public var metrics: TransportEvent.Metrics?
    /// The script of the peer, if the response opens a WebSocket.
    var webSocketSteps: [WebSocketStep]?

    /// Creates a response whose body is one chunk.
    public init(_ status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.init(status, headers: headers, chunks: [body])
    }

    /// Creates a response whose body has several chunks. Empty chunks are left out.
    public init(_ status: HTTPStatus = .ok, headers: HTTPHeaders = [:], chunks: [Data]) {
        self.status = status
        self.headers = headers
        self.chunks = chunks.filter { !$0.isEmpty }
    }
}

extension MockResponse {
    /// Creates a response of plain text in UTF-8.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> MockResponse {
        MockResponse(status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    /// Creates a response of a value as JSON. A `String` is a value, too: it becomes a JSON string.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - status: The status code.
    ///   - encoder: The encoder; by default, one that sorts keys, so that equal values have equal bodies.
    /// - Throws: The error of the encoder.
    public static func json(
        _ value: some Encodable, status: HTTPStatus = .ok, encoder: JSONEncoder? = nil
    ) throws -> MockResponse {
        MockResponse(
            status, headers: ["Content-Type": "application/json"], body: try (encoder ?? sortingEncoder()).encode(value)
        )
    }

    private static func sortingEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    /// Creates a redirect.
    public static func redirect(to location: String, status: HTTPStatus = .found) -> MockResponse {
        MockResponse(status, headers: ["Location": location])
    }

    /// Creates a failure before a connection exists.
    public static func failure(_ reason: HTTPError.Reason) -> MockResponse {
        MockResponse().failing(reason, at: .connecting)
    }
}

extension MockResponse {
    /// Returns this response with a longer delay before its head.
    public func delayed(by delay: Duration) -> MockResponse {
        changing { $0.delay += delay }
    }

    /// Returns this response with a longer delay before each chunk.
    public func delayingChunks(by delay: Duration) -> MockResponse {
        changing { $0.chunkDelay += delay }
    }

    /// Returns this response with chunks of one size, of which the last may be smaller.
    ///
    /// - Parameter size: The size in bytes, at least 1.
    public func split(into size: Int) -> MockResponse {
        changing { response in
            let size = max(size, 1)
            let body = response.body
            response.chunks = stride(from: 0, to: body.count, by: size).map { body.dropFirst($0).prefix(size) }
        }
    }

    /// Returns this response with a failure that replaces the rest of it.
    public func failing(_ reason: HTTPError.Reason, at place: MockFault.Place) -> MockResponse {
        changing { $0.fault = MockFault(.failure(TransportFailure(reason)), at: place) }
    }

    /// Returns this response with a stall that replaces the rest of it. A timeout of the request ends the stall.
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

/// A fault of a ``MockResponse``.
public struct MockFault: Sendable {
    /// The place of a fault in its exchange.
    public enum Place: Hashable, Sendable {
        /// Before a connection exists. The request's body is not read.
        case connecting
        /// Between the end of the request and the head.
        case beforeHead
        /// After a number of bytes of the body, or at the end of a shorter body.
        case inBody(after: Int)
    }

    /// The effect of a fault.
    public enum Effect: Sendable {
        /// The exchange fails, for any reason.
        case failure(TransportFailure)
        /// The exchange delivers nothing more.
        case stall
    }

    /// The effect of the fault.
    public var effect: Effect
    /// The place of the fault.
    public var place: Place

    /// Creates a fault.
    public init(_ effect: Effect, at place: Place) {
        self.effect = effect
        self.place = place
    }
}
