extension HTTPClient {
    /// The work of a client at one moment; see ``HTTPClient/snapshot``.
    ///
    /// The counts of a queue and its requests are of the same moment. A request, an origin and a transport are read one
    /// after the other: each is consistent in itself.
    public struct Snapshot: Sendable {
        /// The requests and downloads, the oldest first.
        public internal(set) var requests: [ActiveRequest] = []
        /// The feeds, the oldest first.
        public internal(set) var feeds: [ActiveFeed] = []
        /// The WebSockets, the oldest first. Those of feeds are among ``feeds``.
        public internal(set) var webSockets: [ActiveWebSocket] = []
        /// The lists whose pages are requested one after another, the oldest first. The request for a page is among
        /// ``requests``.
        public internal(set) var pages: [ActivePages] = []
        /// The queue of ``requests``, whose limit is ``Limits/maxConcurrentRequests``.
        public internal(set) var requestQueue: Queue
        /// The queue of ``feeds`` and ``webSockets``, whose limit is ``Limits/maxConcurrentFeeds``.
        public internal(set) var feedQueue: Queue
        /// The origins that the client has connections, permits or recent attempts of, by name.
        public internal(set) var origins: [Origin] = []
        /// The numbers of the client's cache; `nil` if it has none.
        public internal(set) var cache: HTTPCache.Statistics?

        init(requestQueue: Int?, feedQueue: Int?) {
            self.requestQueue = Queue(limit: requestQueue)
            self.feedQueue = Queue(limit: feedQueue)
        }
    }
}

extension HTTPClient.Snapshot {
    /// The counts of a queue.
    public struct Queue: Hashable, Sendable {
        /// The maximum number of running requests; `nil` is no limit.
        public let limit: Int?
        /// The number of requests under way.
        public internal(set) var running = 0
        /// The number of requests that wait for others to end.
        public internal(set) var waiting = 0
        /// The number of requests whose completion is being delivered. They leave their place to others.
        public internal(set) var ending = 0

        init(limit: Int?) {
            self.limit = limit.map { max($0, 1) }
        }

        mutating func count(_ status: RequestQueue.Status) {
            switch status {
            case .waiting: waiting += 1
            case .running: running += 1
            case .ending: ending += 1
            }
        }
    }

    /// A request or a download under way.
    public struct ActiveRequest: Hashable, Sendable {
        /// The phase of a request.
        public struct Phase: RawRepresentable, Hashable, Sendable {
            public let rawValue: String

            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// Waits in the client's queue.
            public static let queued = Phase(rawValue: "queued")
            /// Is adapted by interceptors, or obtains credentials.
            public static let preparing = Phase(rawValue: "preparing")
            /// Waits for a permit of the policies that protect the server.
            public static let waitingForPermit = Phase(rawValue: "waiting for permit")
            /// Connects, sends the request, or waits for the response's head.
            public static let sending = Phase(rawValue: "sending")
            /// Receives the response's body.
            public static let receiving = Phase(rawValue: "receiving")
            /// Waits for a decision of interceptors, validation or policies.
            public static let deciding = Phase(rawValue: "deciding")
            /// Waits before the next attempt.
            public static let waitingForRetry = Phase(rawValue: "waiting for retry")
            /// Has ended, and delivers its last events or its completion.
            public static let ending = Phase(rawValue: "ending")
        }

        /// The call site of the nearest `checkpoint(_:fileID:line:)` that has subscribed to the
        /// request, the same as in the `Census`; `nil` if there is none.
        public let callSite: CallSite?
        /// The method of the exchange under way, or of the planned request.
        public let method: HTTPMethod
        /// The URL of the exchange under way, or of the planned request, without secrets
        /// (``HTTPClient/Configuration/redaction``).
        public let url: String
        /// The origin of that URL, as in ``Origin/name``.
        public let origin: String
        /// The path of the file of a download; `nil` for other requests.
        public let path: String?
        /// The phase.
        public let phase: Phase
        /// The wait of the request before it is sent; `nil` if it does not wait. Of a download, the wait for a slot of
        /// the client alone.
        public let wait: HTTPRequest.Wait?
        /// The time since the first demand, by the client's clock.
        public let age: Duration
        /// The number of the attempt, from 1; 0 before the first.
        public let attempt: Int
        /// The number of further copies of the request that were sent in this exchange (``HedgingPolicy``).
        public let hedges: Int
        /// The number of bytes of the request's body that have been sent in this exchange.
        public let sentBytes: Int64
        /// The number of bytes of the body that have been received in this exchange, before decoding; for a download,
        /// those in its file.
        public let receivedBytes: Int64
    }

    /// A feed under way.
    public struct ActiveFeed: Hashable, Sendable {
        /// The phase of a feed.
        public struct Phase: RawRepresentable, Hashable, Sendable {
            public let rawValue: String

            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// Waits in the client's queue of feeds.
            public static let queued = Phase(rawValue: "queued")
            /// Connects, or waits for the response's head.
            public static let connecting = Phase(rawValue: "connecting")
            /// Has a connection, and reads its elements.
            public static let open = Phase(rawValue: "open")
            /// Waits before it connects again.
            public static let waiting = Phase(rawValue: "waiting")
            /// Has ended, and delivers its completion.
            public static let ending = Phase(rawValue: "ending")
        }

        /// The call site of the nearest `checkpoint(_:fileID:line:)` that has subscribed to the
        /// feed, the same as in the `Census`; `nil` if there is none.
        public let callSite: CallSite?
        /// The method of the latest request.
        public let method: HTTPMethod
        /// The URL of the latest request, or the target as it was given before the first one, without secrets
        /// (``HTTPClient/Configuration/redaction``).
        public let url: String
        /// The phase.
        public let phase: Phase
        /// The time since the first demand, by the client's clock.
        public let age: Duration
        /// The number of connections that were started.
        public let connections: Int
        /// The number of elements that were delivered.
        public let elements: Int
        /// The position that the next connection resumes from, if the elements tell one: the last event ID of
        /// server-sent events, for example. Its control characters are escaped.
        public let position: String?
    }
}

extension HTTPClient {
    /// The work of the client at this moment: its requests, feeds, WebSockets, pages and downloads under way, its
    /// queues, and the connections, permits and retry budgets of each origin. <doc:Observing> shows its description.
    ///
    /// You may read it on any thread, also from inside a stream. No code of the program is called under a lock. A
    /// client that ``configuring(_:)`` has returned has requests of its own, and shares the connections of the
    /// transport.
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
        for entry in pageQueue.entries { entry.request.add(to: &snapshot, entry.status, now: now) }
        snapshot.requests.sort { $0.age > $1.age }
        snapshot.feeds.sort { $0.age > $1.age }
        snapshot.webSockets.sort { $0.age > $1.age }
        snapshot.pages.sort { $0.age > $1.age }
        snapshot.origins = origins(now: now)
        snapshot.cache = cache?.statistics
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
