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
