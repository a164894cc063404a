/// Gives requests their credentials, takes note of new ones, and says how they are renewed.
///
/// A client's provider authorizes the requests that require it (``Endpoint/requiresAuthorization``), before each
/// attempt and behind all interceptors. Whatever it adds to them counts as sensitive: it appears in no error, and a
/// redirect to another origin does without it. When a response says that the credentials are no longer good
/// (``reauthorizationCondition``), the client makes the call of ``makeReauthorizationRequest()``, hands its response
/// over, and repeats the request once, with the new credentials:
///
/// - However many requests fail at once, one call renews the credentials for all of them. Requests that begin meanwhile
///   wait for it; one that learns late that the old credentials are no longer good is repeated with the new ones.
/// - Where the call fails, or there is none, each request fails with its own response. Nothing is forgotten: the next
///   request whose credentials are not good makes the call again.
/// - Where other credentials come meanwhile, as of a login, the call's outcome is not handed over: it says nothing of
///   these. Where they come while it is being handed over, they are handed over a second time after it, decoded anew.
/// - A body that can be sent once is not sent again: the request fails, with new credentials for the next one.
/// - The call goes on when the request that led to it is cancelled, also where nobody waits for it any more: a server
///   that has answered it may have made the old credentials void.
///
/// Everything here is called outside of locks, from any thread, and some of it at once from several.
public protocol AuthorizationProvider<AuthorizationCall, ReauthorizationCall>: Sendable {
    /// The call that brings the first credentials. Whenever the client has a response to one, however it was asked
    /// for, the provider is handed it.
    associatedtype AuthorizationCall: Endpoint = NoEndpoint
    /// The call that renews the credentials.
    associatedtype ReauthorizationCall: Endpoint = NoEndpoint

    /// Adds credentials to a request.
    ///
    /// - Returns: The request with them; as it was where there are none.
    /// - Throws: Anything; it fails the request with ``HTTPError/Authorization/provider(_:)``.
    func authorize(_ request: TransportRequest) async throws -> TransportRequest

    /// Whether requests to a URL may be authorized. By default those to the origin of the client's base URL may, and
    /// all where it has none.
    func mayAuthorize(_ url: URL, baseURL: URL?) -> Bool

    /// Whether an error says that the credentials are no longer good. By default a response with the status 401 does.
    /// Asked also of the head of a response alone, that is with an empty body.
    var reauthorizationCondition: @Sendable (HTTPError) -> Bool { get }

    /// The call that renews the credentials; `nil` where they cannot be. It must not require authorization itself:
    /// requests whose credentials are no longer good then fail with
    /// ``HTTPError/Authorization/reauthorizationNeedsAuthorization``.
    func makeReauthorizationRequest() async throws -> ReauthorizationCall?

    /// Takes note of the credentials in a response.
    ///
    /// - Throws: Anything; it fails the request with ``HTTPError/Authorization/provider(_:)``.
    func handle(
        authorizationResponse: HTTPResponse<AuthorizationCall.Response>, from call: AuthorizationCall) throws

    /// Takes note of the renewed credentials in a response.
    ///
    /// - Throws: Anything; then they do not count as renewed.
    func handle(
        reauthorizationResponse: HTTPResponse<ReauthorizationCall.Response>, from call: ReauthorizationCall) throws

    /// Takes note that credentials could not be renewed. A failure to reach the server says nothing of the credentials.
    func handle(reauthorizationFailure error: HTTPError, from call: ReauthorizationCall)
}

extension AuthorizationProvider {
    public func mayAuthorize(_ url: URL, baseURL: URL?) -> Bool {
        baseURL.map { url.hasSameOrigin(as: $0) } ?? true
    }

    public var reauthorizationCondition: @Sendable (HTTPError) -> Bool {
        { $0.status == .unauthorized }
    }

    public func makeReauthorizationRequest() -> ReauthorizationCall? { nil }

    public func handle(
        authorizationResponse: HTTPResponse<AuthorizationCall.Response>, from call: AuthorizationCall
    ) {}

    public func handle(
        reauthorizationResponse: HTTPResponse<ReauthorizationCall.Response>, from call: ReauthorizationCall
    ) {}

    public func handle(reauthorizationFailure error: HTTPError, from call: ReauthorizationCall) {}
}

/// The call of a provider that makes none. There is no value of this type.
public enum NoEndpoint: Endpoint {
    public typealias Response = Void

    public var path: String { switch self {} }
}
