/// A typed call: what to ask of a server, and what its answer is.
///
/// ```swift
/// struct GetUser: Endpoint {
///     let id: Int
///     var path: String { "/users/\(id)" }
///     typealias Response = User
/// }
/// ```
///
/// Everything but the path has a default. An endpoint knows no base URL, so the same one works against a live
/// server and a test server; a path that is an absolute URL replaces the client's base URL. What an endpoint settles
/// itself wins over its ``options``, and these over the client's.
public protocol Endpoint<Response>: Sendable {
    /// What the answer is decoded as; `Data`, the default, is the body as it came.
    associatedtype Response = Data

    /// The path below the client's base URL, percent-encoded, or an absolute URL. Segments that come from outside
    /// are joined by `String(pathComponents:)`.
    var path: String { get }
    /// The method; GET by default.
    var method: HTTPMethod { get }
    /// Parameters of the URL; they are percent-encoded. What it throws fails the request with
    /// ``HTTPError/Reason/encoding(_:)``.
    var query: HTTPQuery { get throws }
    /// What it throws fails the request with ``HTTPError/Reason/encoding(_:)``.
    var headers: HTTPHeaders { get throws }
    /// The body. What it throws fails the request with ``HTTPError/Reason/body(_:)``.
    var body: HTTPBody { get throws }
    /// A value that is encoded where ``encoding`` says, with the client's coders; none by default.
    var parameters: (any Encodable & Sendable)? { get }
    /// Where the parameters go: by default into the query of a GET, HEAD or DELETE, and as JSON into the body of
    /// every other request.
    var encoding: ParameterEncoding { get }
    /// Whether the request is made with the client's authorization, whatever the options say; by default it is left to
    /// them.
    var requiresAuthorization: Bool { get }
    /// Which responses are errors; left to the options by default.
    var validation: ResponseValidation? { get }
    /// What decodes the answer; by default the client's coders have one for its media type.
    var decoder: (any DataDecoder)? { get }
    /// The name under which stores of previews have the answer; `nil`, the default, is the URL without its scheme.
    var previewName: String? { get }
    /// What this endpoint wants otherwise than its client.
    var options: RequestOptions { get }

    /// Makes the answer from a response that passed validation. What it throws fails the request with
    /// ``HTTPError/Reason/decoding(_:_:)``.
    ///
    /// The default decodes a `Decodable` answer with the decoder, and hands on `Data`, a `String` in the charset that
    /// the response declares, or nothing for `Void`.
    ///
    /// - Parameters:
    ///   - response: The response, with its body as it came.
    ///   - decoder: The endpoint's own ``decoder``, or the client's for the response's media type.
    func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) throws -> Response
}

extension Endpoint {
    public var method: HTTPMethod { .get }
    public var query: HTTPQuery { [] }
    public var headers: HTTPHeaders { [:] }
    public var body: HTTPBody { .empty }
    public var parameters: (any Encodable & Sendable)? { nil }
    public var encoding: ParameterEncoding { .default(for: method) }
    public var requiresAuthorization: Bool { false }
    public var validation: ResponseValidation? { nil }
    public var decoder: (any DataDecoder)? { nil }
    public var previewName: String? { nil }
    public var options: RequestOptions { RequestOptions() }
}

extension Endpoint where Response: Decodable {
    public func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) throws -> Response {
        try response.decodedBody(using: decoder)
    }
}

extension Endpoint where Response == Void {
    public func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) -> Response { () }
}

extension HTTPResponse<Data> {
    /// The body as a value. Data and String are Decodable too, and mean the body itself.
    func decodedBody<Value: Decodable>(using decoder: any DataDecoder) throws -> Value {
        // Types are compared before anything is cast, which takes long.
        if Value.self == Data.self || Value.self == Data?.self, let data = body as? Value { return data }
        if Value.self == String.self, let text = try text() as? Value { return text }
        return try decoder.decode(Value.self, from: body)
    }
}
