// The answers of a list of interceptors.
extension [any Interceptor] {
    /// A request as all of them have it.
    func adapted(
        _ request: TransportRequest, _ context: RequestContext
    ) async -> Result<TransportRequest, TransportFailure> {
        do {
            var request = request
            for interceptor in self { request = try await interceptor.adapt(request, context) }
            return .success(try request.checked())
        } catch {
            return .failure(TransportFailure(thrown: error))
        }
    }

    /// The decision of the first that has one.
    func ruling(after error: HTTPError, _ context: RequestContext) async -> Ruling? {
        for interceptor in self {
            switch await interceptor.retry(after: error, context) {
            case .proceed: continue
            case .retry(let delay): return .repeated(after: delay)
            case .fail(let error): return .fail(error)
            }
        }
        return nil
    }

    /// The response of the first that has one.
    func recovered(
        from error: HTTPError, _ context: RequestContext
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
