import Dispatch
import Foundation

/// How many descriptors and threads this process has. For tests in processes of their own.
struct ProcessCensus {
    let descriptors: Int
    let threads: Int

    private static var now: ProcessCensus {
        ProcessCensus(descriptors: entries("/proc/self/fd"), threads: entries("/proc/self/task"))
    }

    /// The same of a process that has waited for a timer before: the thread that does so for all of them stays for
    /// good, and would be counted as left behind by whoever is the first to need it.
    static func first() async -> ProcessCensus {
        let timer = DispatchSource.makeTimerSource()
        await withCheckedContinuation { continuation in
            timer.setEventHandler { continuation.resume() }
            timer.schedule(deadline: .now())
            timer.activate()
        }
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
    /// - Returns: What there was at last.
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
