/// Awaits a stream of events: what the `async` calls are made of.
// Safe because all that changes is behind the mutex, and nothing is called or resumed under it.
final class ResponseFold: RequestDownstream, @unchecked Sendable {

    private struct State {
        var source: (any RequestSource)?
        var continuation: UnsafeContinuation<Void, Never>?
        var response: HTTPResponse<Data>?
        var failure: HTTPError?
        var isOver = false
    }

    let plan: RequestPlan
    private let onProgress: (@Sendable (TransferProgress) -> Void)?
    private let state = Locked(State())

    private init(_ plan: RequestPlan, onProgress: (@Sendable (TransferProgress) -> Void)?) {
        self.plan = plan
        self.onProgress = onProgress
    }

    /// Carries a plan out, and returns when it is over: what it has come to is to be asked for. Returned from here, it
    /// would take room in the frame of everyone who waits.
    ///
    /// - Parameter delivery: Inline where no code of the caller's is run on the way.
    static func awaitEnd(
        of plan: RequestPlan, delivery: EventDelivery = .inline,
        onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async -> ResponseFold {
        let fold = ResponseFold(plan, onProgress: onProgress)
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                fold.start(continuation, delivery)
            }
        } onCancel: {
            fold.cancel()
        }
        return fold
    }

    private func start(_ continuation: UnsafeContinuation<Void, Never>, _ delivery: EventDelivery) {
        let source = plan.subscription(self, delivery: delivery)
        let isWanted = state.withLock { state in
            guard !state.isOver else { return false }
            state.continuation = continuation
            state.source = source
            return true
        }
        if isWanted { source.request(.unlimited) } else { continuation.resume() }
    }

    private func cancel() {
        state.withLock { $0.source }?.cancel()
        end(.failure(HTTPError(.cancelled, request: plan.summary)))
    }

    /// Ends it, unless it has ended.
    private func end(_ completion: Subscribers.Completion<HTTPError>) {
        let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard !state.isOver else { return nil }
            state.isOver = true
            if case .failure(let error) = completion { state.failure = error }
            return state.continuation.take()
        }
        continuation?.resume()
    }
}

extension ResponseFold {
    /// The response that it has come to.
    func response() throws(HTTPError) -> HTTPResponse<Data> {
        let (response, failure) = state.withLock { ($0.response, $0.failure) }
        // The end comes after the response, or is a failure.
        guard failure == nil, let response else {
            throw failure ?? HTTPError(.cancelled, request: plan.summary)
        }
        return response
    }

    /// What it comes to where that response is not what was expected.
    func error(for undecodable: UndecodableResponse) -> HTTPError {
        state.withLock { $0.source }?.error(for: undecodable) ?? HTTPError(undecodable.reason, request: plan.summary)
    }
}

extension ResponseFold {
    var interest: EventInterest { onProgress == nil ? .answer : .progress }

    func receive(_ event: RequestEvent<Data>) -> Subscribers.Demand {
        switch event {
        case .uploadProgress(let progress), .downloadProgress(let progress):
            if state.withLock({ !$0.isOver }) { onProgress?(progress) }
        case .response(let response): state.withLock { $0.response = response }
        case .attempt, .head, .chunk, .retrying: break
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        end(completion)
    }
}
