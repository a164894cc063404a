import StreamsHTTP

// The compiler warns of each of these, because the extension that declares the conformance contains the function or the
// property. In the declaration of the type, it would be silent, and the default would be used.

struct User: Decodable, Sendable {
    let name: String
}

struct OptionalResult: Sendable {
    let path = "/"
}

extension OptionalResult: Endpoint {
    typealias Response = User
    func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) throws -> User? { nil }
}

struct WholeDecoder: Sendable {
    let path = "/"
}

extension WholeDecoder: Endpoint {
    typealias Response = User
    func decode(_ response: HTTPResponse<Data>, using decoder: JSONDecoder) throws -> User { User(name: "") }
}

struct DataAlone: Sendable {
    let path = "/"
}

extension DataAlone: Endpoint {
    typealias Response = User
    func decode(_ response: Data, using decoder: any DataDecoder) throws -> User { User(name: "") }
}

struct ConditionOfResponse: Sendable {}

extension ConditionOfResponse: AuthorizationProvider {
    func authorize(_ request: TransportRequest) -> TransportRequest { request }
    var reauthorizationCondition: @Sendable (HTTPResponse<Data>) -> Bool { { _ in false } }
}

struct OptionalCondition: Sendable {}

extension OptionalCondition: AuthorizationProvider {
    func authorize(_ request: TransportRequest) -> TransportRequest { request }
    var reauthorizationCondition: (@Sendable (HTTPError) -> Bool)? { nil }
}
