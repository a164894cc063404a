import Synchronization

/// The share of one engine in the resources of its transport. Only the engine's thread uses it, unless noted otherwise.
struct EngineShare: Sendable {
    private let resources: EngineResources
    /// The number of the engine, from 0.
    private let engine: Int

    init(_ resources: EngineResources = EngineResources(), engine: Int = 0) {
        self.resources = resources
        self.engine = engine
    }

    private var bit: UInt64 { 1 << UInt64(engine) }

    /// Whether the transport can have no other engine.
    var isAlone: Bool { resources.engineCount == 1 }

    /// Lets other engines wake this one. Can be called from any thread.
    func join(_ wakeSignal: WakeSignal) {
        resources.change { $0.members[engine].wakeSignal = wakeSignal }
    }

    /// Ends the share of an engine that has returned all resources. Can be called from any thread.
    func leave() {
        setWaiting(since: nil, count: 0)
        resources.change { $0.members[engine] = EngineResources.Member() }
    }

    /// Returns whether another engine has woken this one since the last call.
    func takeWake() -> Bool {
        guard resources.wokenEngines.load(ordering: .relaxed) & bit != 0 else { return false }
        resources.wokenEngines.bitwiseAnd(~bit, ordering: .relaxed)
        return true
    }
}

// MARK: Sockets

extension EngineShare {
    /// The number of the transport's open sockets.
    var socketCount: Int { resources.socketCount.load(ordering: .relaxed) }

    /// Counts a new socket, if the transport may keep it.
    ///
    /// - Returns: Whether it may.
    func admit(_ descriptor: CInt, by limit: DescriptorLimit) -> Bool {
        var count = socketCount
        while limit.admits(descriptor, connectionCount: count) {
            let (isCounted, found) = resources.socketCount.weakCompareExchange(
                expected: count, desired: count + 1, ordering: .relaxed)
            if isCounted { return true }
            count = found
        }
        return false
    }

    /// Stops counting a socket.
    func forgetSocket() {
        resources.socketCount.subtract(1, ordering: .relaxed)
    }
}

// MARK: Waiting for a descriptor

extension EngineShare {
    /// Whether an opening of the transport waits for a descriptor.
    var isShort: Bool { resources.waitingEngines.load(ordering: .relaxed) != 0 }

    /// Records the engine's openings that wait for a descriptor.
    ///
    /// - Parameters:
    ///   - time: The time since which the first has waited; `nil` if none waits.
    ///   - count: The number of openings.
    func setWaiting(since time: MonotonicTime?, count: Int) {
        resources.change { state in
            (state.members[engine].waitingSince, state.members[engine].waitingCount) = (time, count)
            if time != nil {
                resources.waitingEngines.bitwiseOr(bit, ordering: .relaxed)
            } else {
                resources.waitingEngines.bitwiseAnd(~bit, ordering: .relaxed)
                if state.longestWaiting == nil { state.wantedCount = 0 }
            }
        }
    }

    /// Whether the opening that has waited the longest is another engine's.
    var isAnotherFirst: Bool { !isAlone && resources.change { $0.longestWaiting.map { $0 != engine } ?? false } }

    /// Records that exchanges have ended, whose connections are closed or may be, so that openings that wait can have
    /// their descriptors.
    ///
    /// - Parameters:
    ///   - count: The number of exchanges.
    ///   - hasRoom: Whether a descriptor is free, so that no connection has to be closed for another engine.
    /// - Returns: The number of idle connections to close for others. ``freePromised(_:)`` follows.
    func noteEnds(_ count: Int, hasRoom: Bool, now: MonotonicTime) -> Int {
        resources.change { state in
            state.lastEnd = now
            guard !hasRoom, let first = state.longestWaiting, first != engine else {
                free(count, in: &state)
                return 0
            }
            let member = state.members[first]
            let missing = max(member.waitingCount - member.freedCount - state.promisedCount, 0)
            let promised = promise(min(count, missing), in: &state)
            if state.members[engine].waitingSince != nil { state.members[engine].freedCount += count - promised }
            return promised
        }
    }

    /// Offers descriptors to the engine whose first opening has waited the longest.
    func free(_ count: Int) {
        guard count > 0, isShort else { return }
        resources.change { free(count, in: &$0) }
    }

    private func free(_ count: Int, in state: inout EngineResources.State) {
        guard let first = state.longestWaiting else { return }
        state.members[first].freedCount += count
        if first != engine { state.wake(first) }
    }

    /// Takes the number of descriptors that have been freed for the engine. ``setWaiting(since:count:)`` follows.
    func takeFreedCount() -> Int {
        resources.change { state in
            let count = state.members[engine].freedCount
            state.members[engine].freedCount = 0
            state.members[engine].waitingCount = max(state.members[engine].waitingCount - count, 0)
            return count
        }
    }

    /// The time at which an exchange of the transport has last ended while an opening waited for a descriptor.
    var lastEnd: MonotonicTime? { resources.change { $0.lastEnd } }

    /// Asks the other engines to close idle connections.
    func askForIdle(_ count: Int) {
        guard count > 0, !isAlone else { return }
        resources.change { state in
            // Those that others are closing, or have closed since this engine looked, are not to be closed again.
            let missing = count - state.promisedCount - state.members[engine].freedCount
            state.wantedCount = max(state.wantedCount, missing)
            guard state.wantedCount > 0 else { return }
            for other in state.members.indices where other != engine { state.wake(other) }
        }
    }

    /// Returns how many of the engine's idle connections it is to close for others, which need not ask further engines
    /// for them. ``freePromised(_:)`` follows.
    ///
    /// - Parameter idleCount: The number of the engine's idle connections.
    func takeWantedCount(of idleCount: Int) -> Int {
        resources.change { state in
            promise(min(state.wantedCount, idleCount), in: &state)
        }
    }

    private func promise(_ count: Int, in state: inout EngineResources.State) -> Int {
        state.wantedCount = max(state.wantedCount - count, 0)
        state.promisedCount += count
        return count
    }

    /// Offers the descriptors of idle connections that have been closed for others.
    func freePromised(_ count: Int) {
        guard count > 0 else { return }
        resources.change { state in
            state.promisedCount -= count
            free(count, in: &state)
        }
    }
}

// MARK: Lookups

extension EngineShare {
    /// Counts a lookup, unless there are too many.
    ///
    /// - Returns: Whether it may begin.
    func beginLookup(limit: Int) -> Bool {
        resources.change { state in
            guard state.lookupCount < limit else { return false }
            state.lookupCount += 1
            return true
        }
    }

    /// Stops counting lookups, and wakes the engines that wait for the end of one.
    func endLookups(_ count: Int) {
        guard count > 0 else { return }
        resources.change { state in
            state.lookupCount -= count
            for other in state.members.indices where other != engine && state.members[other].waitsForLookup {
                state.wake(other)
            }
        }
    }

    /// The number of the transport's lookups under way.
    var lookupCount: Int { resources.change { $0.lookupCount } }

    /// Records whether openings of the engine wait for the end of a lookup.
    func setWaitsForLookup(_ waits: Bool) {
        resources.change { $0.members[engine].waitsForLookup = waits }
    }
}

// MARK: The limit of idle connections

extension EngineShare {
    /// Records the number of the engine's idle connections. If the transport has too many, the engine with the oldest
    /// has to close it, and is woken if it is another one.
    ///
    /// - Parameters:
    ///   - count: The number.
    ///   - oldest: The time since which the oldest has been idle.
    /// - Returns: Whether this engine has to close its oldest.
    func setIdle(_ count: Int, oldest: MonotonicTime?) -> Bool {
        resources.change { state in
            guard let found = state.idle.set(count, oldest: oldest, of: engine) else { return false }
            if found != engine { state.wake(found) }
            return found == engine
        }
    }

    /// The number of idle connections that the engine has to close because of the limit.
    var excessCount: Int { resources.change { $0.idle.excessCount(of: engine) } }
}
