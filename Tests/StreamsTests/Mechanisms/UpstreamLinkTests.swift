import Synchronization
import Testing

@testable import Streams

/// An upstream's subscription that writes down what is asked of it.
final class Ledger: Subscription, BackpressureTraits, @unchecked Sendable {
    // Safe because what changes is behind the lock, and the closure is set first.
    private let state = Locked<[String]>([])
    let dropsUnrequestedValues: Bool
    var onCancel: () -> Void = {}

    init(dropsUnrequestedValues: Bool = false) {
        self.dropsUnrequestedValues = dropsUnrequestedValues
    }

    var entries: [String] { state.withLock { $0 } }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.append("\(demand)") }
    }

    func cancel() {
        state.withLock { $0.append("cancel") }
        onCancel()
    }
}

@Suite struct UpstreamLinkTests {
    @Test func itPassesRequestsAndOneCancellationOn() {
        let (link, upstream) = (UpstreamLink(), Ledger())
        #expect(!link.isActive)
        link.request(.max(1))
        #expect(link.attach(upstream) && link.isActive)
        link.request(.max(2))
        link.request(.unlimited)
        link.cancel()
        link.cancel()
        link.request(.max(3))
        #expect(upstream.entries == ["max(2)", "unlimited", "cancel"])
        #expect(!link.isActive && !link.complete())
    }

    @Test func aSecondOrLateSubscriptionIsCancelled() {
        let link = UpstreamLink()
        let (first, second, late) = (Ledger(), Ledger(), Ledger())
        #expect(link.attach(first))
        #expect(!link.attach(second))
        link.cancel()
        #expect(!link.attach(late))
        #expect(first.entries == ["cancel"] && second.entries == ["cancel"] && late.entries == ["cancel"])
    }

    @Test func cancellationBeforeTheSubscriptionIsRemembered() {
        let (link, upstream) = (UpstreamLink(), Ledger())
        link.cancel()
        #expect(!link.attach(upstream))
        #expect(upstream.entries == ["cancel"])
    }

    @Test func completionFreesTheUpstreamWithoutCancellingIt() {
        let link = UpstreamLink()
        var upstream: Ledger? = Ledger()
        let weak = Weak(object: upstream)
        if let upstream { #expect(link.attach(upstream)) }
        upstream?.onCancel = { Issue.record("cancelled") }
        upstream = nil
        #expect(weak.object != nil)
        #expect(link.complete())
        #expect(weak.object == nil)
        #expect(!link.complete() && !link.complete(cancellingUpstream: true))
    }

    @Test func itAsksTheUpstreamWhetherValuesAreDropped() {
        let (dropping, outer, waiting) = (UpstreamLink(), UpstreamLink(), UpstreamLink())
        #expect(dropping.attach(Ledger(dropsUnrequestedValues: true)))
        #expect(outer.attach(dropping))
        #expect(waiting.attach(Ledger()))
        #expect(dropsUnrequestedValues(outer) && !dropsUnrequestedValues(waiting))
        #expect(!dropsUnrequestedValues(Subscriptions.empty))
    }

    @Test func exactlyOneOfManyCancellationsGetsThrough() {
        for _ in 0..<500 {
            nonisolated(unsafe) let link = UpstreamLink()
            let upstream = Ledger()
            concurrently(4) { thread in
                if thread == 0 { _ = link.attach(upstream) } else { link.cancel() }
            }
            #expect(upstream.entries == ["cancel"])
        }
    }
}

@Suite struct UpstreamArbiterTests {
    @Test func unansweredDemandGoesToTheNextUpstream() {
        let arbiter = SubscriptionArbiter("Concatenate")
        let (first, second, third) = (Ledger(), Ledger(), Ledger())
        arbiter.request(.max(2))
        #expect(arbiter.attach(first))
        arbiter.request(.max(3))
        _ = arbiter.takeDemand()
        #expect(arbiter.didDeliver(.max(1)) == .max(1))
        _ = arbiter.takeDemand()
        #expect(arbiter.didDeliver(.none) == .none)
        arbiter.detach()
        #expect(arbiter.attach(second))
        arbiter.request(.unlimited)
        _ = arbiter.takeDemand()
        arbiter.detach()
        #expect(arbiter.attach(third))
        #expect(first.entries == ["max(2)", "max(3)"])
        #expect(second.entries == ["max(4)", "unlimited"])
        #expect(third.entries == ["unlimited"])
    }

    @Test func afterCancellationNothingIsAttached() {
        let arbiter = SubscriptionArbiter("Concatenate")
        let (first, second) = (Ledger(), Ledger())
        arbiter.attach(first)
        arbiter.cancel()
        arbiter.cancel()
        #expect(!arbiter.attach(second))
        #expect(first.entries == ["cancel"] && second.entries == ["cancel"])
        #expect(arbiter.isTerminal && !arbiter.complete())
    }

    @Test func itFinishesOnce() {
        let arbiter = SubscriptionArbiter("Concatenate")
        let upstream = Ledger()
        arbiter.attach(upstream)
        #expect(arbiter.complete() && !arbiter.complete())
        arbiter.cancel()
        #expect(upstream.entries.isEmpty)
    }

    @Test func concurrentDemandReachesOneUpstreamOrTheNext() {
        for _ in 0..<300 {
            nonisolated(unsafe) let arbiter = SubscriptionArbiter("Concatenate")
            let second = Ledger()
            arbiter.attach(Ledger())
            arbiter.detach()
            concurrently(3) { thread in
                if thread == 0 { arbiter.attach(second) } else { arbiter.request(.max(1)) }
            }
            let asked = second.entries.map { $0 == "max(2)" ? 2 : 1 }.reduce(0, +)
            #expect(asked == 2)
        }
    }

    @Test func onlyWhatDropsValuesIsAskedForAllOfThem() {
        let arbiter = SubscriptionArbiter("Concatenate")
        let (dropping, waiting, late) = (
            Ledger(dropsUnrequestedValues: true), Ledger(), Ledger(dropsUnrequestedValues: true)
        )
        arbiter.attach(dropping)
        #expect(!arbiter.dropsUnrequestedValues)
        arbiter.keepUnrequestedValues()
        arbiter.request(.max(2))
        _ = arbiter.takeDemand()
        arbiter.detach()
        arbiter.attach(waiting)
        arbiter.detach()
        arbiter.attach(late)
        #expect(dropping.entries == ["unlimited", "max(2)"])
        #expect(waiting.entries == ["max(1)"])
        #expect(late.entries == ["max(1)", "unlimited"])
    }

    @Test func whatNobodyAskedForIsNotAskedForInItsPlace() {
        let arbiter = SubscriptionArbiter("Concatenate")
        let next = Ledger()
        arbiter.attach(Ledger(dropsUnrequestedValues: true))
        arbiter.keepUnrequestedValues()
        arbiter.request(.max(1))
        // The fourth one and the fifth were not asked for, and the fifth makes the subscriber want two.
        for additional in [Subscribers.Demand.max(1), .max(1), .none, .max(1), .max(3), .none] {
            _ = arbiter.takeDemand()
            #expect(arbiter.didDeliver(additional) == additional)
        }
        arbiter.detach()
        arbiter.attach(next)
        #expect(next.entries == ["max(1)"])
    }
}
