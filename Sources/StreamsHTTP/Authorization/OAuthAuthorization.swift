/// A call whose answer brings tokens: a login, for instance.
public protocol AuthorizationEndpoint<Response>: Endpoint {
    /// The access token in a response; `nil` where it has none, and the one there is stays.
    func accessToken(from response: Response) -> String?
    /// The refresh token in a response; `nil` where it has none, and the one there is stays.
    func refreshToken(from response: Response) -> String?
}

/// A call that has new tokens for a refresh token (RFC 6749, section 6).
public protocol ReauthorizationEndpoint<Response>: AuthorizationEndpoint {
    /// The call for one refresh token. A new one is made for each renewal.
    init(refreshToken: String)
}

/// Tokens that are taken from the answers of one call, sent as `Authorization: Bearer`, and renewed by another
/// (RFC 6749, RFC 6750).
///
/// ```swift
/// let client = HTTPClient(baseURL: url, authorization: OAuthAuthorization<Login, Refresh>())
/// _ = try await client.value(for: Login(name: "ada", password: "…"))   // the provider takes the tokens
/// let account = try await client.value(for: GetAccount())              // requires authorization, and gets it
/// ```
///
/// The refresh token is forgotten when the server says that it is not good (`invalid_grant`, RFC 6749, section 5.2),
/// and only then.
public struct OAuthAuthorization<
    AuthorizationCall: AuthorizationEndpoint, ReauthorizationCall: ReauthorizationEndpoint
>: AuthorizationProvider {
    /// Under what a store has the access token.
    public static var accessTokenKey: String { "oauth.accessToken" }
    /// Under what a store has the refresh token.
    public static var refreshTokenKey: String { "oauth.refreshToken" }

    private let store: any CredentialStore

    /// - Parameter store: Where the tokens are kept.
    public init(store: any CredentialStore = InMemoryCredentialStore()) {
        self.store = store
    }

    public func authorize(_ request: TransportRequest) throws -> TransportRequest {
        guard let token = try store.credential(for: Self.accessTokenKey) else { return request }
        return request.authorized("Bearer \(token)")
    }

    public func makeReauthorizationRequest() throws -> ReauthorizationCall? {
        try store.credential(for: Self.refreshTokenKey).map { ReauthorizationCall(refreshToken: $0) }
    }

    public func handle(
        authorizationResponse response: HTTPResponse<AuthorizationCall.Response>, from call: AuthorizationCall
    ) throws {
        try keep(call.accessToken(from: response.body), call.refreshToken(from: response.body))
    }

    public func handle(
        reauthorizationResponse response: HTTPResponse<ReauthorizationCall.Response>, from call: ReauthorizationCall
    ) throws {
        try keep(call.accessToken(from: response.body), call.refreshToken(from: response.body))
    }

    public func handle(reauthorizationFailure error: HTTPError, from call: ReauthorizationCall) {
        guard error.status == .badRequest || error.status == .unauthorized,
            error.content(as: OAuthFailure.self)?.error == "invalid_grant"
        else { return }
        // Where that fails, the server will say so again.
        try? store.update([Self.refreshTokenKey: nil])
    }

    private func keep(_ accessToken: String?, _ refreshToken: String?) throws {
        var changes: [String: String?] = [:]
        if let accessToken { changes[Self.accessTokenKey] = .some(accessToken) }
        if let refreshToken { changes[Self.refreshTokenKey] = .some(refreshToken) }
        if !changes.isEmpty { try store.update(changes) }
    }
}

/// What a token endpoint says went wrong (RFC 6749, section 5.2).
private struct OAuthFailure: Decodable {
    let error: String
}
