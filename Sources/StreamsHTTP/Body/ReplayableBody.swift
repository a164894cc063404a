/// A body that can be sent more than once.
public struct ReplayableBody: Sendable {
    var content: BodyContent
    /// What the body is made of, sent as `Content-Type` unless the request sets that header itself.
    public let contentType: String?

    init(content: BodyContent, contentType: String?) {
        self.content = content
        self.contentType = contentType
    }
}

/// What a body that can be sent more than once is made into: its constructors are the same wherever one is asked for.
public protocol ReplayableBodyConvertible {
    /// Makes a value of the body.
    init(_ body: ReplayableBody)
}

extension ReplayableBody: ReplayableBodyConvertible {
    public init(_ body: ReplayableBody) {
        self = body
    }
}

extension ReplayableBodyConvertible {
    /// No body.
    public static var empty: Self { Self(ReplayableBody(content: .empty, contentType: nil)) }

    /// A body held in memory.
    public static func data(_ data: Data, contentType: String? = "application/octet-stream") -> Self {
        Self(ReplayableBody(content: .data(data), contentType: contentType))
    }

    /// A text as UTF-8.
    public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> Self {
        .data(Data(text.utf8), contentType: contentType)
    }

    /// A value as JSON.
    ///
    /// - Throws: What the encoder throws.
    public static func json(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws -> Self {
        try .encoding(value, with: encoder)
    }

    /// A value as an encoder writes it, and declared as what the encoder writes.
    ///
    /// - Throws: What the encoder throws.
    public static func encoding(_ value: some Encodable, with encoder: any DataEncoder) throws -> Self {
        .data(try encoder.encode(value), contentType: encoder.contentType)
    }

    /// Fields as a form (`application/x-www-form-urlencoded`), serialised as the WHATWG's URL standard says.
    public static func form(_ fields: HTTPQuery) -> Self {
        .data(Data(fields.formEncoded.utf8), contentType: FormEncoder.mediaType)
    }

    /// A value's fields as a form (`application/x-www-form-urlencoded`).
    ///
    /// - Throws: What the encoder throws.
    public static func form(encoding value: some Encodable, encoder: FormEncoder = FormEncoder()) throws -> Self {
        try .encoding(value, with: encoder)
    }

    /// A regular file, read while it is sent, in constant memory.
    ///
    /// The file is opened and measured when the request starts. A file that cannot be read, or that turns out
    /// shorter than it was, fails the request with ``HTTPError/Reason/body(_:)``.
    public static func file(_ path: String, contentType: String? = "application/octet-stream") -> Self {
        Self(ReplayableBody(content: .file(path: path), contentType: contentType))
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
    ) -> Self where Chunks.Output == Data, Chunks.Failure == any Error {
        let chunks = DeferredBody(makeChunks: makeChunks)
        return Self(ReplayableBody(content: .stream(chunks, length: length), contentType: contentType))
    }
}
