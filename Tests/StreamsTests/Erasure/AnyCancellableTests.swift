import StreamsTesting
import Synchronization
import Testing

@testable import Streams

@Suite struct AnyCancellableTests {
    @Test func cancelsOnce() {
        let count = Atomic<Int>(0)
        let cancellable = AnyCancellable { count.add(1, ordering: .relaxed) }
        concurrently(8) { _ in cancellable.cancel() }
        cancellable.cancel()
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test func cancelsWhenReleased() {
        let count = Atomic<Int>(0)
        do {
            let cancellable = AnyCancellable { count.add(1, ordering: .relaxed) }
            withExtendedLifetime(cancellable) { #expect(count.load(ordering: .relaxed) == 0) }
        }
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test func cancellationReleasesTheClosure() {
        let lifetimes = LifetimeTracker()
        let cancellable = AnyCancellable { [token = lifetimes.token("closure")] in withExtendedLifetime(token) {} }
        #expect(lifetimes.alive == ["closure"])
        cancellable.cancel()
        #expect(lifetimes.alive == [])
    }

    @Test func collectionsRetainTheCancellable() {
        let count = Atomic<Int>(0)
        var set: Set<AnyCancellable> = []
        var array: [AnyCancellable] = []
        AnyCancellable { count.add(1, ordering: .relaxed) }.store(in: &set)
        AnyCancellable { count.add(1, ordering: .relaxed) }.store(in: &array)
        Subscriptions.empty.store(in: &array)
        #expect(set.count == 1 && array.count == 2 && count.load(ordering: .relaxed) == 0)
        set = []
        array = []
        #expect(count.load(ordering: .relaxed) == 2)
    }

    @Test func hasCancelledWhenANestedCallReturns() {
        onAnotherThread {
            let (isCancelled, early) = (Counter(), Counter())
            var chain = AnyCancellable { isCancelled.increment() }
            for _ in 0..<100 {
                chain = AnyCancellable { [chain] in
                    chain.cancel()
                    if isCancelled.value == 0 { early.increment() }
                }
            }
            chain.cancel()
            #expect(isCancelled.value == 1)
            #expect(early.value == 0, "calls returned before they had cancelled")
        }
    }

    @Test func cancelsALongChainOnASmallStack() {
        onSmallStack {
            let count = Atomic<Int>(0)
            var chain = AnyCancellable { count.add(1, ordering: .relaxed) }
            for _ in 0..<1_000_000 {
                chain = AnyCancellable { [chain] in chain.cancel() }
            }
            chain.cancel()
            #expect(count.load(ordering: .relaxed) == 1)
        }
    }

    @Test func releasesALongChainOnASmallStack() {
        onSmallStack {
            let count = Atomic<Int>(0)
            var chain = AnyCancellable { count.add(1, ordering: .relaxed) }
            for _ in 0..<1_000_000 { chain = AnyCancellable(chain) }
            chain = AnyCancellable {}
            #expect(count.load(ordering: .relaxed) == 1)
        }
    }
}
