/// A provider of credentials: it adds them to requests, and renews them when the server rejects them.
///
/// A client's provider authorizes the requests to the client's origins, each after all interceptors, unless
/// ``RequestOptions/requiresAuthorization`` says otherwise. If a response rejects the credentials
/// (``reauthorizationCondition``), the client makes the call that ``makeReauthorizationRequest()`` returns, passes the
/// response to the provider, and repeats the request once. <doc:Authorization> describes the origins, the renewal for
/// many requests, and providers of your own.
///
/// If other credentials arrive during the call, from a login for instance, the outcome of the call is discarded. If
/// they arrive while the provider handles the outcome, the provider handles their response again afterwards, decoded
/// anew. The call continues if the request that started it is cancelled, even if no other request waits for it: a
/// server that has answered it may have invalidated the old credentials.
///
/// All requirements are called outside of locks and from any thread, some of them concurrently. Requests are authorized
/// with their task-local values, as ``Interceptor`` describes. Credentials are renewed with the task-local values of
/// the request that started the renewal. For an `async` call, an authorization response is handled in the calling task.
/// For a stream, it is handled on the delivering thread, without task-local values.
///
/// A property or function of one of these names that has another type is not called: the default is used. If an extension
/// contains it together with the conformance, the compiler warns of it.
public protocol AuthorizationProvider<AuthorizationCall, ReauthorizationCall>: Sendable {
    /// The call that returns the first credentials; `Never`, the default, if there is none. The provider handles every
    /// response of the client to such a call, whether it is made by an `async` function or as a stream.
    associatedtype AuthorizationCall: Endpoint = Never
    /// The call that renews the credentials; `Never`, the default, if there is none.
    associatedtype ReauthorizationCall: Endpoint = Never

    /// Adds credentials to a request.
    ///
    /// - Returns: The request with credentials, or the unchanged request if there are none.
    /// - Throws: Any error. The request fails with ``HTTPError/Authorization/provider(_:)``.
    func authorize(_ request: TransportRequest) async throws -> TransportRequest

    /// A predicate that returns whether an error rejects the credentials. By default, a response with the status 401
    /// does. It is also called with the head of a response alone, whose body is then empty.
    var reauthorizationCondition: @Sendable (HTTPError) -> Bool { get }

    /// Returns the call that renews the credentials, or `nil` if they cannot be renewed.
    ///
    /// The client sends the call without credentials. A call that says ``Endpoint/requiresAuthorization`` is not made:
    /// requests whose credentials are rejected fail with
    /// ``HTTPError/Authorization/reauthorizationNeedsAuthorization``.
    func makeReauthorizationRequest() async throws -> ReauthorizationCall?

    /// Stores the credentials in a response.
    ///
    /// - Throws: Any error. The request fails with ``HTTPError/Authorization/provider(_:)``.
    func handle(
        authorizationResponse: HTTPResponse<AuthorizationCall.Response>, from call: AuthorizationCall) throws

    /// Stores the renewed credentials in a response.
    ///
    /// - Throws: Any error. The credentials then do not count as renewed.
    func handle(
        reauthorizationResponse: HTTPResponse<ReauthorizationCall.Response>, from call: ReauthorizationCall) throws

    /// Handles a failure to renew credentials. A failure to reach the server does not mean that they are invalid.
    func handle(reauthorizationFailure error: HTTPError, from call: ReauthorizationCall)
}

extension AuthorizationProvider {
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
