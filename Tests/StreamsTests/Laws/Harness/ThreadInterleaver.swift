import Streams
import Testing

/// A group of threads that run one at a time, in an order that is random and reproducible from its seed.
///
/// The running thread yields, also from inside callbacks, and a randomly chosen thread continues. A thread that waits
/// for a lock that a suspended thread holds blocks until the test fails: that breaks rule 3.
final class ThreadInterleaver: Sendable {
    private struct State {
        var unfinished: [Int]
        var current: Int?
    }

    private let random: SeededRandom
    private let gates: [Gate]
    private let end = Gate()
    private let state: Locked<State>

    /// - Parameters:
    ///   - count: The number of threads.
    ///   - random: The generator that chooses the next thread.
    init(_ count: Int, random: SeededRandom) {
        self.random = random
        gates = (0..<count).map { _ in Gate() }
        state = Locked(State(unfinished: Array(0..<count)))
    }

    /// Runs the body on each thread and waits for all of them.
    func run(_ body: @escaping @Sendable (Int) -> Void) {
        let threads = gates.indices.map { index in
            TestThread {
                guard self.gates[index].wait() else { return }
                body(index)
                self.finish(index)
            }
        }
        continueRandomThread()
        #expect(end.wait(), "a thread waits for a suspended thread: \(random)")
        for thread in threads { #expect(thread.join()) }
    }

    /// Suspends the running thread and continues a random one, possibly the same. Does nothing unless the threads run.
    func yield() {
        guard let own = state.withLock({ $0.current }) else { return }
        if continueRandomThread() != own {
            #expect(gates[own].wait(), "a suspended thread is not continued: \(random)")
        }
    }

    private func finish(_ index: Int) {
        state.withLock { state in
            state.unfinished.removeAll { $0 == index }
            state.current = nil
        }
        if continueRandomThread() == nil { end.open() }
    }

    /// - Returns: The index of the thread that continues; nil if all have finished.
    @discardableResult
    private func continueRandomThread() -> Int? {
        let number = random.pick(0...(1 << 20))
        let (next, isSame) = state.withLock { state -> (Int?, Bool) in
            guard !state.unfinished.isEmpty else { return (nil, false) }
            let next = state.unfinished[number % state.unfinished.count]
            defer { state.current = next }
            return (next, state.current == next)
        }
        if let next, !isSame { gates[next].open() }
        return next
    }
}
