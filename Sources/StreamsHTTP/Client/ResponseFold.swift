/// Awaits a stream of events: what the `async` calls are made of.
// Safe because all that changes is behind the mutex, and nothing is called or resumed under it.
final class ResponseFold: Subscriber, @unchecked Sendable {

    typealias Input = RequestEvent<Data>
    typealias Failure = HTTPError
    private typealias Outcome = Result<Answer, HTTPError>

    /// A response, and the attempt that brought it.
    struct Answer: Sendable {
        let response: HTTPResponse<Data>
        let attempt: Int
    }

    private struct State {
        var attempt = 0
        var subscription: (any Subscription)?
        var continuation: CheckedContinuation<Outcome, Never>?
        var response: HTTPResponse<Data>?
        var outcome: Outcome?
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
            await withCheckedContinuation { continuation in
                fold.start(continuation, delivery)
            }
        } onCancel: {
            fold.cancel()
        }
        return try outcome.get()
    }

    private func start(_ continuation: CheckedContinuation<Outcome, Never>, _ delivery: EventDelivery) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let outcome { return continuation.resume(returning: outcome) }
        RequestPublisher<Data>(plan: plan, decode: { $0.body }).subscribe(self, delivery: delivery)
    }

    func receive(subscription: any Subscription) {
        let isWanted = state.withLock { state in
            guard state.outcome == nil, state.subscription == nil else { return false }
            state.subscription = subscription
            return true
        }
        if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    func receive(_ event: RequestEvent<Data>) -> Subscribers.Demand {
        switch event {
        case .uploadProgress(let progress), .downloadProgress(let progress):
            if state.withLock({ $0.outcome == nil }) { onProgress?(progress) }
        case .response(let response): state.withLock { $0.response = response }
        case .attempt(let attempt): state.withLock { $0.attempt = attempt.number }
        case .head, .chunk, .retrying: break
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        switch completion {
        case .finished:
            let answer = state.withLock { state in
                state.response.map { Answer(response: $0, attempt: state.attempt) }
            }
            if let answer { resolve(.success(answer)) }
        case .failure(let error):
            resolve(.failure(error))
        }
    }

    private func cancel() {
        let subscription = state.withLock { $0.subscription }
        subscription?.cancel()
        resolve(.failure(HTTPError(.cancelled, request: plan.summary)))
    }

    /// Resumes the caller, once.
    private func resolve(_ outcome: Outcome) {
        let (continuation, subscription) = state.withLock { state in
            guard state.outcome == nil else {
                return (CheckedContinuation<Outcome, Never>?.none, (any Subscription)?.none)
            }
            state.outcome = outcome
            defer {
                state.continuation = nil
                state.subscription = nil
            }
            return (state.continuation, state.subscription)
        }
        continuation?.resume(returning: outcome)
        withExtendedLifetime(subscription) {}
    }
}
