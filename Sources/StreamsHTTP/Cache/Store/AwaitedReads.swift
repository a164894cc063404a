import Dispatch

/// The reads of a folder for which requests wait, each for a limited time: a disk, or a server of files, can hang.
///
/// While the disk hangs, reads fail at once and are not queued, so that neither time nor memory is spent on them.
final class AwaitedReads: Sendable {
    private struct State {
        /// The functions to call when the time is up, by the numbers of the reads.
        var expirations: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0
        /// The number of the last read that had begun when the timer was set; `nil` if no timer is set.
        var timedNumber: Int?
        /// Whether a read has taken too long, and none has ended since.
        var isStalled = false
    }

    private let state = Locked(State())
    private let maxTime: DispatchTimeInterval

    /// - Parameter maxTime: The time that a read may take. It may take twice as long before it is noticed.
    init(maxTime: DispatchTimeInterval) {
        self.maxTime = maxTime
    }

    /// Whether the disk hangs.
    var isStalled: Bool { state.withLock { $0.isStalled } }

    /// Begins a read.
    ///
    /// - Parameter onExpiration: A function that is called once if the read takes too long, also before this returns.
    /// - Returns: The number of the read; `nil` if the disk hangs.
    func begin(_ onExpiration: @escaping @Sendable () -> Void) -> Int? {
        let (number, needsTimer) = state.withLock { state -> (Int?, Bool) in
            guard !state.isStalled else { return (nil, false) }
            state.lastNumber += 1
            state.expirations[state.lastNumber] = onExpiration
            guard state.timedNumber == nil else { return (state.lastNumber, false) }
            state.timedNumber = state.lastNumber
            return (state.lastNumber, true)
        }
        if number == nil { onExpiration() }
        if needsTimer { setTimer() }
        return number
    }

    /// Ends a read.
    ///
    /// - Returns: Whether it was in time, so that its result is to be used.
    func end(_ number: Int) -> Bool {
        state.withLock { state in
            state.isStalled = false
            return state.expirations.removeValue(forKey: number) != nil
        }
    }

    private func setTimer() {
        DispatchQueue.global().asyncAfter(deadline: .now() + maxTime) { [weak self] in self?.expire() }
    }

    /// Ends the reads that had begun when the timer was set.
    private func expire() {
        let (expired, needsTimer) = state.withLock { state -> ([@Sendable () -> Void], Bool) in
            let expired = state.expirations.keys.filter { $0 <= state.timedNumber ?? 0 }.sorted()
            if !expired.isEmpty { state.isStalled = true }
            let functions = expired.compactMap { state.expirations.removeValue(forKey: $0) }
            state.timedNumber = state.expirations.isEmpty ? nil : state.lastNumber
            return (functions, state.timedNumber != nil)
        }
        for function in expired { function() }
        if needsTimer { setTimer() }
    }
}
