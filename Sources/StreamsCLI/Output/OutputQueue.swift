import Synchronization

/// The order in which transfers write to standard output. One writes at a time, so that those of `-Z` do not mix their
/// bodies; the others wait for it with what they have received.
final class OutputQueue: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    fileprivate func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    fileprivate func leave() {
        let next = state.withLock { state in
            state.isTaken = !state.waiting.isEmpty
            return state.isTaken ? state.waiting.removeFirst() : nil
        }
        next?.resume()
    }
}

/// The turn of one transfer in the queue.
final class OutputTurn {
    private let queue: OutputQueue
    private var isTaken = false

    init(in queue: OutputQueue) {
        self.queue = queue
    }

    /// Waits until no other transfer writes.
    func take() async {
        guard !isTaken else { return }
        await queue.enter()
        isTaken = true
    }

    func end() {
        if isTaken { queue.leave() }
        isTaken = false
    }
}
