import Testing

@testable import Streams

@Suite struct UpstreamLinkTests {
    @Test func forwardsRequestsAndOneCancellation() {
        let (link, upstream) = (UpstreamLink(), RecordingSubscription())
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

    @Test func cancelsASecondOrLateSubscription() {
        let link = UpstreamLink()
        let (first, second, late) = (RecordingSubscription(), RecordingSubscription(), RecordingSubscription())
        #expect(link.attach(first))
        #expect(!link.attach(second))
        link.cancel()
        #expect(!link.attach(late))
        #expect(first.entries == ["cancel"] && second.entries == ["cancel"] && late.entries == ["cancel"])
    }

    @Test func cancelsTheSubscriptionAfterAnEarlierCancellation() {
        let (link, upstream) = (UpstreamLink(), RecordingSubscription())
        link.cancel()
        #expect(!link.attach(upstream))
        #expect(upstream.entries == ["cancel"])
    }

    @Test func completionReleasesTheUpstreamWithoutCancelling() {
        let link = UpstreamLink()
        var upstream: RecordingSubscription? = RecordingSubscription()
        let weak = Weak(object: upstream)
        if let upstream { #expect(link.attach(upstream)) }
        upstream?.onCancel = { Issue.record("cancelled") }
        upstream = nil
        #expect(weak.object != nil)
        #expect(link.complete())
        #expect(weak.object == nil)
        #expect(!link.complete() && !link.complete(cancellingUpstream: true))
    }

    @Test func forwardsOneOfManyConcurrentCancellations() {
        for _ in 0..<500 {
            nonisolated(unsafe) let link = UpstreamLink()
            let upstream = RecordingSubscription()
            concurrently(4) { thread in
                if thread == 0 { _ = link.attach(upstream) } else { link.cancel() }
            }
            #expect(upstream.entries == ["cancel"])
        }
    }
}
