import Foundation

/// How many descriptors and threads this process has. For tests in processes of their own.
struct ProcessCensus: Equatable, CustomStringConvertible {
    let descriptors: Int
    let threads: Int

    static var now: ProcessCensus {
        ProcessCensus(descriptors: entries("/proc/self/fd"), threads: entries("/proc/self/task"))
    }

    private static func entries(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    var description: String { "\(descriptors) descriptors, \(threads) threads" }

    /// Waits until there are no more of either than there were.
    ///
    /// Nothing tells of a thread's or a descriptor's end, so it looks again and again. The threads of pools end only
    /// when they have had nothing to do for seconds.
    static func waitForReturn(to start: ProcessCensus, within timeout: Duration = .seconds(60)) async throws {
        let deadline = ContinuousClock.now + timeout
        while true {
            let census = now
            if census.descriptors <= start.descriptors, census.threads <= start.threads { return }
            guard ContinuousClock.now < deadline else {
                throw Overdue(what: "the return to \(start)", state: census.description)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
