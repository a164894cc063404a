import Foundation

/// Measures this process: its time, its processor time, its memory and its threads.
public struct Meter {
    private let start = ContinuousClock.now
    private let startedCPU = Meter.totalCPUSeconds
    private let watch = ThreadWatch()

    public init() {}

    /// The time since the creation of the meter.
    public var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

    /// The processor time since the creation of the meter.
    public var cpuSeconds: Double { Meter.totalCPUSeconds - startedCPU }

    /// Stops counting threads, and returns the maximum number.
    public func endThreadWatch() -> Int { watch.most }

    private static var totalCPUSeconds: Double {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    /// The resident memory in bytes.
    public static var residentMemory: Int { (field("VmRSS") ?? 0) * 1024 }

    /// The peak memory in MiB.
    public static var peakMemory: Double { Double(field("VmHWM") ?? 0) / 1024 }

    /// Returns a number of `/proc/self/status`.
    static func field(_ name: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        let words = line?.split { $0 == ":" || $0 == "\t" || $0 == " " }
        return words?.dropFirst().first.flatMap { Int($0) }
    }
}

/// Counts the threads of the process ten times a second, without its own.
// Safe because a lock protects the mutable state.
private final class ThreadWatch: @unchecked Sendable {
    private let lock = NSLock()
    private var seen = 0
    private var isOver = false

    init() {
        Thread.detachNewThread { [weak self] in
            while let self, self.look() { Thread.sleep(forTimeInterval: 0.1) }
        }
    }

    var most: Int {
        _ = look()
        return lock.withLock {
            isOver = true
            return seen
        }
    }

    private func look() -> Bool {
        let now = (Meter.field("Threads") ?? 1) - 1
        return lock.withLock {
            seen = max(seen, now)
            return !isOver
        }
    }
}
