/// A call whose response contains tokens, such as a login.
///
/// ```swift
/// struct Login: AuthorizationEndpoint {
///     let path = "/login"
///     let method = HTTPMethod.post
///     let parameters: Credentials
///
///     func accessToken(from response: Tokens) -> String? { response.access }
///     func refreshToken(from response: Tokens) -> String? { response.refresh }
/// }
/// ```
public protocol AuthorizationEndpoint<Response>: Endpoint {
    // Declared again, so that it is inferred from the functions.
    /// The type that the response's body is decoded as.
    associatedtype Response

    /// Returns the access token in a response. If it is `nil`, the stored one is kept.
    func accessToken(from response: Response) -> String?
    /// Returns the refresh token in a response. If it is `nil`, the stored one is kept.
    func refreshToken(from response: Response) -> String?
}

/// A call that exchanges a refresh token for new tokens (RFC 6749, section 6).
public protocol ReauthorizationEndpoint<Response>: AuthorizationEndpoint {
    /// Creates a call with a refresh token. Each renewal creates a new call.
    init(refreshToken: String)
}

/// A provider that takes tokens from the responses of one call, sends the access token as `Authorization: Bearer`, and
/// renews it with another call (RFC 6749, RFC 6750).
///
/// ```swift
/// let client = HTTPClient(baseURL: url, authorization: OAuthAuthorization<Login, Refresh>())
/// _ = try await client.value(for: Login(name: "ada", password: "…"))   // the provider stores the tokens
/// let account = try await client.value(for: GetAccount())              // sent with the access token
/// ```
///
/// <doc:Authorization> describes when the tokens are renewed, and when the refresh token is removed.
public struct OAuthAuthorization<
    AuthorizationCall: AuthorizationEndpoint, ReauthorizationCall: ReauthorizationEndpoint
>: AuthorizationProvider {
    /// The key of the access token in a store.
    public static var accessTokenKey: String { "oauth.accessToken" }
    /// The key of the refresh token in a store.
    public static var refreshTokenKey: String { "oauth.refreshToken" }

    private let store: any CredentialStore
    /// The refresh token of the latest renewal.
    private let sentToken = SentToken()

    /// Creates a provider.
    ///
    /// - Parameter store: The store of the tokens.
    public init(store: any CredentialStore = InMemoryCredentialStore()) {
        self.store = store
    }

    public func authorize(_ request: TransportRequest) throws -> TransportRequest {
        guard let token = try store.credential(for: Self.accessTokenKey) else { return request }
        return request.authorized("Bearer \(token)")
    }

    public func makeReauthorizationRequest() throws -> ReauthorizationCall? {
        let token = try store.credential(for: Self.refreshTokenKey)
        sentToken.value.withLock { $0 = token }
        return token.map { ReauthorizationCall(refreshToken: $0) }
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
            error.content(as: OAuthFailure.self)?.error == "invalid_grant", let token = sentToken.value.withLock({ $0 })
        else { return }
        // If the removal fails, the server rejects the token again at the next renewal.
        try? store.remove(token, for: Self.refreshTokenKey)
    }

    private func keep(_ accessToken: String?, _ refreshToken: String?) throws {
        var changes: [String: String?] = [:]
        if let accessToken { changes[Self.accessTokenKey] = .some(accessToken) }
        if let refreshToken { changes[Self.refreshTokenKey] = .some(refreshToken) }
        if !changes.isEmpty { try store.update(changes) }
    }
}

extension OAuthAuthorization: CustomReflectable {
    /// The type of the store, whose contents are secret.
    public var customMirror: Mirror { Mirror(self, children: ["store": type(of: store)]) }
}

/// The token that the copies of a provider have sent last.
private final class SentToken: Sendable {
    let value = Locked<String?>(nil)
}

/// The error response of a token endpoint (RFC 6749, section 5.2).
private struct OAuthFailure: Decodable {
    let error: String
}
