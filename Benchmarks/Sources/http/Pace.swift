import Foundation

/// Makes requests at a fixed rate, whether or not earlier ones have been answered.
///
/// A thread of its own keeps to the time: a task would wait for the client's threads on a machine with few processors, and
/// its delay be taken for the client's.
struct Pace {
    let rate: Int
    let requests: Int

    /// - Returns: The sum of the results, and the time of each request in milliseconds from its scheduled start, so
    ///   that the delays of a client that falls behind are included.
    func run(_ request: @escaping @Sendable () async throws -> Int) async throws -> (Int, [Double]) {
        let (results, continuation) = AsyncThrowingStream<(Int, Double), any Error>.makeStream()
        let (rate, requests) = (rate, requests)
        Thread.detachNewThread {
            let start = ContinuousClock.now
            for index in 0..<requests {
                let due = start + .seconds(1) * index / rate
                Thread.sleep(forTimeInterval: max(due - .now, .zero) / .seconds(1))
                Task {
                    do {
                        let result = try await request()
                        continuation.yield((result, (ContinuousClock.now - due) / .milliseconds(1)))
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
            }
        }
        var sum = 0
        var latencies: [Double] = []
        for try await (result, latency) in results.prefix(requests) {
            sum += result
            latencies.append(latency)
        }
        return (sum, latencies)
    }
}
