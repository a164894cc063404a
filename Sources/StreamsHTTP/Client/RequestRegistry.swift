/// A request as its client knows it while it is under way.
protocol RegisteredRequest: AnyObject, Sendable {
    /// Its turn has come.
    func begin()
    /// The client gives it up.
    func abandon()
}

/// The requests of a client and its copies that are under way, and among them those that wait for their turn.
///
/// A request enters when it is first asked for something, gives its turn back before it tells its subscriber the end,
/// and leaves when that is told. Each takes the lock for a moment; nothing else that happens to a request does.
final class RequestRegistry: Sendable {
    /// What a request that enters is told.
    enum Entrance {
        case begins(place: Int)
        /// It will be told to begin, unless it leaves before.
        case waits(place: Int)
        /// The client has been shut down.
        case refused
    }

    private let state = Locked(RegistryState())

    /// - Parameter limit: How many may have their turn for this one to have it too; `nil` is without limit.
    func enter(_ request: any RegisteredRequest, limit: Int?) -> Entrance {
        state.withLock { $0.enter(request, limit: limit) }
    }

    /// Lets the next request have the turn of one that needs it no longer.
    func giveTurnBack(_ place: Int) {
        state.withLock { $0.giveTurnBack(place) }
        callNext()
    }

    func leave(_ place: Int) {
        let (request, waiters, someoneWaits) = state.withLock { $0.leave(place) }
        // Released here: it may be the last to hold a subscriber.
        withExtendedLifetime(request) {}
        for waiter in waiters { waiter.resume() }
        if someoneWaits { callNext() }
    }

    /// Gives up every request that is under way now.
    func abandonAll() {
        let requests = state.withLock { $0.dismissAll() }
        for request in requests { request.abandon() }
    }

    /// Refuses every request from now on.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Returns when no request is under way.
    func waitUntilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.count > 0 { state.waiters.append(continuation) }
                return state.count == 0
            }
            if isEmpty { continuation.resume() }
        }
    }

    /// Lets requests begin for which there is room, one after the other: one that is over before this returns makes
    /// room for the next, and a loop takes no stack where a chain of calls would.
    private func callNext() {
        guard state.withLock({ $0.startCalling() }) else { return }
        while let next = state.withLock({ $0.nextToBegin() }) { next.begin() }
    }
}

/// Places for requests, used again; those that wait are chained in the order they came.
struct RegistryState {
    private enum Status {
        case free
        case waiting
        case running
        /// It is about to tell its subscriber the end.
        case ending
    }

    private struct Place {
        var request: (any RegisteredRequest)?
        var status = Status.free
        var limit = Int.max
        /// The neighbours among those that wait.
        var previous: Int?
        var next: Int?
    }

    private var places: [Place] = []
    private var free: [Int] = []
    private var first: Int?
    private var last: Int?
    private var running = 0
    private var isCalling = false
    private(set) var count = 0
    var isClosed = false
    var waiters: [CheckedContinuation<Void, Never>] = []

    mutating func enter(_ request: any RegisteredRequest, limit: Int?) -> RequestRegistry.Entrance {
        if isClosed { return .refused }
        count += 1
        let index = free.popLast() ?? places.count
        if index == places.count { places.append(Place()) }
        let limit = max(limit ?? .max, 1)
        // Whoever has a limit waits behind those that were there before; whoever has none waits for nobody.
        guard running < limit, limit == .max || first == nil else {
            places[index] = Place(request: request, status: .waiting, limit: limit, previous: last)
            if let last { places[last].next = index } else { first = index }
            last = index
            return .waits(place: index)
        }
        running += 1
        places[index].request = request
        places[index].status = .running
        return .begins(place: index)
    }

    mutating func giveTurnBack(_ index: Int) {
        if places[index].status == .waiting { unchain(index) }
        if places[index].status == .running { running -= 1 }
        places[index].status = .ending
    }

    /// - Returns: The request, whoever waits for the last to leave, and whether a request waits that may now begin.
    mutating func leave(_ index: Int) -> ((any RegisteredRequest)?, [CheckedContinuation<Void, Never>], Bool) {
        giveTurnBack(index)
        let request = places[index].request
        places[index].request = nil
        places[index].status = .free
        free.append(index)
        count -= 1
        guard count == 0 else { return (request, [], first != nil) }
        defer { waiters = [] }
        return (request, waiters, false)
    }

    /// Every request there is; none that waits will be told to begin.
    mutating func dismissAll() -> [any RegisteredRequest] {
        while let index = first {
            unchain(index)
            places[index].status = .ending
        }
        return places.compactMap(\.request)
    }

    /// - Returns: Whether the caller is the one to call requests.
    mutating func startCalling() -> Bool {
        guard !isCalling, first != nil else { return false }
        isCalling = true
        return true
    }

    mutating func nextToBegin() -> (any RegisteredRequest)? {
        guard let index = first, running < places[index].limit else {
            isCalling = false
            return nil
        }
        unchain(index)
        places[index].status = .running
        running += 1
        return places[index].request
    }

    private mutating func unchain(_ index: Int) {
        let (previous, next) = (places[index].previous, places[index].next)
        if let previous { places[previous].next = next } else { first = next }
        if let next { places[next].previous = previous } else { last = previous }
        places[index].previous = nil
        places[index].next = nil
    }
}
