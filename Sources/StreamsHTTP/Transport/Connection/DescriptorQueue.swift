#if canImport(CLibcurl)
/// The openings that wait for a descriptor, in order.
///
/// They are started again when another exchange of the transport has ended, whose connection is then reused or closed,
/// and from time to time: nothing announces that the rest of the process has closed a descriptor.
struct DescriptorQueue {
    /// The openings to start again.
    struct Attempt {
        let openings: [ConnectionOpening]
        /// Whether each of them can have a descriptor only if an idle connection is closed, of which there are enough.
        let replacesIdle: Bool
    }

    private static let interval: Duration = .milliseconds(50)
    /// The number of openings that are started at once when descriptors are free.
    private static let batch = 64

    private var waiting = WaitingQueue<ConnectionOpening>()
    private var nextAttempt: MonotonicTime?
    /// The number of exchanges that have ended since the last attempt.
    private var endCount = 0
    private var lastEnd: MonotonicTime?

    /// Returns the time of the next attempt, or `nil` if no opening waits.
    func deadline(now: MonotonicTime) -> MonotonicTime? {
        guard !waiting.isEmpty else { return nil }
        return endCount > 0 ? now : nextAttempt
    }

    mutating func append(_ opening: ConnectionOpening, now: MonotonicTime) {
        if waiting.isEmpty { nextAttempt = nextAttempt.map { max($0, now) } ?? now }
        waiting.append(opening) { $0.index == nil }
    }

    /// Records that an exchange has ended.
    mutating func noteEnd(now: MonotonicTime) {
        guard !waiting.isEmpty else { return }
        endCount += 1
        lastEnd = now
    }

    /// Takes the openings to start now, if any wait.
    ///
    /// - Parameters:
    ///   - idleCount: The number of connections that no opening uses, as far as known.
    ///   - isAlone: Whether no other opening is under way.
    ///   - hasRoom: Returns whether a descriptor is free.
    mutating func attempt(
        now: MonotonicTime, idleCount: Int, isAlone: Bool, hasRoom: () -> Bool
    ) -> Attempt? {
        guard let deadline = deadline(now: now), deadline <= now else { return nil }
        let hasRoom = hasRoom()
        var count = endCount
        endCount = 0
        if let due = nextAttempt, due <= now {
            nextAttempt = now + Self.interval
            count += hasRoom ? Self.batch : max(idleCount, isAlone ? 1 : 0)
        }
        let replacesIdle = !hasRoom && idleCount > 0
        return Attempt(
            openings: waiting.take(replacesIdle ? min(count, idleCount) : count), replacesIdle: replacesIdle)
    }

    /// Takes the openings for whose connect timeout no exchange of the transport has ended: those under way may never
    /// end.
    mutating func takeExpired(now: MonotonicTime) -> [ConnectionOpening] {
        guard !waiting.isEmpty else { return [] }
        let lastEnd = lastEnd
        guard lastEnd.map({ now - $0 >= Self.interval }) ?? true else { return [] }
        return waiting.removeAll { opening in
            guard opening.index != nil, let timeout = opening.request.connectTimeout,
                let since = opening.connecting.waitingSince
            else { return false }
            return now - max(since, lastEnd ?? since) >= timeout
        }
    }
}

extension WaitingQueue<ConnectionOpening> {
    /// Removes and returns the first openings that have not ended.
    mutating func take(_ count: Int = .max) -> [ConnectionOpening] {
        var taken: [ConnectionOpening] = []
        while taken.count < count, let opening = popFirst() {
            if opening.index != nil { taken.append(opening) }
        }
        return taken
    }
}
#endif
