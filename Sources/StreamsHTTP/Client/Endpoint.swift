/// A typed call: a request and the type of its response.
///
/// ```swift
/// struct FindUsers: Endpoint {
///     let path = "/users"
///     let parameters: Parameters
///     typealias Response = [User]
///
///     struct Parameters: Encodable {
///         let name: String
///     }
/// }
/// ```
///
/// Everything but the path has a default. An endpoint has no base URL, so that it works with a live server and a test
/// server alike; a path that is an absolute URL replaces the client's base URL. ``RequestOptions`` describes the order
/// of precedence of an endpoint's values, its ``options`` and the client's.
///
/// A property of one of these names that has another type does not compile: it would not be sent. For this check, the
/// type of each property is an associated type, and ``makeRequest(using:)`` has a default only for the right ones. Code
/// that is generic over endpoints reads the properties of that request.
///
/// A ``decode(_:using:)`` with another parameter or result is a function of its own, which is not called. If an
/// extension contains both the function and the conformance, the compiler warns of one whose types differ.
public protocol Endpoint<Response>: Sendable {
    /// The type that the response's body is decoded as; `Data`, the default, is the undecoded body.
    associatedtype Response = Data
    /// The type of ``parameters``, which is `Encodable`. An optional has no parameters if it is `nil`.
    associatedtype Parameters = Never?

    /// The type of ``method``: ``HTTPMethod``.
    associatedtype MethodValue = HTTPMethod
    /// The type of ``query``: ``HTTPQuery``.
    associatedtype QueryValue = HTTPQuery
    /// The type of ``headers``: ``HTTPHeaders``.
    associatedtype HeadersValue = HTTPHeaders
    /// The type of ``body``: ``HTTPBody``.
    associatedtype BodyValue = HTTPBody
    /// The type of ``encoding``: ``ParameterEncoding``.
    associatedtype EncodingValue = ParameterEncoding
    /// The type of ``requiresAuthorization``: `Bool` or an optional one.
    associatedtype AuthorizationValue = Bool?
    /// The type of ``validation``: an optional ``ResponseValidation``.
    associatedtype ValidationValue = ResponseValidation?
    /// The type of ``decoder``: a ``DataDecoder``, `any DataDecoder` or an optional one.
    associatedtype DecoderValue = (any DataDecoder)?
    /// The type of ``previewName``: an optional `String`.
    associatedtype PreviewNameValue = String?
    /// The type of ``options``: ``RequestOptions``.
    associatedtype OptionsValue = RequestOptions

    /// The path below the client's base URL, percent-encoded, or an absolute URL. Use `HTTPRequest.path(components:)`
    /// to join segments of untrusted origin.
    var path: String { get }
    /// The method; GET by default.
    var method: MethodValue { get }
    /// The query parameters of the URL; they are percent-encoded. An error that this throws fails the request with
    /// ``HTTPError/Thrower/encoder``.
    var query: QueryValue { get throws }
    /// The header fields. An error that this throws fails the request with ``HTTPError/Thrower/encoder``.
    var headers: HeadersValue { get throws }
    /// The body, sent as it is, such as a file or a form; none by default. A call with parameters that are encoded as
    /// its body has no other. An error that this throws fails the request with ``HTTPError/Thrower/body``.
    var body: BodyValue { get throws }
    /// A value that is encoded as ``encoding`` specifies, with the client's coders; none by default. An error that this
    /// throws fails the request with ``HTTPError/Thrower/encoder``.
    var parameters: Parameters { get throws }
    /// The encoding of the parameters: by default in the query of a GET, HEAD or DELETE, and as JSON in the body of
    /// every other request.
    var encoding: EncodingValue { get }
    /// Whether the client's provider authorizes the request, regardless of the options; by default (`nil`) the options
    /// decide.
    var requiresAuthorization: AuthorizationValue { get }
    /// The rule that decides which responses are errors; by default the options decide.
    var validation: ValidationValue { get }
    /// The decoder of the response; by default, the client's coders select one by its media type. It decodes the whole
    /// body, without the client's ``HTTPClient/Configuration/envelope``.
    var decoder: DecoderValue { get }
    /// The name of the response in preview stores; `nil`, the default, is the URL without its scheme.
    var previewName: PreviewNameValue { get }
    /// The options that differ from the client's.
    var options: OptionsValue { get }

    /// Decodes a response that passed validation. An error that this throws fails the request with
    /// ``HTTPError/Reason/decoding(_:_:)``.
    ///
    /// The default decodes a `Decodable` value with the decoder, and returns `Data`, a `String` in the charset that the
    /// response declares, or nothing for `Void`.
    ///
    /// - Parameters:
    ///   - response: The response, with its undecoded body.
    ///   - decoder: The endpoint's own ``decoder``, or the client's for the response's media type and
    ///     ``HTTPClient/Configuration/envelope``.
    func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) throws -> Response

    /// Returns the request of this call. The default creates it from the properties.
    ///
    /// - Parameter coders: The coders of the parameters.
    /// - Throws: ``HTTPError`` by ``HTTPError/Thrower/encoder`` or ``HTTPError/Thrower/body``, if a part of the request
    ///   cannot be created.
    func makeRequest(using coders: CoderRegistry) throws(HTTPError) -> HTTPRequest

    /// Returns whether the client's provider authorizes the request; `nil` if the options decide. The default is
    /// ``requiresAuthorization``.
    func authorizationRequirement() -> Bool?

    /// Returns the decoder of the response. The default is ``decoder``, if there is one.
    ///
    /// - Parameter other: The decoder for an endpoint without one.
    func responseDecoder(or other: @autoclosure () -> any DataDecoder) -> any DataDecoder
}

// MARK: Defaults

extension Endpoint where MethodValue == HTTPMethod {
    public var method: MethodValue { .get }
}

extension Endpoint where QueryValue == HTTPQuery {
    public var query: QueryValue { [] }
}

extension Endpoint where HeadersValue == HTTPHeaders {
    public var headers: HeadersValue { [:] }
}

extension Endpoint where BodyValue == HTTPBody {
    public var body: BodyValue { .empty }
}

extension Endpoint where Parameters == Never? {
    public var parameters: Parameters { nil }
}

extension Endpoint where EncodingValue == ParameterEncoding, MethodValue == HTTPMethod {
    public var encoding: EncodingValue { .default(for: method) }
}

extension Endpoint where AuthorizationValue == Bool? {
    public var requiresAuthorization: AuthorizationValue { nil }
}

extension Endpoint where ValidationValue == ResponseValidation? {
    public var validation: ValidationValue { nil }
}

extension Endpoint where DecoderValue == (any DataDecoder)? {
    public var decoder: DecoderValue { nil }
}

extension Endpoint where PreviewNameValue == String? {
    public var previewName: PreviewNameValue { nil }
}

extension Endpoint where OptionsValue == RequestOptions {
    public var options: OptionsValue { RequestOptions() }
}

// MARK: Authorization

extension Endpoint where AuthorizationValue == Bool? {
    public func authorizationRequirement() -> Bool? { requiresAuthorization }
}

extension Endpoint where AuthorizationValue == Bool {
    public func authorizationRequirement() -> Bool? { requiresAuthorization }
}

// MARK: Decoding

extension Endpoint where Response: Decodable {
    public func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) throws -> Response {
        try response.decoded(as: Response.self, decoder: decoder)
    }
}

extension Endpoint where Response == Void {
    public func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) -> Response { () }
}

extension Endpoint where DecoderValue == (any DataDecoder)? {
    public func responseDecoder(or other: @autoclosure () -> any DataDecoder) -> any DataDecoder { decoder ?? other() }
}

extension Endpoint where DecoderValue == any DataDecoder {
    public func responseDecoder(or other: @autoclosure () -> any DataDecoder) -> any DataDecoder { decoder }
}

extension Endpoint where DecoderValue: DataDecoder {
    public func responseDecoder(or other: @autoclosure () -> any DataDecoder) -> any DataDecoder { decoder }
}

extension Never: Endpoint {
    public typealias Response = Void

    public var path: String { switch self {} }
}

// MARK: Requests

extension HTTPRequest {
    /// Returns this request as a typed call.
    ///
    /// ```swift
    /// let list = try await client.value(for: request.decoding(PokemonList.self))
    /// ```
    public func decoding<Response: Decodable>(_ type: Response.Type) -> some Endpoint<Response> {
        DecodedRequest(request: self)
    }
}

/// A request together with the type of its response.
struct DecodedRequest<Response: Decodable>: Endpoint {
    let request: HTTPRequest

    var path: String { request.target }

    func makeRequest(using coders: CoderRegistry) -> HTTPRequest { request }
}

extension Endpoint
where
    Parameters: Encodable, MethodValue == HTTPMethod, QueryValue == HTTPQuery, HeadersValue == HTTPHeaders,
    BodyValue == HTTPBody, EncodingValue == ParameterEncoding,
    ValidationValue == ResponseValidation?, PreviewNameValue == String?, OptionsValue == RequestOptions
{
    public func makeRequest(using coders: CoderRegistry) throws(HTTPError) -> HTTPRequest {
        var request = HTTPRequest(method, path, options: options)
        if let validation { request.options.validation = validation }
        if let previewName { request.options.previewName = previewName }
        if let isRequired = authorizationRequirement() { request.options.requiresAuthorization = isRequired }
        var thrower = HTTPError.Thrower.encoder
        do {
            request.query = try query
            request.headers = try headers
            thrower = .body
            request.body = try body
            thrower = .encoder
            if Parameters.self != Never?.self { try request.add(try parameters, encoding, coders) }
            return request
        } catch {
            throw HTTPError(.thrown(error, by: thrower), request: request.summary(.usual))
        }
    }
}

extension HTTPRequest {
    /// Adds the parameters of an endpoint, unless they are `nil`.
    fileprivate mutating func add(
        _ parameters: some Encodable, _ encoding: ParameterEncoding, _ coders: CoderRegistry
    ) throws {
        if let optional = parameters as? any OptionalValue, optional.isNil { return }
        guard encoding != .query else { return query.append(contentsOf: try coders.query.encode(parameters)) }
        guard body.isEmpty else { throw HTTPBody.Failure.besideParameters }
        switch encoding {
        case .query: break
        case .json: body = try .json(parameters, encoder: coders.encoder)
        case .form: body = try .form(encoding: parameters, encoder: coders.form)
        case .multipart:
            var encoder = coders.query
            encoder.arrays = .indices
            body = try .multipart(MultipartForm(encoding: parameters, encoder: encoder))
        }
    }
}

/// An optional of any type.
private protocol OptionalValue {
    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    var isNil: Bool { self == nil }
}

/// The place of an endpoint's parameters in its request.
public enum ParameterEncoding: Hashable, Sendable {
    /// In the URL's query.
    case query
    /// In the body, as JSON.
    case json
    /// In the body, as a form (`application/x-www-form-urlencoded`).
    case form
    /// In the body, as a multipart form (`multipart/form-data`).
    case multipart

    /// The default for a method: the query if a body has no meaning (RFC 9110, sections 9.3.1, 9.3.2 and 9.3.5), JSON
    /// otherwise.
    static func `default`(for method: HTTPMethod) -> ParameterEncoding {
        switch method {
        case .get, .head, .delete: .query
        default: .json
        }
    }
}
