/// A request's body, of one of two kinds: one that can be sent again when a redirect or a retry asks for it, and one
/// that is sent once.
///
/// ```swift
/// let body: HTTPBody = .file("/var/log/syslog")
/// switch body {
/// case .replayable(let body): ...  // data, texts, values, files, and streams that can be made anew
/// case .oneShot(let body): ...     // chunks that come once
/// }
/// ```
///
/// Code that must send a body more than once takes a ``ReplayableBody``, and so cannot be given the other kind.
public enum HTTPBody: Sendable {
    /// A body that can be sent again.
    case replayable(ReplayableBody)
    /// A body that is sent once.
    case oneShot(OneShotBody)

    /// What the body is made of, sent as `Content-Type` unless the request sets that header itself.
    public var contentType: String? {
        switch self {
        case .replayable(let body): body.contentType
        case .oneShot(let body): body.contentType
        }
    }

    /// The length in bytes where it is known before the body is opened. It is `nil` for a file, which may change until
    /// then, and where there is no body at all. A stream without one is sent in chunks (RFC 9112, section 7.1).
    public var length: Int64? { content.length }

    /// Whether the body can be sent more than once.
    public var isReplayable: Bool {
        if case .replayable = self { true } else { false }
    }

    /// Chunks from a publisher, sent once; see ``OneShotBody/init(length:contentType:_:)``.
    public static func stream(
        length: Int64? = nil, contentType: String? = "application/octet-stream",
        _ chunks: some Publisher<Data, any Error>
    ) -> HTTPBody {
        .oneShot(OneShotBody(length: length, contentType: contentType, chunks))
    }

    /// A form in parts (`multipart/form-data`, RFC 7578), replayable where each of its parts is.
    ///
    /// - Parameters:
    ///   - form: The parts.
    ///   - boundary: What stands between the parts; by default a random text that occurs in none of those that are in
    ///     memory.
    /// - Throws: ``MultipartError``.
    public static func multipart(_ form: MultipartForm, boundary: String? = nil) throws(MultipartError) -> HTTPBody {
        var generator = SystemRandomNumberGenerator()
        return try form.body(boundary: boundary, using: &generator)
    }

    /// A form in parts whose boundary is drawn from a generator.
    ///
    /// - Throws: ``MultipartError``.
    public static func multipart(
        _ form: MultipartForm, using generator: inout some RandomNumberGenerator
    ) throws(MultipartError) -> HTTPBody {
        try form.body(boundary: nil, using: &generator)
    }

    var content: BodyContent {
        switch self {
        case .replayable(let body): body.content
        case .oneShot(let body): body.content
        }
    }

    var isEmpty: Bool {
        if case .empty = content { true } else { false }
    }
}

extension HTTPBody: ReplayableBodyConvertible {
    /// Makes a body of one that can be sent again.
    public init(_ body: ReplayableBody) {
        self = .replayable(body)
    }
}
