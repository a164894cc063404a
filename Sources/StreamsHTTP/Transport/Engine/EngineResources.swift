import Streams
import Synchronization

/// The resources that the engines of a transport share: descriptors, name lookups and idle connections.
///
/// The limits of a transport hold for all of its engines together. Each engine takes and returns resources by its
/// ``EngineShare``. An engine is woken when another one needs its idle connections, or has freed what it waits for. Can
/// be used from any thread.
final class EngineResources: Sendable {
    /// The maximum number of engines: sets of them are the bits of a word.
    static let maxEngineCount = 64

    struct Member {
        /// Ends a wait of the engine's thread; `nil` unless the engine runs.
        var wakeSignal: WakeSignal?
        /// The time since which the first of the engine's openings has waited for a descriptor; `nil` if none waits.
        var waitingSince: MonotonicTime?
        /// The number of the openings that wait, without those for which the engine has taken a descriptor.
        var waitingCount = 0
        /// The number of descriptors that have been freed for the engine.
        var freedCount = 0
        /// Whether openings of the engine wait for the end of a lookup.
        var waitsForLookup = false
    }

    struct State {
        var members: [Member]
        var idle: IdleTable
        /// The number of lookups under way.
        var lookupCount = 0
        /// The number of idle connections that are to be closed for engines without a descriptor.
        var wantedCount = 0
        /// The number of those that engines are about to close.
        var promisedCount = 0
        /// The time at which an exchange has last ended while an opening waited for a descriptor.
        var lastEnd: MonotonicTime?
        /// The engines to wake after a change.
        fileprivate var concerned: UInt64 = 0

        /// The engine whose first opening has waited the longest for a descriptor.
        var longestWaiting: Int? {
            let waiting = members.indices.compactMap { engine in
                members[engine].waitingSince.map { (engine: engine, since: $0) }
            }
            return waiting.min { $0.since < $1.since }?.engine
        }

        /// Has an engine woken.
        mutating func wake(_ engine: Int) {
            concerned |= 1 << UInt64(engine)
        }
    }

    /// The number of engines.
    let engineCount: Int
    /// The number of open sockets.
    let socketCount = Atomic<Int>(0)
    /// The engines whose openings wait for a descriptor.
    let waitingEngines = Atomic<UInt64>(0)
    /// The engines that others have woken.
    let wokenEngines = Atomic<UInt64>(0)
    private let state: Locked<State>

    /// - Parameters:
    ///   - engineCount: The number of engines, from 1 to ``maxEngineCount``.
    ///   - maxIdleConnections: The maximum number of idle connections, or `nil` for no limit.
    init(engineCount: Int = 1, maxIdleConnections: Int? = nil) {
        self.engineCount = engineCount
        let members = [Member](repeating: Member(), count: engineCount)
        state = Locked(State(members: members, idle: IdleTable(limit: maxIdleConnections, engineCount: engineCount)))
    }

    /// Changes the state, and wakes the engines that the change concerns.
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, signals) = state.withLock { state in
            let result = body(&state)
            guard state.concerned != 0 else { return (result, [WakeSignal]()) }
            wokenEngines.bitwiseOr(state.concerned, ordering: .relaxed)
            let signals = state.members.indices.compactMap { engine in
                state.concerned & 1 << UInt64(engine) == 0 ? nil : state.members[engine].wakeSignal
            }
            state.concerned = 0
            return (result, signals)
        }
        for signal in signals { signal.raise() }
        return result
    }
}
