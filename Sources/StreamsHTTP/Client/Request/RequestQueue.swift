/// A request under way, as its client's queue sees it.
protocol QueuedRequest: AnyObject, Sendable {
    /// Starts the request.
    func begin()
    /// Cancels the request for the client.
    func cancelFromClient()
    /// Ends the request for the client, in order, if it has no end of its own.
    func finishFromClient()
    /// Adds the request to a snapshot. Can be called from any thread, under no lock: it calls the transport.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot.
    ///   - status: The status of the request in its queue.
    ///   - now: The time by the client's clock.
    func add(to snapshot: inout HTTPClient.Snapshot, _ status: RequestQueue.Status, now: Duration)
}

/// The queue of a client's requests under way, of which some may wait to start.
///
/// A request is enqueued on its first demand, ends running before its completion is delivered, and is removed after
/// that. Only these steps take the lock, each for a moment.
final class RequestQueue: Sendable {
    /// The result of enqueuing a request.
    enum Admission {
        case admitted(slot: Int)
        /// The queue starts the request later, unless it is removed before.
        case queued(slot: Int)
        /// The client has been shut down.
        case rejected
    }

    /// The status of a request.
    enum Status {
        case waiting
        case running
        /// The completion is about to be delivered.
        case ending
    }

    /// A request and its status.
    struct Entry {
        let request: any QueuedRequest
        var status: Status
    }

    /// The maximum number of running requests; `nil` is no limit.
    let limit: Int?
    private let state: Locked<RequestQueueState>

    init(limit: Int?) {
        self.limit = limit
        state = Locked(RequestQueueState(limit: max(limit ?? .max, 1)))
    }

    /// All requests at one moment.
    var entries: [Entry] { state.withLock { $0.entries } }

    func enqueue(_ request: any QueuedRequest) -> Admission {
        state.withLock { $0.enqueue(request) }
    }

    /// Ends a request's running, and starts the next.
    func endRunning(_ slot: Int) {
        // Without a limit, no request waits.
        guard limit != nil else { return }
        state.withLock { $0.endRunning(slot) }
        startNext()
    }

    func remove(_ slot: Int) {
        let (request, waiters, hasWaiting) = state.withLock { $0.remove(slot) }
        // Released outside of the lock: it may hold the last reference to a subscriber.
        withExtendedLifetime(request) {}
        for waiter in waiters { waiter.resume() }
        if hasWaiting { startNext() }
    }

    /// Cancels every request that is under way now.
    func cancelAll() {
        let requests = state.withLock { $0.dequeueAll() }
        for request in requests { request.cancelFromClient() }
    }

    /// Ends every request that has no end of its own.
    func finishAll() {
        for request in state.withLock({ $0.requests }) { request.finishFromClient() }
    }

    /// Whether requests are rejected.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Rejects every request from now on.
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

    /// Starts waiting requests up to the limit, one after the other. A request that ends before `begin()` returns
    /// lets the next one start: a loop keeps the stack flat.
    private func startNext() {
        guard state.withLock({ $0.beginStarting() }) else { return }
        while let next = state.withLock({ $0.nextToStart() }) { next.begin() }
    }
}

/// The state of a request queue: reusable slots, of which some wait in order.
struct RequestQueueState {
    private struct Slot {
        var entry: RequestQueue.Entry?
        /// The number in the queue of waiting slots, if this is one.
        var number = 0
    }

    let limit: Int
    private var slots: [Slot] = []
    private var free: [Int] = []
    private var waiting = WaitingQueue<Int>()
    private var lastNumber = 0
    private var running = 0
    private var isStarting = false
    private(set) var count = 0
    var isClosed = false
    var waiters: [CheckedContinuation<Void, Never>] = []

    init(limit: Int) {
        self.limit = limit
    }

    mutating func enqueue(_ request: any QueuedRequest) -> RequestQueue.Admission {
        if isClosed { return .rejected }
        count += 1
        let index = free.popLast() ?? slots.count
        if index == slots.count { slots.append(Slot()) }
        guard running < limit, waiting.isEmpty else {
            lastNumber += 1
            slots[index] = Slot(
                entry: RequestQueue.Entry(request: request, status: .waiting), number: lastNumber)
            waiting.append(index, number: lastNumber)
            return .queued(slot: index)
        }
        running += 1
        slots[index].entry = RequestQueue.Entry(request: request, status: .running)
        return .admitted(slot: index)
    }

    mutating func endRunning(_ index: Int) {
        switch slots[index].entry?.status {
        case .waiting: _ = waiting.remove(slots[index].number)
        case .running: running -= 1
        case .ending, nil: break
        }
        slots[index].entry?.status = .ending
    }

    /// - Returns: The request, the continuations that wait for an empty queue, and whether a request waits to start.
    mutating func remove(_ index: Int) -> ((any QueuedRequest)?, [CheckedContinuation<Void, Never>], Bool) {
        endRunning(index)
        let request = slots[index].entry.take()?.request
        free.append(index)
        count -= 1
        guard count == 0 else { return (request, [], !waiting.isEmpty) }
        defer { waiters = [] }
        return (request, waiters, false)
    }

    /// Returns every request, and takes the waiting ones off the list, so that they never start.
    mutating func dequeueAll() -> [any QueuedRequest] {
        while let index = waiting.popFirst() { slots[index].entry?.status = .ending }
        return requests
    }

    var requests: [any QueuedRequest] { slots.compactMap { $0.entry?.request } }

    var entries: [RequestQueue.Entry] { slots.compactMap(\.entry) }

    /// - Returns: Whether the caller must start requests.
    mutating func beginStarting() -> Bool {
        guard !isStarting, !waiting.isEmpty else { return false }
        isStarting = true
        return true
    }

    mutating func nextToStart() -> (any QueuedRequest)? {
        guard running < limit, let index = waiting.popFirst() else {
            isStarting = false
            return nil
        }
        slots[index].entry?.status = .running
        running += 1
        return slots[index].entry?.request
    }
}
