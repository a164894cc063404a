import StreamsHTTP

/// An interceptor made of closures.
struct Hook: Interceptor {
    var onAdapt: @Sendable (TransportRequest, HTTPRequest.Context) async throws -> TransportRequest = { request, _ in
        request
    }
    var onResponse: @Sendable (HTTPResponse<Data>, HTTPRequest.Context) async throws -> HTTPResponse<Data> = {
        response, _ in
        response
    }
    var onRetry: @Sendable (HTTPError, HTTPRequest.Context) async -> RetryPolicy.Decision = { _, _ in .proceed }
    var onRecover: @Sendable (HTTPError, HTTPRequest.Context) async throws -> HTTPResponse<Data>? = { _, _ in nil }

    func adapt(_ request: TransportRequest, _ context: HTTPRequest.Context) async throws -> TransportRequest {
        try await onAdapt(request, context)
    }

    func adapt(_ response: HTTPResponse<Data>, _ context: HTTPRequest.Context) async throws -> HTTPResponse<Data> {
        try await onResponse(response, context)
    }

    func retry(after error: HTTPError, _ context: HTTPRequest.Context) async -> RetryPolicy.Decision {
        await onRetry(error, context)
    }

    func recover(from error: HTTPError, _ context: HTTPRequest.Context) async throws -> HTTPResponse<Data>? {
        try await onRecover(error, context)
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
