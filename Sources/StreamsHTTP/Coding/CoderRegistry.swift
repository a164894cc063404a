/// Coders by media type, and how dates and names are written in all of them.
///
/// ```swift
/// var coders = CoderRegistry.json(dates: .iso8601, keys: .snakeCase)
/// coders.register(PropertyListDecoder(), for: "application/x-plist")
/// ```
public struct CoderRegistry: Sendable {
    /// What decodes what no other decoder is registered for.
    public var decoder: any DataDecoder
    /// What makes queries of an endpoint's parameters.
    public var query: QueryEncoder
    private var decoders: [(mediaType: String, coder: any DataDecoder)] = []
    private var encoders: [(mediaType: String, coder: any DataEncoder)]

    /// Makes a registry.
    ///
    /// - Parameters:
    ///   - decoder: What decodes what no other decoder is registered for.
    ///   - encoder: What encodes JSON.
    ///   - form: What encodes forms.
    ///   - query: What makes queries.
    public init(
        decoder: any DataDecoder = JSONDecoder(), encoder: any DataEncoder = JSONEncoder(),
        form: FormEncoder = FormEncoder(), query: QueryEncoder = QueryEncoder()
    ) {
        self.decoder = decoder
        self.query = query
        encoders = [(Self.json, encoder), (FormEncoder.mediaType, form)]
    }

    /// A registry for JSON, with dates and names written one way in JSON, forms and queries.
    public static func json(dates: DateCoding = .deferredToDate, keys: KeyCoding = .useDefaultKeys) -> CoderRegistry {
        let fields = QueryEncoder(dates: dates, keys: keys)
        return CoderRegistry(
            decoder: JSONDecoder(dates: dates, keys: keys), encoder: JSONEncoder(dates: dates, keys: keys),
            form: FormEncoder(fields: fields), query: fields)
    }

    /// Registers a decoder for a media type and those built on it: one for `application/xml` is also for
    /// `application/rss+xml` (RFC 6839). Parameters of the media type do not matter.
    public mutating func register(_ decoder: any DataDecoder, for mediaType: String) {
        let mediaType = MediaType(mediaType).essence
        decoders.removeAll { $0.mediaType == mediaType }
        decoders.append((mediaType, decoder))
    }

    /// Registers an encoder for the media type that it writes.
    public mutating func register(_ encoder: any DataEncoder) {
        let mediaType = MediaType(encoder.contentType).essence
        encoders.removeAll { $0.mediaType == mediaType }
        encoders.append((mediaType, encoder))
    }

    /// What decodes a body: what is registered for its media type, then for what that is built on, then the default.
    ///
    /// - Parameter contentType: A `Content-Type`, with or without parameters.
    public func decoder(forContentType contentType: String?) -> any DataDecoder {
        guard !decoders.isEmpty, let contentType else { return decoder }
        let mediaType = MediaType(contentType)
        return Self.coder(for: mediaType, in: decoders) ?? decoder
    }

    /// What encodes a media type; `nil` where nothing is registered for it.
    public func encoder(forContentType contentType: String) -> (any DataEncoder)? {
        Self.coder(for: MediaType(contentType), in: encoders)
    }

    func decoder(for response: HTTPResponse<Data>) -> any DataDecoder {
        decoders.isEmpty ? decoder : decoder(forContentType: response.headers["Content-Type"])
    }

    /// What encodes parameters as JSON.
    var jsonEncoder: any DataEncoder { encoder(forContentType: Self.json) ?? JSONEncoder() }

    /// What encodes parameters as a form.
    var formEncoder: any DataEncoder { encoder(forContentType: FormEncoder.mediaType) ?? FormEncoder() }

    private static let json = "application/json"

    private static func coder<Coder>(
        for mediaType: MediaType, in coders: [(mediaType: String, coder: Coder)]
    ) -> Coder? {
        (coders.first { $0.mediaType == mediaType.essence } ?? coders.first { $0.mediaType == mediaType.suffixed })?
            .coder
    }
}
