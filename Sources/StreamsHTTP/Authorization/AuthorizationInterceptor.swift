/// What a request that requires authorization needs of its client.
final class AuthorizationScope: Sendable {
    let authorizer: Authorizer
    let client: HTTPClient

    init(authorizer: Authorizer, client: HTTPClient) {
        self.authorizer = authorizer
        self.client = client
    }

    /// Whether a URL may be told the credentials.
    func admits(_ url: URL) -> Bool {
        authorizer.provider.mayAuthorize(url, baseURL: client.configuration.baseURL)
    }
}

/// Gives one request its credentials, and has it repeated once where they were no longer good.
final class AuthorizationInterceptor: Interceptor {
    private struct State {
        /// What the credentials of the attempt under way were; `nil` where it has none.
        var stamp: Authorizer.Stamp?
        var isRenewed = false
    }

    private let scope: AuthorizationScope
    private let state = Locked(State())

    init(_ scope: AuthorizationScope) {
        self.scope = scope
    }

    func adapt(_ request: TransportRequest, _ context: RequestContext) async throws -> TransportRequest {
        state.withLock { $0.stamp = nil }
        guard scope.admits(request.url) else { return request }
        do {
            let (authorized, stamp) = try await scope.authorizer.authorize(request)
            state.withLock { $0.stamp = stamp }
            return authorized
        } catch {
            throw HTTPError.Reason.authorization(.provider(error))
        }
    }

    func isAcceptable(_ head: HTTPResponse<Void>, _ context: RequestContext) -> Bool {
        let reason = HTTPError.Reason.status(head.replacingBody(Data()))
        let error = HTTPError(
            reason, request: context.request.summary, attempt: context.attempt, redirects: context.redirects)
        return renewableStamp(after: error) == nil
    }

    func retry(after error: HTTPError, _ context: RequestContext) async -> RetryDecision {
        guard let stamp = renewableStamp(after: error) else { return .proceed }
        switch await scope.authorizer.renew(stamp, through: scope.client) {
        case .renewed where context.isRepeatable:
            state.withLock { $0.isRenewed = true }
            return .retry(after: .zero)
        case .renewed, .unavailable:
            return .proceed
        case .impossible(let reason):
            return .fail(
                HTTPError(reason, request: error.request, attempt: error.attempt, redirects: error.redirects))
        }
    }

    /// The stamp of the credentials that an error says are no longer good; `nil` where it does not, or where there have
    /// been new ones before.
    private func renewableStamp(after error: HTTPError) -> Authorizer.Stamp? {
        guard case .status(let response) = error.reason, let stamp = state.withLock({ $0.isRenewed ? nil : $0.stamp }),
            scope.admits(response.url), scope.authorizer.provider.reauthorizationCondition(error)
        else { return nil }
        return stamp
    }
}
