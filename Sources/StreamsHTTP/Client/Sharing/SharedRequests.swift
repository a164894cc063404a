/// The group of identical requests that a request belongs to.
final class SharedRequestGroup: Sendable {
    /// The key of the group; `nil` if it is known only when the request has been adapted.
    private let key: SharedRequestKey?
    private let requests: SharedRequests

    /// Creates a group; `nil` if the request cannot be shared.
    ///
    /// - Parameter isAdapted: Whether interceptors or the client's cookies change the request. They may add an
    ///   identity.
    init?(_ request: TransportRequest, _ options: RequestOptions, isAdapted: Bool, of requests: SharedRequests) {
        guard let key = SharedRequestKey(request, options) else { return nil }
        self.key = isAdapted ? nil : key
        self.requests = requests
    }

    func join(_ participant: any SharingParticipant, _ plan: RequestPlan) {
        if let key { requests.join(participant, key, plan) } else { requests.start(participant, plan) }
    }
}

/// The requests in flight whose exchange can be shared.
final class SharedRequests: Sendable {
    private let requests = Locked<[SharedRequestKey: SharedRequest]>([:])

    /// Adds a participant to an identical request in flight, or starts one.
    func join(_ participant: any SharingParticipant, _ key: SharedRequestKey, _ plan: RequestPlan) {
        while true {
            let (request, isNew) = requests.withLock { requests in
                if let found = requests[key] { return (found, false) }
                let made = SharedRequest { [weak self] request in self?.remove(request, key) }
                requests[key] = made
                return (made, true)
            }
            // The request has ended meanwhile: remove it and look again.
            guard request.add(participant) else {
                remove(request, key)
                continue
            }
            if isNew { request.start(plan) }
            return
        }
    }

    /// Starts a request that joins an identical one in flight as soon as it has been adapted.
    func start(_ participant: any SharingParticipant, _ plan: RequestPlan) {
        let request = SharedRequest { [weak self] request, adapted in
            guard let self, let key = SharedRequestKey(adapted, plan.options) else { return true }
            return self.insert(request, key)
        }
        _ = request.add(participant)
        request.start(plan)
    }

    /// Inserts a request that has been adapted, or moves its participant to an identical request in flight.
    ///
    /// - Returns: Whether the request has a participant, and so is to be sent.
    private func insert(_ request: SharedRequest, _ key: SharedRequestKey) -> Bool {
        while true {
            let found = requests.withLock { requests in
                if requests[key] == nil { requests[key] = request }
                return requests[key]
            }
            guard let found, found !== request else {
                request.onEnd { [weak self] request in self?.remove(request, key) }
                return true
            }
            switch request.move(to: found) {
            case .moved, .abandoned: return false
            case .refused: remove(found, key)
            }
        }
    }

    private func remove(_ request: SharedRequest, _ key: SharedRequestKey) {
        let removed = requests.withLock { requests in
            requests[key] === request ? requests.removeValue(forKey: key) : nil
        }
        withExtendedLifetime(removed) {}
    }
}

/// The properties that identical requests have in common: everything that the result can depend on.
struct SharedRequestKey: Hashable, Sendable {
    private let request: TransportRequest.Properties
    private let options: RequestOptions

    /// Creates a key. It is `nil` if the request cannot be shared: its method is not safe (RFC 9110, section 9.2.1), it
    /// has a body, or a closure decides on its retries.
    init?(_ request: TransportRequest, _ options: RequestOptions) {
        guard request.method.isSafe, request.body.isEmpty, options.retry.shouldRetry == nil else { return nil }
        self.request = request.properties
        self.options = options
    }
}
