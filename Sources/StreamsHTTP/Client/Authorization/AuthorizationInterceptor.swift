/// An interceptor that adds credentials to one request, and retries it once with renewed ones if they are rejected.
final class AuthorizationInterceptor: Interceptor {
    private struct State {
        /// The version of the credentials in the last request; `nil` if it has none.
        var version: Authorizer.CredentialVersion?
        var isRenewed = false
    }

    private let authorizer: Authorizer
    private let client: HTTPClient
    private let state = Locked(State())

    init(_ authorizer: Authorizer, client: HTTPClient) {
        self.authorizer = authorizer
        self.client = client
    }

    func adapt(_ request: TransportRequest, _ context: HTTPRequest.Context) async throws -> TransportRequest {
        state.withLock { $0.version = nil }
        guard client.configuration.credentialScope.contains(request.url, after: context.redirects) else {
            return request
        }
        do {
            let (authorized, version) = try await authorizer.authorize(request)
            state.withLock { $0.version = version }
            return authorized
        } catch {
            throw HTTPError.Reason.authorization(.provider(error))
        }
    }

    func retry(after error: HTTPError, _ context: HTTPRequest.Context) async -> RetryPolicy.Decision {
        guard let version = renewableVersion(after: error) else { return .proceed }
        switch await authorizer.renew(version, through: client) {
        case .renewed where context.isRepeatable:
            state.withLock { $0.isRenewed = true }
            return .retry(after: .zero)
        case .renewed, .unavailable:
            return .proceed
        case .failed(let reason):
            return .fail(
                HTTPError(reason, request: error.request, attempt: error.attempt, redirects: error.redirects))
        }
    }

    /// Returns the version of the credentials that an error rejects. It is `nil` if the error rejects none, or if the
    /// credentials have been renewed for this request before.
    func renewableVersion(after error: HTTPError) -> Authorizer.CredentialVersion? {
        guard case .status = error.reason,
            let version = state.withLock({ $0.isRenewed ? nil : $0.version }),
            authorizer.provider.reauthorizationCondition(error)
        else { return nil }
        return version
    }
}
