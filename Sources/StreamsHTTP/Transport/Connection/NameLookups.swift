#if canImport(CLibcurl)
/// The name lookups of a transport: one for each name, and a limited number at once.
///
/// libcurl starts a thread for each lookup, even if the name is being looked up already, and keeps it until the name
/// server has answered. It announces each lookup in advance, unless it knows the address. A opening whose lookup is
/// refused waits, and is started again later. Only the engine's thread uses this type.
final class NameLookups {
    private let reserve: Int?
    private let share: EngineShare
    /// The lookups under way, each of the name that a route needs, and the openings that wait for their results.
    @exclusivity(unchecked) private var running: [Route: WaitingQueue<ConnectionOpening>] = [:]
    /// The openings that wait for the end of any lookup, also another engine's.
    @exclusivity(unchecked) private var waiting = WaitingQueue<ConnectionOpening>()
    /// The openings to start again.
    @exclusivity(unchecked) private var released: [ConnectionOpening] = []

    /// - Parameters:
    ///   - reserve: The number of descriptors in reserve; `nil` is the default.
    ///   - share: The share in the lookups of the transport.
    init(reserve: Int?, _ share: EngineShare = EngineShare()) {
        self.reserve = reserve
        self.share = share
    }

    /// Returns whether there is no name to look up, but an address.
    static func isUnnecessary(for request: TransportRequest, _ route: Route) -> Bool {
        route.proxyURL == nil && IPAddress(String(request.lazyURL.hostName)) != nil
    }

    private var limit: Int { DescriptorLimit(reserve: reserve).maxLookups }

    private var freeCount: Int { max(limit - share.lookupCount, 0) }

    /// Whether there are openings to start again.
    var isReady: Bool { !released.isEmpty || !waiting.isEmpty && freeCount > 0 }

    /// Begins a lookup, unless one of the same name is under way or there are too many.
    ///
    /// - Returns: Whether it has begun.
    func begin(_ route: Route) -> Bool {
        guard running[route] == nil, share.beginLookup(limit: limit) else { return false }
        running[route] = WaitingQueue()
        return true
    }

    /// Keeps a opening whose lookup was refused.
    func hold(_ opening: ConnectionOpening) {
        let route = opening.route
        if running[route] == nil {
            if waiting.isEmpty { share.setWaitsForLookup(true) }
            waiting.append(opening) { $0.index == nil }
        } else {
            running[route]?.append(opening) { $0.index == nil }
        }
    }

    /// Ends a lookup, and releases the openings that wait for its result.
    func end(_ route: Route) {
        released += endFailed(route)
    }

    /// Ends a lookup that has failed.
    ///
    /// - Returns: The openings that wait for its result, and fail for the same reason.
    func endFailed(_ route: Route) -> [ConnectionOpening] {
        guard var queue = running.removeValue(forKey: route) else { return [] }
        share.endLookups(1)
        return queue.take()
    }

    /// Drops all openings that wait. None of them may be under way.
    func removeAll() {
        share.endLookups(running.count)
        (running, waiting, released) = ([:], WaitingQueue(), [])
    }

    /// Takes the openings to start again.
    func takeReleased() -> [ConnectionOpening] {
        guard isReady else { return [] }
        let wasWaiting = !waiting.isEmpty
        let taken = released.filter { $0.index != nil } + waiting.take(freeCount)
        released = []
        if wasWaiting, waiting.isEmpty { share.setWaitsForLookup(false) }
        return taken
    }
}
#endif
