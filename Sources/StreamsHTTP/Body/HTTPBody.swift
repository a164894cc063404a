/// A request's body.
///
/// A body of data or of a file can be sent again when a redirect or a retry asks for it; a stream of chunks is
/// sent once, unless it is made by a closure that can make it anew.
public struct HTTPBody: Sendable {
    enum Content: Sendable {
        case empty
        case data(Data)
        case file(path: String)
        case stream(@Sendable () throws -> any StreamedBody)
    }

    let content: Content
    /// What the body is made of, sent as `Content-Type` unless the request sets that header itself.
    public let contentType: String?
    /// The length where it is known beforehand. A stream without one is sent in chunks (RFC 9112, section 7.1).
    public let length: Int64?
    /// Whether the body can be sent more than once.
    public let isReplayable: Bool
    /// Sees what is read of the body.
    var tap: BodyTap?

    /// No body.
    public static let empty = HTTPBody(content: .empty, contentType: nil, length: nil, isReplayable: true)

    /// A body held in memory.
    public static func data(_ data: Data, contentType: String? = "application/octet-stream") -> HTTPBody {
        HTTPBody(content: .data(data), contentType: contentType, length: Int64(data.count), isReplayable: true)
    }

    /// A text as UTF-8.
    public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> HTTPBody {
        .data(Data(text.utf8), contentType: contentType)
    }

    /// A value as JSON.
    ///
    /// - Throws: What the encoder throws.
    public static func json(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws -> HTTPBody {
        .data(try encoder.encode(value), contentType: "application/json")
    }

    /// A regular file, read while it is sent, in constant memory.
    ///
    /// The file is opened and measured when the request starts. A file that cannot be read, or that turns out
    /// shorter than it was, fails the request with ``HTTPError/Reason/body(_:)``.
    public static func file(_ path: String, contentType: String? = "application/octet-stream") -> HTTPBody {
        HTTPBody(content: .file(path: path), contentType: contentType, length: nil, isReplayable: true)
    }

    /// Chunks from a publisher, sent once.
    ///
    /// The publisher is subscribed to when the request starts and asked for a chunk when the connection has room
    /// for one, on a queue of its own. Its failure fails the request with ``HTTPError/Reason/body(_:)``.
    ///
    /// - Parameters:
    ///   - length: The sum of the chunks where it is known; a body of another length fails.
    ///   - contentType: The `Content-Type`, unless the request says it itself.
    ///   - chunks: The publisher of the chunks.
    public static func stream(
        length: Int64? = nil, contentType: String? = "application/octet-stream",
        _ chunks: some Publisher<Data, any Error>
    ) -> HTTPBody {
        let source = OneShot<any StreamedBody>(PublishedBody(chunks))
        return HTTPBody(
            content: .stream { try source.take() }, contentType: contentType, length: length,
            isReplayable: false)
    }

    /// Chunks from a publisher that can be made again whenever the body is sent again.
    ///
    /// - Parameters:
    ///   - length: The sum of the chunks where it is known; a body of another length fails.
    ///   - contentType: The `Content-Type`, unless the request says it itself.
    ///   - makeChunks: Makes the publisher; called once for every time the body is sent.
    public static func replayableStream<Chunks: Publisher>(
        length: Int64? = nil, contentType: String? = "application/octet-stream",
        _ makeChunks: @escaping @Sendable () -> Chunks
    ) -> HTTPBody where Chunks.Output == Data, Chunks.Failure == any Error {
        let source: any StreamedBody = DeferredBody(makeChunks: makeChunks)
        return HTTPBody(
            content: .stream { source }, contentType: contentType, length: length,
            isReplayable: true)
    }

    var isEmpty: Bool {
        if case .empty = content { true } else { false }
    }
}
