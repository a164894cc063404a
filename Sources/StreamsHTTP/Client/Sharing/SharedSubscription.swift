/// A participant's subscription to a shared request, with its own demand, buffer and decoding.
// Safe because a mutex guards all mutable state, and the subscriber is called by one thread at a time.
final class SharedSubscription: RequestHandle, SharingParticipant, @unchecked Sendable {

    private struct State {
        var buffer: EventBuffer
        var downstream: (any EventSink)?
        var request: SharedRequest?
        var hasJoined = false
        var isDelivering = false
        /// The undelivered events, to be released outside the lock.
        var dropped: EventBuffer?
        var attempt = 1

        mutating func receive(_ update: EventBuffer.Delivery) {
            switch update {
            case .event(.uploadProgress(let progress)):
                buffer.set(upload: progress)
            case .event(.downloadProgress(let progress)):
                buffer.set(download: progress)
            case .event(.response(let response)):
                buffer.complete(with: response)
            case .event(let event):
                if case .attempt(let attempt) = event { self.attempt = attempt.number }
                buffer.append(step: event)
            case .completion(let completion):
                // If the exchange was cancelled upstream, the undelivered events are dropped.
                if case .failure(let error) = completion, error.isCancellation {
                    dropped = buffer
                    buffer = EventBuffer(buffer.filter)
                }
                buffer.complete(completion)
            }
        }
    }

    private let plan: RequestPlan
    private let state: Locked<State>

    /// - Parameter plan: The plan of a request that can be shared.
    init(_ plan: RequestPlan, downstream: any EventSink) {
        self.plan = plan
        state = Locked(State(buffer: EventBuffer(downstream.filter), downstream: downstream))
    }

    func request(_ demand: Subscribers.Demand) {
        let mustJoin = state.withLock { state in
            state.buffer.request(demand)
            guard !state.hasJoined, demand > .none, state.downstream != nil else { return false }
            state.hasJoined = true
            return true
        }
        if mustJoin { plan.sharing?.join(self, plan) } else { deliverIfNeeded() }
    }

    func cancel() {
        finish()?.remove(self)
    }

    func join(_ request: SharedRequest) {
        let isWanted = state.withLock { state in
            guard state.downstream != nil else { return false }
            state.request = request
            return true
        }
        if !isWanted { request.remove(self) }
    }

    func receive(_ update: EventBuffer.Delivery) {
        state.withLock { $0.receive(update) }
    }

    func deliverIfNeeded() {
        let (downstream, dropped) = state.withLock { state in
            let mustDeliver = !state.isDelivering && state.buffer.isReady
            if mustDeliver, state.downstream != nil { state.isDelivering = true }
            defer { state.dropped = nil }
            return (mustDeliver ? state.downstream : nil, state.dropped)
        }
        withExtendedLifetime(dropped) {}
        downstream?.scheduleDelivery(of: self)
    }

    /// Delivers buffered events until none is left. Runs on one thread at a time.
    func deliver() {
        while let (delivery, downstream) = takeDelivery() {
            switch delivery {
            case .event(let event):
                deliver(event, to: downstream)
            case .completion(let completion):
                _ = finish()
                downstream.receive(completion: completion)
            }
        }
    }
}

extension SharedSubscription {
    private func error(for undecodable: UndecodableResponse) -> HTTPError {
        let response = undecodable.response
        var request = plan.summary
        // An adapted request may contain interceptors' secrets, so the original one is shown.
        if !response.redirects.isEmpty, !plan.isAdapted {
            request = HTTPError.RequestSummary(method: request.method, url: plan.redaction.redacting(response.url))
        }
        return HTTPError(
            undecodable.reason, request: request, attempt: state.withLock { $0.attempt }, redirects: response.redirects)
    }
}

extension SharedSubscription: CustomStringConvertible {
    var description: String { "Request" }
}

extension SharedSubscription {
    private func takeDelivery() -> (EventBuffer.Delivery, any EventSink)? {
        state.withLock { state in
            guard let downstream = state.downstream, let delivery = state.buffer.next() else {
                state.isDelivering = false
                return nil
            }
            return (delivery, downstream)
        }
    }

    private func deliver(_ event: RequestEvent<Data>, to downstream: any EventSink) {
        let demand: Subscribers.Demand
        do throws(UndecodableResponse) {
            demand = try downstream.receive(event)
        } catch {
            finish()?.remove(self)
            return downstream.receive(completion: .failure(self.error(for: error)))
        }
        if demand > .none { request(demand) }
    }

    /// Releases the subscriber and the buffer.
    ///
    /// - Returns: The shared request that this subscription belonged to.
    private func finish() -> SharedRequest? {
        let (downstream, buffer, request) = state.withLock { state in
            defer {
                state.downstream = nil
                state.buffer = EventBuffer(state.buffer.filter)
                state.request = nil
            }
            return (state.downstream, state.buffer, state.request)
        }
        withExtendedLifetime((downstream, buffer)) {}
        return request
    }
}
