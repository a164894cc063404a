import Foundation

/// Makes requests at a fixed rate, whether or not earlier ones have been answered.
struct Pace {
    let rate: Int
    let requests: Int

    /// - Returns: The sum of the results, and the time of each request in milliseconds from its scheduled start, so
    ///   that the delays of a client that falls behind are included.
    func run(_ request: @escaping @Sendable () async throws -> Int) async throws -> (Int, [Double]) {
        let start = ContinuousClock.now
        return try await withThrowingTaskGroup(of: (Int, Double).self) { group in
            for index in 0..<requests {
                let due = start + .seconds(1) * index / rate
                if due > .now { try await Task.sleep(until: due, clock: .continuous) }
                group.addTask { (try await request(), (ContinuousClock.now - due) / .milliseconds(1)) }
            }
            var sum = 0
            var latencies: [Double] = []
            for try await (result, latency) in group {
                sum += result
                latencies.append(latency)
            }
            return (sum, latencies)
        }
    }
}
