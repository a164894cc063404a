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
/// server and a test server; a path that is an absolute URL replaces the client's base URL.
public protocol Endpoint<Response>: Sendable {
    associatedtype Response = Data

    /// The path below the client's base URL, percent-encoded, or an absolute URL.
    var path: String { get }
    /// The method; GET by default.
    var method: HTTPMethod { get }
    /// Parameters; they are percent-encoded.
    var query: [QueryItem] { get }
    var headers: HTTPHeaders { get }
    /// The body. What it throws fails the request with ``HTTPError/Reason/body(_:)``.
    var body: HTTPBody { get throws }
    /// What this endpoint wants otherwise than its client.
    var options: RequestOptions { get }

    /// Makes the answer from a response that passed validation. What it throws fails the request with
    /// ``HTTPError/Reason/decoding(_:_:)``.
    ///
    /// The default decodes a `Decodable` answer with the client's decoder, and hands on `Data`, a `String` in UTF-8,
    /// or nothing for `Void`.
    func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) throws -> Response
}

extension Endpoint {
    public var method: HTTPMethod { .get }
    public var query: [QueryItem] { [] }
    public var headers: HTTPHeaders { [:] }
    public var body: HTTPBody { .empty }
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
        if let data = body as? Value { return data }
        guard Value.self is String.Type else { return try decoder.decode(Value.self, from: body) }
        guard let text = String(validating: body, as: UTF8.self) as? Value else { throw NotUTF8() }
        return text
    }
}

/// A body that should be a text is not UTF-8.
public struct NotUTF8: Error, CustomStringConvertible {
    public var description: String { "the body is not UTF-8" }
}
