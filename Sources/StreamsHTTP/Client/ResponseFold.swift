/// Awaits a stream of events: what the `async` calls are made of.
// Safe because all that changes is behind the mutex, and nothing is called or resumed under it.
final class ResponseFold: RequestDownstream, @unchecked Sendable {

    private typealias Outcome = Result<Answer, HTTPError>

    /// A response, and where it came from.
    struct Answer: Sendable {
        let response: HTTPResponse<Data>
        let source: any RequestSource
    }

    private struct State {
        var source: (any RequestSource)?
        var continuation: UnsafeContinuation<Outcome, Never>?
        var response: HTTPResponse<Data>?
        var isOver = false
    }

    private let plan: RequestPlan
    private let onProgress: (@Sendable (TransferProgress) -> Void)?
    private let state = Locked(State())

    private init(_ plan: RequestPlan, onProgress: (@Sendable (TransferProgress) -> Void)?) {
        self.plan = plan
        self.onProgress = onProgress
    }

    /// What a plan comes to.
    ///
    /// - Parameter delivery: Inline where no code of the caller's is run on the way.
    static func answer(
        to plan: RequestPlan, delivery: EventDelivery = .inline,
        onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(HTTPError) -> Answer {
        let fold = ResponseFold(plan, onProgress: onProgress)
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                fold.start(continuation, delivery)
            }
        } onCancel: {
            fold.cancel()
        }
        return try outcome.get()
    }

    private func start(_ continuation: UnsafeContinuation<Outcome, Never>, _ delivery: EventDelivery) {
        let source = plan.subscription(self, delivery: delivery)
        let isWanted = state.withLock { state in
            guard !state.isOver else { return false }
            state.continuation = continuation
            state.source = source
            return true
        }
        if isWanted { source.request(.unlimited) } else { continuation.resume(returning: .failure(cancellation)) }
    }

    private func cancel() {
        let source = state.withLock { $0.source }
        source?.cancel()
        finish().continuation?.resume(returning: .failure(cancellation))
    }

    private var cancellation: HTTPError { HTTPError(.cancelled, request: plan.summary) }

    /// Ends it, for whoever is the first to do so.
    ///
    /// - Returns: What there was, and the caller to resume where nobody has yet.
    private func finish() -> State {
        state.withLock { state in
            defer { state = State(isOver: true) }
            return state
        }
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
        let last = finish()
        guard let continuation = last.continuation else { return }
        switch completion {
        case .finished:
            // The end comes after the response, or is a failure.
            guard let response = last.response, let source = last.source else {
                return continuation.resume(returning: .failure(cancellation))
            }
            continuation.resume(returning: .success(Answer(response: response, source: source)))
        case .failure(let error):
            continuation.resume(returning: .failure(error))
        }
    }
}
