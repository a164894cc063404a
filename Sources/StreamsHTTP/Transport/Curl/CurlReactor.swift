import CLibcurl

/// What libcurl tells a loop of: which sockets to watch, when to call, and which transfers have news.
///
/// Belongs to whoever has the loop. Watching sockets with a poller of our own costs the same however many transfers
/// are open, where libcurl's own polling looks at each of them at every turn.
final class CurlReactor {
    /// What is known of a descriptor.
    private struct Watch {
        /// What libcurl wants to be told of.
        var wanted: CInt = 0
        /// What the poller watches for.
        var watched: CInt = 0
        /// Whether we opened it and will hear of its end, so that its number cannot come to stand for another socket.
        var isOurs = false
    }

    private static let capacity = 128

    private let poller: CInt
    private let wakeDescriptor: CInt
    @exclusivity(unchecked) private var watches: [Watch] = []
    private let events = UnsafeMutablePointer<PollerEvent>.allocate(capacity: capacity)
    @exclusivity(unchecked) private var ready: [CurlTransfer] = []
    /// When libcurl wants to be called although no socket is ready.
    @exclusivity(unchecked) private var timer: ContinuousClock.Instant?
    /// Whether that is as soon as possible.
    @exclusivity(unchecked) private var isOverdue = false

    init(wakeDescriptor: CInt) throws(TransportFailure) {
        self.wakeDescriptor = wakeDescriptor
        poller = streams_poller_open()
        guard poller >= 0 else { throw TransportFailure(system: errno) }
        guard streams_poller_watch(poller, wakeDescriptor, 0, CInt(PollerIn | PollerEdge)) == 0 else {
            throw TransportFailure(system: errno)
        }
    }

    deinit {
        if poller >= 0 { close(poller) }
        events.deallocate()
    }

    /// Notes that a transfer has something to deliver.
    func add(_ transfer: CurlTransfer) {
        ready.append(transfer)
    }

    /// The transfers that have something to deliver.
    func takeReady() -> [CurlTransfer] {
        defer { ready.removeAll(keepingCapacity: true) }
        return ready
    }

    /// Notes that a number stands for a new socket.
    func opened(_ descriptor: CInt) {
        guard descriptor >= 0 else { return }
        withWatch(descriptor) { $0 = Watch(isOurs: true) }
    }

    /// Closes a socket, which the poller then watches no longer.
    func closeSocket(_ descriptor: CInt) -> CInt {
        withWatch(descriptor) { $0 = Watch() }
        return close(descriptor)
    }

    private func withWatch(_ descriptor: CInt, _ body: (inout Watch) -> Void) {
        let index = Int(descriptor)
        if index >= watches.count {
            watches.append(contentsOf: repeatElement(Watch(), count: max(index + 1 - watches.count, 64)))
        }
        body(&watches[index])
    }
}

// MARK: From libcurl

extension CurlReactor {
    func watch(_ descriptor: CInt, interest: CInt) {
        let wanted = interest == CInt(CurlInterestRemove) ? 0 : interest
        withWatch(descriptor) { watch in
            watch.wanted = wanted
            // A connection that is kept for the next request stays watched, which spares two system calls a request: it
            // has nothing to say meanwhile, and if it has, it is not watched any more.
            guard !watch.isOurs || wanted != 0 && wanted != watch.watched else { return }
            // Of what is not ours the poller is told also what it should know already: the number may stand for another
            // socket by now.
            let result = streams_poller_watch(poller, descriptor, watch.watched, wanted)
            watch.watched = result == 0 ? wanted : 0
        }
    }

    func setTimer(milliseconds: Int) {
        isOverdue = milliseconds == 0
        timer = milliseconds > 0 ? .now + .milliseconds(milliseconds) : nil
    }

    /// Whether libcurl wants to be called at some time.
    var isTimed: Bool { isOverdue || timer != nil }

    /// Takes the timer off if it is due.
    func takeDueTimer(now: ContinuousClock.Instant) -> Bool {
        guard isOverdue || timer.map({ $0 <= now }) ?? false else { return false }
        isOverdue = false
        timer = nil
        return true
    }

    // Safe because it is only ever read.
    nonisolated(unsafe) static var callbacks = CurlLoopCallbacks(
        socket: { _, socket, interest, context, _ in
            guard let context else { return 0 }
            Unmanaged<CurlReactor>.fromOpaque(context).takeUnretainedValue().watch(socket, interest: interest)
            return 0
        },
        timer: { _, milliseconds, context in
            guard let context else { return 0 }
            Unmanaged<CurlReactor>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds: milliseconds)
            return 0
        }
    )
}

// MARK: For the loop

extension CurlReactor {
    /// Has a handle's connections tell of their end.
    func follow(_ easy: OpaquePointer) throws(TransportFailure) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let code = streams_curl_set_close_callback(
            easy,
            { context, descriptor in
                guard let context else { return -1 }
                return Unmanaged<CurlReactor>.fromOpaque(context).takeUnretainedValue().closeSocket(descriptor)
            }, context)
        guard code == 0 else { throw TransportFailure(curl: code) }
    }

    /// Waits until a socket or another thread wants attention. Meanwhile whoever has the loop may use the rest of this.
    ///
    /// - Parameter milliseconds: For how long at most; a negative number is without limit.
    /// - Returns: The number of events.
    func wait(milliseconds: CInt) -> Int {
        // An interrupted wait is a wait without events.
        Int(max(streams_poller_wait(poller, events, CInt(Self.capacity), milliseconds), 0))
    }

    /// Goes through what a wait has brought.
    ///
    /// - Parameters:
    ///   - count: The number of events.
    ///   - handle: Called for every socket that is ready, with what it is ready for.
    /// - Returns: Whether another thread wants attention.
    func forEachEvent(_ count: Int, _ handle: (CInt, CInt) -> Void) -> Bool {
        var isWanted = false
        for index in 0..<count {
            let event = events[index]
            if event.descriptor == wakeDescriptor {
                isWanted = true
            } else if let readiness = readiness(of: event) {
                handle(event.descriptor, readiness)
            }
        }
        return isWanted
    }

    /// When a wait must end for libcurl's sake or ours.
    ///
    /// - Parameter deadline: What is ours; `nil` for never.
    func end(before deadline: ContinuousClock.Instant?, now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        if isOverdue { return now }
        return deadline.map { min($0, timer ?? $0) } ?? timer
    }

    private func readiness(of event: PollerEvent) -> CInt? {
        var isWanted = false
        withWatch(event.descriptor) { watch in
            isWanted = watch.wanted != 0
            guard !isWanted else { return }
            _ = streams_poller_watch(poller, event.descriptor, watch.watched, 0)
            watch.watched = 0
        }
        return isWanted ? event.readiness : nil
    }
}
