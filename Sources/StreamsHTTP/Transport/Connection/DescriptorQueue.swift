#if canImport(CLibcurl)
/// The openings of an engine that wait for a descriptor, in order.
///
/// They are started again when another exchange of the transport has ended, whose connection is then reused or closed,
/// and from time to time: nothing announces that the rest of the process has closed a descriptor. Among the engines of a
/// transport, the one whose first opening has waited the longest is given the descriptors of exchanges that end.
struct DescriptorQueue {
    /// The openings to start again.
    struct Attempt {
        let openings: [ConnectionOpening]
        /// Whether each of them can have a descriptor only if an idle connection is closed, of which there are enough.
        let replacesIdle: Bool
        /// The number of openings for which there is neither a descriptor nor an idle connection to close.
        let missingCount: Int
        /// The number of freed descriptors that no opening needs.
        let unusedCount: Int
    }

    private static let interval: Duration = .milliseconds(50)
    /// The number of openings that are started at once when descriptors are free.
    private static let batch = 64

    private var waiting = WaitingQueue<ConnectionOpening>()
    private var nextAttempt: MonotonicTime?
    /// The number of descriptors that have been freed since the last attempt.
    private var freedCount = 0

    /// The number of openings that wait.
    var count: Int { waiting.count }

    /// Returns the time of the next attempt, or `nil` if no opening waits.
    func deadline(now: MonotonicTime) -> MonotonicTime? {
        guard !waiting.isEmpty else { return nil }
        return freedCount > 0 ? now : nextAttempt
    }

    mutating func append(_ opening: ConnectionOpening, now: MonotonicTime) {
        if waiting.isEmpty { nextAttempt = nextAttempt.map { max($0, now) } ?? now }
        waiting.append(opening) { $0.index == nil }
    }

    /// Returns the time since which the first opening has waited; `nil` if none waits.
    mutating func firstWait() -> MonotonicTime? {
        while let first = waiting.first {
            if first.index != nil { return first.connecting.waitingSince }
            _ = waiting.popFirst()
        }
        return nil
    }

    /// Records that descriptors have been freed. At least one opening waits.
    mutating func noteFreed(_ count: Int) {
        freedCount += count
    }

    /// Takes the openings to start now, if any wait.
    ///
    /// - Parameters:
    ///   - idleCount: The number of connections that no opening uses, as far as known.
    ///   - isAlone: Whether no other opening or exchange is under way, and no other engine has connections.
    ///   - hasRoom: Returns whether a descriptor is free.
    mutating func attempt(
        now: MonotonicTime, idleCount: Int, isAlone: Bool, hasRoom: () -> Bool
    ) -> Attempt? {
        guard let deadline = deadline(now: now), deadline <= now else { return nil }
        let hasRoom = hasRoom()
        let freedCount = freedCount
        var count = freedCount
        self.freedCount = 0
        if let due = nextAttempt, due <= now {
            nextAttempt = now + Self.interval
            count += hasRoom ? Self.batch : max(idleCount, isAlone ? 1 : 0)
        }
        let replacesIdle = !hasRoom && idleCount > 0
        let openings = waiting.take(replacesIdle ? min(count, idleCount) : count)
        return Attempt(
            openings: openings, replacesIdle: replacesIdle,
            missingCount: hasRoom
                ? 0 : min(max(openings.count + waiting.count - freedCount - idleCount, 0), Self.batch),
            unusedCount: waiting.isEmpty ? max(freedCount - openings.count, 0) : 0)
    }

    /// Takes the openings for whose connect timeout no exchange of the transport has ended: those under way may never
    /// end.
    ///
    /// - Parameter lastEnd: The time at which an exchange has last ended.
    mutating func takeExpired(
        now: MonotonicTime, lastEnd: @autoclosure () -> MonotonicTime?
    ) -> [ConnectionOpening] {
        guard !waiting.isEmpty else { return [] }
        let lastEnd = lastEnd()
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
