// Calls to interceptors and to other code of the program.

/// A call to user code whose result the state machine waits for.
indirect enum InterceptorCall {
    /// Adapts a request with the interceptors.
    case adaptation(TransportRequest, HTTPRequest.Context)
    /// Decides whether the redirect of a response to the next request is followed.
    case redirectDecision(HTTPResponse<Void>, TransportRequest, RedirectPolicy.Rule)
    /// Validates the head of a response.
    ///
    /// - error: The error if the head is not acceptable.
    case headValidation(HTTPResponse<Void>, error: HTTPError, retries: Int)
    /// Validates a response with its body.
    case bodyValidation(HTTPResponse<Data>)
    /// Adapts a response with the interceptors.
    case responseAdaptation(HTTPResponse<Data>, HTTPRequest.Context)
    /// Decides whether a failed attempt is followed by another, after a delay if the retry policy has set one.
    case retry(HTTPError, HTTPRequest.Context, retries: Int, expectedDelay: Duration?)
    /// Looks for a response that replaces an error.
    case recovery(HTTPError, HTTPRequest.Context)
}

extension [any Interceptor] {
    /// Returns the request as adapted by all interceptors in order, without credentials outside of the scope.
    func adapted(
        _ original: TransportRequest, _ context: HTTPRequest.Context, by plan: RequestPlan
    ) async -> Result<TransportRequest, TransportFailure> {
        do {
            var request = original
            for interceptor in self { request = try await interceptor.adapt(request, context) }
            let checked = try request.encodingBody(by: plan.coders).describingCompression()
                .checked(keepsDotSegments: plan.options.keepsDotSegments)
            return .success(plan.credentialScope.confining(checked, adaptedFrom: original, after: context.redirects))
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
    func retryDecision(after error: HTTPError, _ context: HTTPRequest.Context) async -> RetryPolicy.Decision? {
        for interceptor in self {
            let decision = await interceptor.retry(after: error, context)
            if case .proceed = decision { continue }
            return decision
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

extension TransportFailure {
    /// Creates a failure from an error that an interceptor threw.
    fileprivate init(thrown error: any Error) {
        switch error {
        case let error as HTTPError: self.init(error.reason, underlying: error.underlying)
        case let reason as HTTPError.Reason: self.init(reason)
        default: self.init(.thrown(error, by: .interceptor))
        }
    }
}

/// A task that calls interceptors for a subscription. Only the task keeps the subscription alive until it finishes or
/// is cancelled.
final class InterceptorTask: Cancellable, Sendable {
    private struct State {
        var subscription: RequestSubscription?
        var task: Task<Void, Never>?
    }

    private let state: Locked<State>

    /// - Parameters:
    ///   - subscription: The subscription that handles the result.
    ///   - generation: The generation of the result.
    ///   - executor: The preferred executor of the task; `nil` for the global pool.
    ///   - operation: Calls the interceptors.
    init(
        for subscription: RequestSubscription, _ generation: Int, on executor: (any TaskExecutor)?,
        _ operation: @escaping @Sendable () async -> RequestStateMachine.Input
    ) {
        state = Locked(State(subscription: subscription))
        let task = Task(executorPreference: executor) {
            let input = await operation()
            self.take().subscription?.handle(input, generation: generation)
        }
        let isWanted = state.withLock { state in
            if state.subscription != nil { state.task = task }
            return state.subscription != nil
        }
        // If the task has finished meanwhile, this does nothing.
        if !isWanted { task.cancel() }
    }

    func cancel() {
        take().task?.cancel()
    }

    private func take() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
