extension HTTPClient {
    /// The work of the client at this moment: its requests, feeds and downloads under way, its queues, and the
    /// connections, permits and retry budgets of each origin.
    ///
    /// ```swift
    /// print(client.snapshot)
    /// // requests: 1 running, 0 waiting; feeds: 1 running, 0 waiting
    /// // phase         age  attempt  sent  received  request
    /// // receiving  12.3 s        1     0   4194304  GET https://api.example.com/export, orders (Shop/Orders.swift:42)
    /// ```
    ///
    /// You may read it on any thread, also from inside a stream. Each queue is copied under its lock, and each request is
    /// read under its own. Requests continue meanwhile, and no code of the program is called under a lock. A client that
    /// ``configuring(_:)`` has returned has requests of its own, and shares the connections of the transport.
    public var snapshot: Snapshot {
        let now = clock.now
        var snapshot = Snapshot(requestQueue: requestQueue.limit, feedQueue: feedQueue.limit)
        for entry in requestQueue.entries {
            snapshot.requestQueue.count(entry.status)
            entry.request.add(to: &snapshot, entry.status, now: now)
        }
        for entry in feedQueue.entries {
            snapshot.feedQueue.count(entry.status)
            entry.request.add(to: &snapshot, entry.status, now: now)
        }
        snapshot.requests.sort { $0.age > $1.age }
        snapshot.feeds.sort { $0.age > $1.age }
        snapshot.origins = origins(now: now)
        return snapshot
    }

    private func origins(now: Duration) -> [Snapshot.Origin] {
        var origins: [String: Snapshot.Origin] = [:]
        for connections in transport.connections {
            origins[connections.origin, default: .init(name: connections.origin)].connections = connections
        }
        for (name, permits) in permits?.snapshots(now: now) ?? [:] {
            origins[name, default: .init(name: name)].permits = permits
        }
        if let retryBudget = configuration.limits.retryBudget {
            for (name, use) in retryTracker.uses(of: retryBudget, now: now) {
                origins[name, default: .init(name: name)].retries = use
            }
        }
        return origins.values.sorted { $0.name < $1.name }
    }
}
