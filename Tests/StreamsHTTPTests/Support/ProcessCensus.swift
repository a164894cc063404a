import Dispatch
import Foundation

/// The numbers of descriptors and threads of this process. For tests in processes of their own.
struct ProcessCensus {
    let descriptors: Int
    let threads: Int

    static var now: ProcessCensus {
        ProcessCensus(descriptors: entries("/proc/self/fd"), threads: entries("/proc/self/task"))
    }

    /// The same of a process that has waited for timers before, Dispatch's and those of tasks, which go by another clock:
    /// the thread that does so for all of them stays for good, and so does a descriptor for each clock. They would be
    /// counted as left behind by whoever is the first to need them, which ``afterReturn(to:)`` may be itself.
    static func first() async throws -> ProcessCensus {
        let timer = DispatchSource.makeTimerSource()
        await withCheckedContinuation { continuation in
            timer.setEventHandler { continuation.resume() }
            // Time has to pass: what is due already needs neither.
            timer.schedule(deadline: .now() + .milliseconds(2))
            timer.activate()
        }
        try await Task.sleep(for: .milliseconds(2))
        return now
    }

    private static func entries(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    /// Waits until there are no more of either than there were, for a generous time.
    ///
    /// Nothing tells of a thread's or a descriptor's end, so it looks again and again. The threads of pools end only
    /// when they have had nothing to do for seconds.
    ///
    /// - Returns: The last census.
    static func afterReturn(to start: ProcessCensus) async throws -> ProcessCensus {
        let deadline = ContinuousClock.now + .seconds(45)
        while true {
            let census = now
            let isBack = census.descriptors <= start.descriptors && census.threads <= start.threads
            if isBack || ContinuousClock.now > deadline { return census }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
