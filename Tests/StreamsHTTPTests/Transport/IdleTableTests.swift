import Testing

@testable import StreamsHTTP

/// The limit of idle connections, with times of the test.
@Suite struct IdleTableTests {
    private let start = MonotonicTime.now

    private func second(_ number: Int) -> MonotonicTime {
        start + .seconds(number)
    }

    @Test func setsNoLimitByDefault() {
        var table = IdleTable(limit: nil, engineCount: 2)
        #expect(table.set(1000, oldest: start, of: 1) == nil)
    }

    @Test func namesTheEngineWithTheOldest() {
        var table = IdleTable(limit: 2, engineCount: 3)
        #expect(table.set(1, oldest: second(1), of: 0) == nil)
        #expect(table.set(1, oldest: second(2), of: 2) == nil)
        #expect(table.set(1, oldest: second(3), of: 1) == 0)
        #expect((0..<3).map(table.excessCount) == [1, 0, 0])
        // The excess counts no more.
        #expect(table.set(2, oldest: second(3), of: 1) == 2)
        #expect((0..<3).map(table.excessCount) == [1, 0, 1])
        #expect(table.set(0, oldest: nil, of: 2) == nil)
        #expect(table.set(0, oldest: nil, of: 0) == nil)
        #expect((0..<3).map(table.excessCount) == [0, 0, 0])
        #expect(table.set(3, oldest: second(3), of: 1) == 1)
    }

    @Test func sparesAConnectionWhenAnotherIsUsed() {
        var table = IdleTable(limit: 2, engineCount: 2)
        #expect(table.set(2, oldest: second(1), of: 0) == nil)
        #expect(table.set(1, oldest: second(2), of: 1) == 0)
        #expect(table.set(0, oldest: nil, of: 1) == nil)
        #expect(table.excessCount(of: 0) == 0)
    }

    /// Engines that close what they have to at random moments, and so late.
    @Test func neverCountsMoreThanTheLimit() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for limit in 1...5 {
            var table = IdleTable(limit: limit, engineCount: 3)
            var engines: [[MonotonicTime]] = [[], [], []]
            func settle(_ engine: Int) {
                if table.set(engines[engine].count, oldest: engines[engine].first, of: engine) == engine {
                    engines[engine].removeFirst()
                    settle(engine)
                }
            }
            func close(_ engine: Int) {
                while table.excessCount(of: engine) > 0 {
                    engines[engine].removeFirst()
                    settle(engine)
                }
            }
            for step in 0..<300 {
                let engine = Int.random(in: 0..<3, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: close(engine)
                case 1 where !engines[engine].isEmpty:
                    engines[engine].removeLast()
                    settle(engine)
                default:
                    engines[engine].append(second(step))
                    settle(engine)
                }
                let counted = (0..<3).map { engines[$0].count - table.excessCount(of: $0) }
                #expect(counted.reduce(0, +) <= limit && counted.allSatisfy { $0 >= 0 }, "seed \(seed)")
            }
            for _ in 0..<limit {
                engines[0].append(second(1000))
                settle(0)
            }
            for engine in 0..<3 { close(engine) }
            // Neither too many are closed, nor too few.
            #expect(engines.map(\.count).reduce(0, +) == limit, "seed \(seed)")
        }
    }
}
