/// One participant's subscription to a request that is shared: with a demand, a pace and a decoding of its own.
// Safe because all that changes is behind the mutex, and the subscriber is called by one thread at a time.
final class SharedSubscription: RequestSource, SharingParticipant, @unchecked Sendable {

    private struct State {
        var outbox: EventOutbox
        var downstream: (any RequestDownstream)?
        var request: SharedRequest?
        var hasJoined = false
        var isDelivering = false
        /// What was not delivered, and is to be released outside of the lock.
        var dropped: EventOutbox?
        var attempt = 1

        mutating func take(_ news: SharedRequest.News) {
            switch news {
            case .event(.uploadProgress(let progress)):
                outbox.set(upload: progress)
            case .event(.downloadProgress(let progress)):
                outbox.set(download: progress)
            case .event(.response(let response)):
                outbox.complete(with: response)
            case .event(let event):
                if case .attempt(let attempt) = event { self.attempt = attempt.number }
                outbox.append(step: event)
            case .completion(let completion):
                // Whoever is cancelled from above hears of nothing else.
                if case .failure(let error) = completion, error.isCancellation {
                    dropped = outbox
                    outbox = EventOutbox(outbox.interest)
                }
                outbox.complete(completion)
            }
        }
    }

    private let plan: RequestPlan
    private let group: SharedRequestGroup
    private let delivery: EventDelivery
    private let state: Locked<State>

    init(
        _ plan: RequestPlan, _ group: SharedRequestGroup, delivery: EventDelivery, downstream: any RequestDownstream
    ) {
        self.plan = plan
        self.group = group
        self.delivery = delivery
        state = Locked(State(outbox: EventOutbox(downstream.interest), downstream: downstream))
    }

    func request(_ demand: Subscribers.Demand) {
        let mustJoin = state.withLock { state in
            state.outbox.request(demand)
            guard !state.hasJoined, demand > .none, state.downstream != nil else { return false }
            state.hasJoined = true
            return true
        }
        if mustJoin { join() } else { deliverIfNeeded() }
    }

    func cancel() {
        finish()?.remove(self)
    }

    func take(_ news: SharedRequest.News) {
        state.withLock { $0.take(news) }
    }

    func deliverIfNeeded() {
        let (mustDeliver, dropped) = state.withLock { state in
            let mustDeliver = !state.isDelivering && state.outbox.isReady && state.downstream != nil
            if mustDeliver { state.isDelivering = true }
            defer { state.dropped = nil }
            return (mustDeliver, state.dropped)
        }
        withExtendedLifetime(dropped) {}
        if mustDeliver { delivery.run(self) }
    }

    /// Delivers until nothing is left to deliver. Runs on one thread at a time.
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
    func error(for undecodable: UndecodableResponse) -> HTTPError {
        let response = undecodable.response
        var request = plan.summary
        // What was asked for first is shown as it was made: what interceptors made of it may contain their secrets.
        if !response.redirects.isEmpty {
            request = HTTPError.RequestSummary(method: request.method, url: response.url.redactedString)
        }
        return HTTPError(
            undecodable.reason, request: request, attempt: state.withLock { $0.attempt }, redirects: response.redirects)
    }
}

extension SharedSubscription: CustomStringConvertible {
    var description: String { "Request" }
}

extension SharedSubscription {
    private func join() {
        let request = group.join(self, plan)
        let isWanted = state.withLock { state in
            guard state.downstream != nil else { return false }
            state.request = request
            return true
        }
        if !isWanted { request.remove(self) }
    }

    private func takeDelivery() -> (EventOutbox.Delivery, any RequestDownstream)? {
        state.withLock { state in
            guard let downstream = state.downstream, let delivery = state.outbox.next() else {
                state.isDelivering = false
                return nil
            }
            return (delivery, downstream)
        }
    }

    private func deliver(_ event: RequestEvent<Data>, to downstream: any RequestDownstream) {
        let demand: Subscribers.Demand
        do throws(UndecodableResponse) {
            demand = try downstream.receive(event)
        } catch {
            finish()?.remove(self)
            return downstream.receive(completion: .failure(self.error(for: error)))
        }
        if demand > .none { request(demand) }
    }

    /// Lets go of the subscriber.
    ///
    /// - Returns: The request that this was a part of.
    private func finish() -> SharedRequest? {
        let (downstream, outbox, request) = state.withLock { state in
            defer {
                state.downstream = nil
                state.outbox = EventOutbox(state.outbox.interest)
                state.request = nil
            }
            return (state.downstream, state.outbox, state.request)
        }
        withExtendedLifetime((downstream, outbox)) {}
        return request
    }
}
