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
        let (link, upstream) = (UpstreamLink(.sink), Ledger())
        #expect(!link.isActive)
        link.request(.max(1))
        #expect(link.attach(upstream) && link.isActive)
        link.request(.max(2))
        link.request(.unlimited)
        link.cancel()
        link.cancel()
        link.request(.max(3))
        #expect(upstream.entries == ["max(2)", "unlimited", "cancel"])
        #expect(!link.isActive && !link.finish())
        #expect(link.description == "Sink")
    }

    @Test func aSecondOrLateSubscriptionIsCancelled() {
        let link = UpstreamLink(.sink)
        let (first, second, late) = (Ledger(), Ledger(), Ledger())
        #expect(link.attach(first))
        #expect(!link.attach(second))
        link.cancel()
        #expect(!link.attach(late))
        #expect(first.entries == ["cancel"] && second.entries == ["cancel"] && late.entries == ["cancel"])
    }

    @Test func cancellationBeforeTheSubscriptionIsRemembered() {
        let (link, upstream) = (UpstreamLink(.sink), Ledger())
        link.cancel()
        #expect(!link.attach(upstream))
        #expect(upstream.entries == ["cancel"])
    }

    @Test func completionFreesTheUpstreamWithoutCancellingIt() {
        let link = UpstreamLink(.sink)
        var upstream: Ledger? = Ledger()
        let weak = Weak(object: upstream)
        if let upstream { #expect(link.attach(upstream)) }
        upstream?.onCancel = { Issue.record("cancelled") }
        upstream = nil
        #expect(weak.object != nil)
        #expect(link.finish())
        #expect(weak.object == nil)
        #expect(!link.finish() && !link.cancelUpstream())
    }

    @Test func itAsksTheUpstreamWhetherValuesAreDropped() {
        let (dropping, outer, waiting) = (UpstreamLink(.sink), UpstreamLink(.map), UpstreamLink(.sink))
        #expect(dropping.attach(Ledger(dropsUnrequestedValues: true)))
        #expect(outer.attach(dropping))
        #expect(waiting.attach(Ledger()))
        #expect(dropsUnrequestedValues(outer) && !dropsUnrequestedValues(waiting))
        #expect(!dropsUnrequestedValues(Subscriptions.empty))
    }

    @Test func exactlyOneOfManyCancellationsGetsThrough() {
        for _ in 0..<500 {
            nonisolated(unsafe) let link = UpstreamLink(.sink)
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
        let arbiter = SubscriptionArbiter(.concatenate)
        let (first, second, third) = (Ledger(), Ledger(), Ledger())
        arbiter.request(.max(2))
        #expect(arbiter.attach(first))
        arbiter.request(.max(3))
        arbiter.willDeliver()
        #expect(arbiter.didDeliver(.max(1)) == .max(1))
        arbiter.willDeliver()
        #expect(arbiter.didDeliver(.none) == .none)
        arbiter.detach()
        #expect(arbiter.attach(second))
        arbiter.request(.unlimited)
        arbiter.willDeliver()
        arbiter.detach()
        #expect(arbiter.attach(third))
        #expect(first.entries == ["max(2)", "max(3)"])
        #expect(second.entries == ["max(4)", "unlimited"])
        #expect(third.entries == ["unlimited"])
    }

    @Test func afterCancellationNothingIsAttached() {
        let arbiter = SubscriptionArbiter(.concatenate)
        let (first, second) = (Ledger(), Ledger())
        arbiter.attach(first)
        arbiter.cancel()
        arbiter.cancel()
        #expect(!arbiter.attach(second))
        #expect(first.entries == ["cancel"] && second.entries == ["cancel"])
        #expect(arbiter.isTerminal && !arbiter.finish())
    }

    @Test func itFinishesOnce() {
        let arbiter = SubscriptionArbiter(.concatenate)
        let upstream = Ledger()
        arbiter.attach(upstream)
        #expect(arbiter.finish() && !arbiter.finish())
        arbiter.cancel()
        #expect(upstream.entries.isEmpty)
    }

    @Test func concurrentDemandReachesOneUpstreamOrTheNext() {
        for _ in 0..<300 {
            nonisolated(unsafe) let arbiter = SubscriptionArbiter(.concatenate)
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
        let arbiter = SubscriptionArbiter(.concatenate)
        let (dropping, waiting, late) = (
            Ledger(dropsUnrequestedValues: true), Ledger(), Ledger(dropsUnrequestedValues: true)
        )
        arbiter.attach(dropping)
        #expect(!arbiter.dropsUnrequestedValues)
        arbiter.keepUnrequestedValues()
        arbiter.request(.max(2))
        arbiter.willDeliver()
        arbiter.detach()
        arbiter.attach(waiting)
        arbiter.detach()
        arbiter.attach(late)
        #expect(dropping.entries == ["unlimited", "max(2)"])
        #expect(waiting.entries == ["max(1)"])
        #expect(late.entries == ["max(1)", "unlimited"])
    }

    @Test func whatNobodyAskedForIsNotAskedForInItsPlace() {
        let arbiter = SubscriptionArbiter(.concatenate)
        let next = Ledger()
        arbiter.attach(Ledger(dropsUnrequestedValues: true))
        arbiter.keepUnrequestedValues()
        arbiter.request(.max(1))
        // The fourth one and the fifth were not asked for, and the fifth makes the subscriber want two.
        for additional in [Subscribers.Demand.max(1), .max(1), .none, .max(1), .max(3), .none] {
            arbiter.willDeliver()
            #expect(arbiter.didDeliver(additional) == additional)
        }
        arbiter.detach()
        arbiter.attach(next)
        #expect(next.entries == ["max(1)"])
    }
}
