import Foundation

/// The resources of the process at a moment.
struct ProcessSample {
    let exchanges: Int
    let seconds: Double
    let memory: Int
    let descriptors: Int
    let threads: Int

    init(exchanges: Int, since start: ContinuousClock.Instant) {
        self.exchanges = exchanges
        seconds = (ContinuousClock.now - start) / .seconds(1)
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        memory = (pages.flatMap { Int($0[1]) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
        descriptors = Self.entryCount("/proc/self/fd")
        threads = Self.entryCount("/proc/self/task")
    }

    private static func entryCount(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0
    }

    /// The targets of the open descriptors of the process.
    static var openDescriptors: [String] {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
    }

    /// Whether no more descriptors and threads are there than in another sample, but for threads of the system's pools.
    func isAtMost(_ other: ProcessSample) -> Bool {
        descriptors <= other.descriptors && threads <= other.threads + ProcessInfo.processInfo.activeProcessorCount
    }

    var row: String {
        String(format: "%10d %8.0f %12.2f %12d %8d", exchanges, seconds, Double(memory) / 1e6, descriptors, threads)
    }

    static let header = " exchanges  seconds    memory/MB  descriptors  threads"
}

extension [ProcessSample] {
    /// The growth of the memory by the method of least squares, and its standard error, in bytes for each thousand
    /// exchanges.
    var memorySlope: (bytes: Double, error: Double) {
        let xs = map { Double($0.exchanges) / 1000 }
        let ys = map { Double($0.memory) }
        let (meanX, meanY) = (xs.reduce(0, +) / Double(count), ys.reduce(0, +) / Double(count))
        let covariance = zip(xs, ys).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
        let variance = xs.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
        guard variance > 0, count > 2 else { return (0, 0) }
        let slope = covariance / variance
        let residuals = zip(xs, ys).map { $1 - meanY - slope * ($0 - meanX) }
        let squares = residuals.reduce(0) { $0 + $1 * $1 }
        return (slope, (squares / Double(count - 2) / variance).squareRoot())
    }
}
