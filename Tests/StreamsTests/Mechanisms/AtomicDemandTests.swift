import Testing

@testable import Streams

@Suite struct AtomicDemandTests {
    /// A reference to an atomic demand, because expectations cannot capture noncopyable values.
    final class SharedDemand: Sendable {
        private let demand: AtomicDemand

        init(isWithheld: Bool = false) {
            demand = AtomicDemand(isWithheld: isWithheld)
        }

        var reading: AtomicDemand.Reading { demand.reading }

        @discardableResult
        func add(_ additional: Subscribers.Demand) -> AtomicDemand.Reading { demand.add(additional) }
        func subtract(_ served: UInt) -> AtomicDemand.Reading { demand.subtract(served) }
        func takeOne() -> Bool { demand.takeOne() }
        func cancel() -> AtomicDemand.Reading { demand.cancel() }
        func release() -> AtomicDemand.Reading { demand.release() }
    }

    @Test func addsAndSubtracts() {
        let demand = SharedDemand()
        #expect(demand.add(.max(2)).isIdle)
        #expect(!demand.add(.max(1)).isIdle)
        #expect(demand.reading.count == 3)
        #expect(demand.takeOne())
        #expect(demand.subtract(2).isIdle)
        #expect(!demand.takeOne())
        #expect(demand.add(.max(1)).isIdle)
    }

    @Test func saturates() {
        let demand = SharedDemand()
        demand.add(.max(.max))
        #expect(demand.reading.isUnlimited)
        #expect(demand.takeOne())
        #expect(demand.subtract(.max).isUnlimited)
        #expect(demand.reading == .flowing)
    }

    @Test func largeDemandsAddUpToUnlimited() {
        let demand = SharedDemand()
        demand.add(.max(1 << 60))
        #expect(!demand.reading.isUnlimited)
        demand.add(.max(1 << 60))
        #expect(demand.reading.isUnlimited)
    }

    @Test func ignoresCallsAfterCancellation() {
        let demand = SharedDemand()
        demand.add(.max(2))
        #expect(!demand.cancel().isCancelled)
        #expect(demand.cancel().isCancelled)
        #expect(!demand.takeOne())
        #expect(!demand.add(.max(1)).isIdle)
        #expect(demand.reading.count == 2)
    }

    @Test func addsUpWithheldDemand() {
        let demand = SharedDemand(isWithheld: true)
        let before = demand.add(.unlimited)
        #expect(before.isWithheld && before.isIdle)
        #expect(demand.reading != .flowing)
        let withheld = demand.release()
        #expect(withheld.isWithheld && withheld.isUnlimited)
        #expect(demand.reading == .flowing)
    }

    @Test func countsConcurrentRequestsAndValues() {
        let demand = SharedDemand()
        let taken = Locked(0)
        concurrently(4) { thread in
            var mine = 0
            for _ in 0..<20_000 {
                if thread.isMultiple(of: 2) { demand.add(.max(1)) } else if demand.takeOne() { mine += 1 }
            }
            taken.withLock { $0 += mine }
        }
        #expect(taken.withLock { $0 } + Int(demand.reading.count) == 40_000)
    }
}
