import Streams

/// The coders of requests and responses: decoders by media type, and encoders of parameters.
///
/// ```swift
/// var coders = CoderRegistry.json(keys: .snakeCase, dates: .iso8601)
/// coders.register(PropertyListDecoder(), for: "application/x-plist")
/// ```
public struct CoderRegistry: Sendable {
    /// The decoder for media types without a registered one.
    public var decoder: any DataDecoder
    /// The encoder of parameters in JSON.
    public var encoder: any DataEncoder
    /// The encoder of parameters in forms.
    public var form: QueryEncoder
    /// The encoder of parameters in queries and multipart forms.
    public var query: QueryEncoder
    private var decoders: [(mediaType: String, decoder: any DataDecoder)] = []

    /// Creates a registry.
    public init(
        decoder: any DataDecoder = JSONDecoder(), encoder: any DataEncoder = JSONEncoder(),
        form: QueryEncoder = QueryEncoder(), query: QueryEncoder = QueryEncoder()
    ) {
        self.decoder = decoder
        self.encoder = encoder
        self.form = form
        self.query = query
    }

    /// Returns a registry for JSON, with the same format of dates and names in JSON, forms and queries.
    public static func json(keys: KeyCoding = .useDefaultKeys, dates: DateCoding = .deferredToDate) -> CoderRegistry {
        let fields = QueryEncoder(keys: keys, dates: dates)
        return CoderRegistry(
            decoder: JSONDecoder(keys: keys, dates: dates), encoder: JSONEncoder(keys: keys, dates: dates),
            form: fields, query: fields)
    }

    /// Registers a decoder for a media type and for those with its structured syntax suffix: a decoder for
    /// `application/xml` also decodes `application/rss+xml` (RFC 6839). Parameters of the media type are ignored.
    public mutating func register(_ decoder: any DataDecoder, for mediaType: String) {
        let mediaType = MediaType(mediaType).essence
        decoders.removeAll { $0.mediaType == mediaType }
        decoders.append((mediaType, decoder))
    }

    /// Returns the decoder for a media type: the one registered for it, else the one for its structured syntax suffix,
    /// else the default.
    ///
    /// - Parameter contentType: The value of `Content-Type`, with or without parameters.
    public func decoder(forContentType contentType: String?) -> any DataDecoder {
        guard !decoders.isEmpty, let contentType else { return decoder }
        let mediaType = MediaType(contentType)
        let exact = decoders.first { $0.mediaType == mediaType.essence }
        return (exact ?? decoders.first { $0.mediaType == mediaType.suffixed })?.decoder ?? decoder
    }

    func decoder(for response: HTTPResponse<Data>) -> any DataDecoder {
        decoders.isEmpty ? decoder : decoder(forContentType: response.headers["Content-Type"])
    }
}

/// A decoder of values from data. It may be called on any thread, and on several at once. An error that it throws fails
/// the request with ``HTTPError/Reason/decoding(_:_:)``.
public typealias DataDecoder = TopLevelDecoder<Data> & Sendable

/// An encoder of values into data. It may be called on any thread, and on several at once.
public typealias DataEncoder = TopLevelEncoder<Data> & Sendable

extension JSONDecoder: TopLevelDecoder {}
extension JSONEncoder: TopLevelEncoder {}
extension PropertyListDecoder: TopLevelDecoder {}
extension PropertyListEncoder: TopLevelEncoder {}
