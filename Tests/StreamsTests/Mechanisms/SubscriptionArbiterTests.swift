import Testing

@testable import Streams

@Suite
struct SubscriptionArbiterTests {
    private let arbiter = SubscriptionArbiter("Concatenate", needsEveryValue: false)

    @Test func requestsUnansweredDemandFromNextUpstream() {
        let (first, second, third) = (RecordingSubscription(), RecordingSubscription(), RecordingSubscription())
        arbiter.request(.max(2))
        arbiter.attach(linked(to: first))
        arbiter.request(.max(3))
        #expect(arbiter.takeDemand() && arbiter.didDeliver(.max(1)) == .max(1))
        #expect(arbiter.takeDemand() && arbiter.didDeliver(.none) == .none)
        arbiter.detach()
        arbiter.attach(linked(to: second))
        arbiter.request(.unlimited)
        #expect(arbiter.takeDemand())
        arbiter.detach()
        arbiter.attach(linked(to: third))
        #expect(first.entries == ["max(2)", "max(3)"])
        #expect(second.entries == ["max(4)", "unlimited"])
        #expect(third.entries == ["unlimited"])
    }

    @Test func ignoresRequestForNothing() {
        let upstream = RecordingSubscription()
        arbiter.attach(linked(to: upstream))
        arbiter.request(.none)
        #expect(upstream.entries == [])
    }

    @Test func isHandedDownstreamOnce() {
        #expect(arbiter.attach(linked(to: RecordingSubscription())))
        arbiter.detach()
        #expect(!arbiter.attach(linked(to: RecordingSubscription())))
    }

    @Test func cancelsSubscriptionsThatComeAfterCancellation() {
        let (first, second) = (RecordingSubscription(), RecordingSubscription())
        arbiter.attach(linked(to: first))
        arbiter.cancel()
        arbiter.cancel()
        #expect(!arbiter.attach(linked(to: second)))
        #expect(first.entries == ["cancel"] && second.entries == ["cancel"])
        #expect(arbiter.isTerminal && !arbiter.complete())
    }

    @Test func completesOnce() {
        let upstream = RecordingSubscription()
        arbiter.attach(linked(to: upstream))
        #expect(arbiter.complete() && !arbiter.complete())
        arbiter.cancel()
        #expect(upstream.entries.isEmpty)
    }

    @Test func requestsConcurrentDemandOnce() {
        for _ in 0..<300 {
            nonisolated(unsafe) let arbiter = SubscriptionArbiter("Concatenate", needsEveryValue: false)
            let second = RecordingSubscription()
            arbiter.attach(linked(to: RecordingSubscription()))
            arbiter.detach()
            concurrently(3) { thread in
                if thread == 0 { arbiter.attach(linked(to: second)) } else { arbiter.request(.max(1)) }
            }
            let requested = second.entries.map { $0 == "max(2)" ? 2 : 1 }.reduce(0, +)
            #expect(requested == 2)
        }
    }

    @Test func subscribesToNextUpstreamAfterTheCurrentCall() {
        var log: [Int] = []
        arbiter.push { _ in log.append(2) }
        arbiter.trampoline.run {
            log.append(log.count)
            if log.count == 1 {
                arbiter.trampoline.run { log.append(-1) }
                #expect(log == [0])
            }
        }
        #expect(log == [0, 1])
        #expect(arbiter.hasNext)
        arbiter.subscribeToNext()
        arbiter.subscribeToNext()
        #expect(log == [0, 1, 2] && !arbiter.hasNext)
    }

    @Test func releasesUpcomingUpstreamsOnCancellation() {
        var object: RecordingSubscription? = RecordingSubscription()
        let released = Weak(object: object)
        arbiter.push { [object] _ in withExtendedLifetime(object) {} }
        object = nil
        #expect(released.object != nil)
        arbiter.cancel()
        #expect(released.object == nil && !arbiter.hasNext)
        arbiter.push { _ in Issue.record("subscribes after the end") }
        arbiter.subscribeToNext()
    }
}

/// A link whose upstream is this subscription.
private func linked(to subscription: RecordingSubscription) -> UpstreamLink {
    let link = UpstreamLink()
    _ = link.attach(subscription)
    return link
}
