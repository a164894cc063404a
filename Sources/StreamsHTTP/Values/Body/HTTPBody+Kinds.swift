// The kinds of bodies.

extension HTTPBody {
    /// An empty body.
    public static var empty: HTTPBody { HTTPBody(.empty, contentType: nil) }

    /// Returns a body that is held in memory.
    public static func data(_ data: Data, contentType: String? = "application/octet-stream") -> HTTPBody {
        HTTPBody(.data(data), contentType: contentType)
    }

    /// Returns a body with text in UTF-8.
    public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> HTTPBody {
        .data(Data(text.utf8), contentType: contentType)
    }

    /// Returns a body with a value as JSON, encoded by the ``CoderRegistry/encoder`` of the client that sends it.
    ///
    /// It is encoded when the client makes the request. An error of the encoder fails the request with
    /// ``HTTPError/Thrower/encoder``. A strategy for keys changes the names of properties, not the keys of
    /// dictionaries.
    public static func json(_ value: some Encodable & Sendable) -> HTTPBody {
        HTTPBody(.encoding { .data(try $0.encoder.encode(value)) }, contentType: "application/json")
    }

    /// Returns a body with a value that an encoder of its own encodes as JSON.
    ///
    /// - Throws: The error of the encoder.
    public static func json(_ value: some Encodable, encoder: any DataEncoder) throws -> HTTPBody {
        try .encoding(value, with: encoder, contentType: "application/json")
    }

    /// Returns a body with an encoded value.
    ///
    /// ```swift
    /// let body = try HTTPBody.encoding(settings, with: PropertyListEncoder(), contentType: "application/x-plist")
    /// ```
    ///
    /// - Throws: The error of the encoder.
    public static func encoding(
        _ value: some Encodable, with encoder: any DataEncoder, contentType: String
    ) throws -> HTTPBody {
        .data(try encoder.encode(value), contentType: contentType)
    }

    /// Returns a body with fields as a form (`application/x-www-form-urlencoded`), serialised as the WHATWG's URL
    /// standard specifies.
    public static func form(_ fields: HTTPQuery) -> HTTPBody {
        .data(Data(fields.formEncoded.utf8), contentType: "application/x-www-form-urlencoded")
    }

    /// Returns a body with a value's fields as a form (`application/x-www-form-urlencoded`), encoded by the
    /// ``CoderRegistry/form`` of the client that sends it, as a ``json(_:)`` is.
    public static func form(encoding value: some Encodable & Sendable) -> HTTPBody {
        HTTPBody(
            .encoding { HTTPBody.form(try $0.form.encode(value)).content },
            contentType: "application/x-www-form-urlencoded")
    }

    /// Returns a body with a value's fields as a form, encoded by an encoder of its own.
    ///
    /// - Throws: The error of the encoder.
    public static func form(encoding value: some Encodable, encoder: QueryEncoder) throws -> HTTPBody {
        .form(try encoder.encode(value))
    }

    /// Returns a multipart form as a body (`multipart/form-data`, RFC 7578). It is replayable if all its parts are.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - boundary: The delimiter between the parts; by default, a random string that does not occur in parts in
    ///     memory.
    /// - Throws: ``MultipartForm/Failure``.
    public static func multipart(
        _ form: MultipartForm, boundary: String? = nil
    ) throws(MultipartForm.Failure) -> HTTPBody {
        var generator = SystemRandomNumberGenerator()
        return try form.body(boundary: boundary, using: &generator)
    }

    /// Returns a multipart form as a body, with a boundary from a random number generator.
    ///
    /// - Throws: ``MultipartForm/Failure``.
    public static func multipart(
        _ form: MultipartForm, using generator: inout some RandomNumberGenerator
    ) throws(MultipartForm.Failure) -> HTTPBody {
        try form.body(boundary: nil, using: &generator)
    }

    /// Returns a body with a regular file, which is read while it is sent, in constant memory.
    ///
    /// The file is opened and its length is read when the request starts. A file with content whose size is 0, such as
    /// one of `/proc`, is sent as a stream of unknown length. A file that cannot be read, or becomes shorter, fails the
    /// request with ``HTTPError/Thrower/body``.
    public static func file(_ path: String, contentType: String? = "application/octet-stream") -> HTTPBody {
        HTTPBody(.file(path: path), contentType: contentType)
    }

    /// Returns a body of a publisher's chunks. It is sent once: ``isReplayable`` is `false`.
    ///
    /// ```swift
    /// let copy = HTTPRequest(.put, target).settingBody(.stream(client.chunks(for: HTTPRequest(.get, source))))
    /// ```
    ///
    /// The publisher is subscribed to when the request starts. A chunk is requested when the connection has room for
    /// it, on the body's own queue. A failure of the publisher, of any type, fails the request with
    /// ``HTTPError/Thrower/body``.
    ///
    /// - Parameters:
    ///   - length: The total length in bytes, if known. A body of another length fails the request.
    ///   - contentType: The media type, sent as `Content-Type` unless the request sets that header field.
    ///   - chunks: The publisher of the chunks. Do not use it after this call, unless it may be used from any thread,
    ///     as subjects may.
    public static func stream<Failure: Error>(
        length: Int64? = nil, contentType: String? = "application/octet-stream",
        _ chunks: some Publisher<Data, Failure>
    ) -> HTTPBody {
        // Safe because the body is opened once, and subscribes on the pipe's queue. The documentation forbids other
        // uses of the publisher meanwhile, unless it may be used from any thread.
        nonisolated(unsafe) let chunks: any Publisher<Data, Failure> = chunks
        return HTTPBody(.chunks(length: length) { chunks }, contentType: contentType, isReplayable: false)
    }

    /// Returns a body of chunks from a publisher that is created each time the body is sent.
    ///
    /// - Parameters:
    ///   - length: The total length in bytes, if known. A body of another length fails the request.
    ///   - contentType: The media type, sent as `Content-Type` unless the request sets that header field.
    ///   - makeChunks: A closure that creates the publisher, whose failure may be of any type. Called each time the
    ///     body is sent.
    public static func replayableStream<Chunks: Publisher>(
        length: Int64? = nil, contentType: String? = "application/octet-stream",
        _ makeChunks: @escaping @Sendable () -> Chunks
    ) -> HTTPBody where Chunks.Output == Data {
        // Erased, because the type `Chunks` itself is not sendable.
        let makeChunks: @Sendable () -> any Publisher<Data, Chunks.Failure> = makeChunks
        return HTTPBody(.chunks(length: length, makeChunks), contentType: contentType)
    }
}

extension BodyContent {
    /// Returns the chunks of a publisher that is created for each exchange.
    fileprivate static func chunks<Failure: Error>(
        length: Int64?, _ makeChunks: @escaping @Sendable () -> any Publisher<Data, Failure>
    ) -> BodyContent {
        .stream(length: length) {
            BodyPipe(length: length, onReadable: $0) { $0.subscribe(to: makeChunks()) }
        }
    }
}

extension BodyPipe {
    /// Subscribes to the chunks of a publisher, whatever the type of its failure.
    fileprivate func subscribe(to chunks: some Publisher<Data, some Error>) {
        chunks.mapError { $0 as any Error }.subscribe(self)
    }
}

extension HTTPQuery {
    /// The items as a form, serialised as the WHATWG's URL standard specifies (section 5.2). A name without a value
    /// gets an empty value.
    var formEncoded: String {
        map { "\($0.name.formEncoded)=\(($0.value ?? "").formEncoded)" }.joined(separator: "&")
    }
}

extension String {
    /// The string, percent-encoded for `application/x-www-form-urlencoded` as the WHATWG's URL standard specifies.
    /// Spaces become plus signs.
    fileprivate var formEncoded: String {
        let encoded = percentEncoded { !($0.isASCIIAlphanumeric || "*-._ ".utf8.contains($0)) }
        let (space, plus) = (UInt8(ascii: " "), UInt8(ascii: "+"))
        return String(decoding: encoded.utf8.map { $0 == space ? plus : $0 }, as: UTF8.self)
    }
}
