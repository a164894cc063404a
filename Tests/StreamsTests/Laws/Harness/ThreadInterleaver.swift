import Streams
import Testing

/// Threads of which one runs at a time, until it passes the turn on to one that is drawn: so the order in which they
/// take their steps, inside each other's callbacks too, is random and comes again with the seed.
///
/// A thread that waits for a lock which another one holds while it has passed the turn on hangs. That breaks rule 3.
final class ThreadInterleaver: Sendable {
    private struct State {
        var playing: [Int]
        var current: Int?
    }

    private let chance: SeededRandom
    private let gates: [Gate]
    private let end = Gate()
    private let state: Locked<State>

    /// - Parameter count: How many threads there are.
    init(_ count: Int, chance: SeededRandom) {
        self.chance = chance
        gates = (0..<count).map { _ in Gate() }
        state = Locked(State(playing: Array(0..<count)))
    }

    /// Runs work on each of the threads, and waits for all of them.
    func play(_ body: @escaping @Sendable (Int) -> Void) {
        let threads = gates.indices.map { index in
            TestThread {
                guard self.gates[index].wait() else { return }
                body(index)
                self.leave(index)
            }
        }
        handOver()
        #expect(end.wait(), "a thread waits for one whose turn it is not: \(chance)")
        for thread in threads { #expect(thread.join()) }
    }

    /// Lets another thread go on, or this one. Outside the game nothing happens.
    func pass() {
        guard let own = state.withLock({ $0.current }) else { return }
        if handOver() != own { #expect(gates[own].wait(), "a turn does not come back: \(chance)") }
    }

    private func leave(_ index: Int) {
        state.withLock { state in
            state.playing.removeAll { $0 == index }
            state.current = nil
        }
        if handOver() == nil { end.open() }
    }

    /// - Returns: Whose turn it is.
    @discardableResult
    private func handOver() -> Int? {
        let draw = chance.pick(0...(1 << 20))
        let (next, isSame) = state.withLock { state -> (Int?, Bool) in
            guard !state.playing.isEmpty else { return (nil, false) }
            let next = state.playing[draw % state.playing.count]
            defer { state.current = next }
            return (next, state.current == next)
        }
        if let next, !isSame { gates[next].open() }
        return next
    }
}
