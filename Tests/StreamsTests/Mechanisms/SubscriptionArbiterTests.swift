import Testing

@testable import Streams

@Suite struct SubscriptionArbiterTests {
    @Test func requestsOutstandingDemandFromTheNextUpstream() {
        let arbiter = SubscriptionArbiter("Concatenate")
        let (first, second, third) = (RecordingSubscription(), RecordingSubscription(), RecordingSubscription())
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

    @Test func cancelsSubscriptionsAttachedAfterCancellation() {
        let arbiter = SubscriptionArbiter("Concatenate")
        let (first, second) = (RecordingSubscription(), RecordingSubscription())
        arbiter.attach(first)
        arbiter.cancel()
        arbiter.cancel()
        #expect(!arbiter.attach(second))
        #expect(first.entries == ["cancel"] && second.entries == ["cancel"])
        #expect(arbiter.isTerminal && !arbiter.complete())
    }

    @Test func completesOnce() {
        let arbiter = SubscriptionArbiter("Concatenate")
        let upstream = RecordingSubscription()
        arbiter.attach(upstream)
        #expect(arbiter.complete() && !arbiter.complete())
        arbiter.cancel()
        #expect(upstream.entries.isEmpty)
    }

    @Test func forwardsConcurrentDemandToTheNextUpstream() {
        for _ in 0..<300 {
            nonisolated(unsafe) let arbiter = SubscriptionArbiter("Concatenate")
            let second = RecordingSubscription()
            arbiter.attach(RecordingSubscription())
            arbiter.detach()
            concurrently(3) { thread in
                if thread == 0 { arbiter.attach(second) } else { arbiter.request(.max(1)) }
            }
            let requested = second.entries.map { $0 == "max(2)" ? 2 : 1 }.reduce(0, +)
            #expect(requested == 2)
        }
    }

    @Test func requestsUnlimitedOnlyOfUpstreamsThatDropValues() {
        let arbiter = SubscriptionArbiter("Concatenate")
        let (dropping, waiting, late) = (
            RecordingSubscription(dropsUnrequestedValues: true), RecordingSubscription(),
            RecordingSubscription(dropsUnrequestedValues: true)
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

    @Test func excludesUnrequestedValuesFromTheNextRequest() {
        let arbiter = SubscriptionArbiter("Concatenate")
        let next = RecordingSubscription()
        arbiter.attach(RecordingSubscription(dropsUnrequestedValues: true))
        arbiter.keepUnrequestedValues()
        arbiter.request(.max(1))
        // The fourth and the fifth value were not requested: of the demand returned for them, one is already met.
        for additional in [Subscribers.Demand.max(1), .max(1), .none, .max(1), .max(3), .none] {
            _ = arbiter.takeDemand()
            #expect(arbiter.didDeliver(additional) == additional)
        }
        arbiter.detach()
        arbiter.attach(next)
        #expect(next.entries == ["max(1)"])
    }
}
