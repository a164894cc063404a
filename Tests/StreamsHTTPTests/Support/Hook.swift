import StreamsHTTP

/// An interceptor made of closures.
struct Hook: Interceptor {
    var onAdapt: @Sendable (TransportRequest, RequestContext) async throws -> TransportRequest = { request, _ in request
    }
    var onHead: @Sendable (HTTPResponse<Void>) -> Bool = { _ in true }
    var onRetry: @Sendable (HTTPError, RequestContext) async -> RetryDecision = { _, _ in .proceed }
    var onRecover: @Sendable (HTTPError, RequestContext) async throws -> HTTPResponse<Data>? = { _, _ in nil }
    var onObserve: @Sendable (ObservedEvent, RequestContext) -> Void = { _, _ in }

    func adapt(_ request: TransportRequest, _ context: RequestContext) async throws -> TransportRequest {
        try await onAdapt(request, context)
    }

    func isAcceptable(_ head: HTTPResponse<Void>, _ context: RequestContext) -> Bool {
        onHead(head)
    }

    func retry(after error: HTTPError, _ context: RequestContext) async -> RetryDecision {
        await onRetry(error, context)
    }

    func recover(from error: HTTPError, _ context: RequestContext) async throws -> HTTPResponse<Data>? {
        try await onRecover(error, context)
    }

    func observe(_ event: ObservedEvent, _ context: RequestContext) {
        onObserve(event, context)
    }
}

extension ObservedEvent {
    var outline: String {
        switch self {
        case .attempt(let attempt): "attempt \(attempt.number)"
        case .sending(let request): "sending \(request.url.path())"
        case .head(let head): "head \(head.status.code)"
        case .retrying: "retrying"
        case .finished(let response): "finished \(response.status.code)"
        case .failed(let error): "failed \(error.reason.label)"
        case .cancelled: "cancelled"
        }
    }
}

/// Waits until its task is cancelled, and says so.
struct Endless: Sendable {
    let hasBegun = Watched(false)
    let isCancelled = Watched(false)

    func wait() async throws {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        await withTaskCancellationHandler {
            hasBegun.update { $0 = true }
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
        isCancelled.update { $0 = Task.isCancelled }
        try Task.checkCancellation()
    }
}
