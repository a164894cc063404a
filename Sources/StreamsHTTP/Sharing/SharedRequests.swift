/// A request's place among those that are identical.
final class SharedRequestGroup: Sendable {
    private let key: SharedRequestKey
    private let requests: SharedRequests

    /// - Returns: `nil` where the request is not one to share.
    init?(_ request: TransportRequest, _ options: RequestOptions, of requests: SharedRequests) {
        guard let key = SharedRequestKey(request, options) else { return nil }
        self.key = key
        self.requests = requests
    }

    func join(_ participant: any SharingParticipant, _ plan: RequestPlan) -> SharedRequest {
        requests.join(participant, key, plan)
    }
}

/// The requests under way whose exchange others may share.
final class SharedRequests: Sendable {
    private let requests = Locked<[SharedRequestKey: SharedRequest]>([:])

    /// Lets a participant take part in a request that is under way, or starts one for it.
    func join(_ participant: any SharingParticipant, _ key: SharedRequestKey, _ plan: RequestPlan) -> SharedRequest {
        while true {
            let (request, isNew) = requests.withLock { requests in
                if let found = requests[key] { return (found, false) }
                let made = SharedRequest { [weak self] request in self?.forget(request, key) }
                requests[key] = made
                return (made, true)
            }
            // One that has ended meanwhile is forgotten, and the next look finds another or none.
            guard request.add(participant) else {
                forget(request, key)
                continue
            }
            if isNew { request.start(plan) }
            return request
        }
    }

    private func forget(_ request: SharedRequest, _ key: SharedRequestKey) {
        let forgotten = requests.withLock { requests in
            requests[key] === request ? requests.removeValue(forKey: key) : nil
        }
        withExtendedLifetime(forgotten) {}
    }
}
