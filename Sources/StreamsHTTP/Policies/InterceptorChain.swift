// Calls to a list of interceptors.
extension [any Interceptor] {
    /// Returns the request as adapted by all interceptors in order, without credentials outside of the scope.
    func adapted(
        _ original: TransportRequest, _ context: HTTPRequest.Context, _ scope: CredentialScope, _ coders: CoderRegistry
    ) async -> Result<TransportRequest, TransportFailure> {
        do {
            var request = original
            for interceptor in self { request = try await interceptor.adapt(request, context) }
            let checked = try request.encodingBody(by: coders).checked()
            return .success(scope.confining(checked, adaptedFrom: original, after: context.redirects))
        } catch {
            return .failure(TransportFailure(thrown: error))
        }
    }

    /// Returns the response as adapted by all interceptors, the last of them first.
    func adapted(
        _ response: HTTPResponse<Data>, _ context: HTTPRequest.Context
    ) async -> Result<HTTPResponse<Data>, TransportFailure> {
        do {
            var response = response
            for interceptor in reversed() { response = try await interceptor.adapt(response, context) }
            return .success(response)
        } catch {
            return .failure(TransportFailure(thrown: error))
        }
    }

    /// Returns the decision of the first interceptor that makes one.
    func retryResolution(after error: HTTPError, _ context: HTTPRequest.Context) async -> RetryResolution? {
        for interceptor in self {
            switch await interceptor.retry(after: error, context) {
            case .proceed: continue
            case .retry(let delay): return .retryFromInterceptor(after: delay)
            case .fail(let error): return .fail(error)
            }
        }
        return nil
    }

    /// Returns the response of the first interceptor that provides one.
    func recovered(
        from error: HTTPError, _ context: HTTPRequest.Context
    ) async -> Result<HTTPResponse<Data>?, TransportFailure> {
        do {
            for interceptor in self {
                if let response = try await interceptor.recover(from: error, context) { return .success(response) }
            }
            return .success(nil)
        } catch {
            return .failure(TransportFailure(thrown: error))
        }
    }
}
