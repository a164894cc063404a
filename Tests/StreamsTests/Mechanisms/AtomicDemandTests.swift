import Testing

@testable import Streams

@Suite struct DemandWordTests {
    /// The word behind a reference, which expectations can take.
    final class Word: Sendable {
        private let word: AtomicDemand

        init(isHeld: Bool = false) {
            word = AtomicDemand(isHeld: isHeld)
        }

        var reading: AtomicDemand.Reading { word.reading }

        @discardableResult
        func add(_ demand: Subscribers.Demand) -> AtomicDemand.Reading { word.add(demand) }
        func subtract(_ served: UInt) -> AtomicDemand.Reading { word.subtract(served) }
        func takeOne() -> Bool { word.takeOne() }
        func cancel() -> AtomicDemand.Reading { word.cancel() }
        func release() -> AtomicDemand.Reading { word.release() }
    }

    @Test func itCountsUpAndDown() {
        let word = Word()
        #expect(word.add(.max(2)).isIdle)
        #expect(!word.add(.max(1)).isIdle)
        #expect(word.reading.count == 3)
        #expect(word.takeOne())
        #expect(word.subtract(2).isIdle)
        #expect(!word.takeOne())
        #expect(word.add(.max(1)).isIdle)
    }

    @Test func itSaturates() {
        let word = Word()
        word.add(.max(.max))
        #expect(word.reading.isUnlimited)
        #expect(word.takeOne())
        #expect(word.subtract(.max).isUnlimited)
        #expect(word.reading == .flowing)
    }

    @Test func largeDemandsAddUpToUnlimited() {
        let word = Word()
        word.add(.max(1 << 60))
        #expect(!word.reading.isUnlimited)
        word.add(.max(1 << 60))
        #expect(word.reading.isUnlimited)
    }

    @Test func nothingIsTakenOrAddedAfterCancellation() {
        let word = Word()
        word.add(.max(2))
        #expect(!word.cancel().isCancelled)
        #expect(word.cancel().isCancelled)
        #expect(!word.takeOne())
        #expect(!word.add(.max(1)).isIdle)
        #expect(word.reading.count == 2)
    }

    @Test func holdingBackDoesNotHideDemand() {
        let word = Word(isHeld: true)
        let before = word.add(.unlimited)
        #expect(before.isHeld && before.isIdle)
        #expect(word.reading != .flowing)
        let held = word.release()
        #expect(held.isHeld && held.isUnlimited)
        #expect(word.reading == .flowing)
    }

    @Test func concurrentRequestsAndTakingAddUp() {
        let word = Word()
        let taken = Locked(0)
        concurrently(4) { thread in
            var mine = 0
            for _ in 0..<20_000 {
                if thread.isMultiple(of: 2) { word.add(.max(1)) } else if word.takeOne() { mine += 1 }
            }
            taken.withLock { $0 += mine }
        }
        #expect(taken.withLock { $0 } + Int(word.reading.count) == 40_000)
    }
}
