import Synchronization
import Testing

@testable import Streams

@Suite struct SequenceTests {
    @Test func itDeliversWhatIsAskedForAndTheCompletionRightAfterTheLast() {
        let transcript = Transcript(Int.self, Never.self, demand: .none)
        (1...3).publisher.subscribe(transcript)
        #expect(transcript.entries == ["subscription 1...3"])
        transcript.subscription?.request(.max(2))
        #expect(transcript.entries.dropFirst() == ["1", "2"])
        transcript.subscription?.request(.max(1))
        #expect(transcript.entries.dropFirst() == ["1", "2", "3", "finished"])
        transcript.subscription?.request(.max(1))
        #expect(transcript.entries.count == 5)
        #expect(transcript.subscription.map { "\($0)" } == "Sequence")
    }

    @Test func anEmptySequenceCompletesWithoutDemand() {
        let transcript = Transcript(Int.self, Never.self, demand: .none)
        [Int]().publisher.subscribe(transcript)
        #expect(transcript.entries == ["subscription Empty", "finished"])
    }

    @Test func returnedDemandCounts() {
        let transcript = Transcript(Int.self, Never.self, demand: .max(1))
        transcript.onValue = { $0 < 4 ? .max(1) : .none }
        (1...10).publisher.subscribe(transcript)
        #expect(transcript.values == [1, 2, 3, 4])
        transcript.onValue = { _ in .unlimited }
        transcript.subscription?.request(.max(1))
        #expect(transcript.values == Array(1...10))
        #expect(transcript.entries.last == "finished")
    }

    @Test func requestsFromInsideDoNotRecurse() {
        let transcript = Transcript(Int.self, Never.self, demand: .max(1))
        let depth = Locked((now: 0, most: 0))
        transcript.onValue = { [unowned transcript] value in
            depth.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            transcript.subscription?.request(.max(1))
            depth.withLock { $0.now -= 1 }
            return .none
        }
        (1...1000).publisher.subscribe(transcript)
        #expect(transcript.values.count == 1000)
        #expect(depth.withLock { $0.most } == 1)
    }

    @Test(arguments: [Subscribers.Demand.unlimited, .max(100)])
    func nothingFollowsACancellationFromInside(demand: Subscribers.Demand) {
        let transcript = Transcript(Int.self, Never.self, demand: demand)
        transcript.onValue = { [unowned transcript] value in
            if value == 3 { transcript.subscription?.cancel() }
            return .none
        }
        (1...3).publisher.subscribe(transcript)
        #expect(transcript.entries == ["subscription 1...3", "1", "2", "3"])
    }

    @Test func theEndLetsGoOfTheSubscriberThoughTheSubscriptionIsKept() {
        for cancels in [true, false] {
            var transcript: Transcript<Int, Never>? = Transcript(demand: .max(1))
            let weak = Weak(object: transcript)
            if let transcript { (1...2).publisher.eraseToAnyPublisher().filter { _ in true }.subscribe(transcript) }
            let subscription = transcript?.subscription
            transcript = nil
            #expect(weak.object != nil)
            if cancels { subscription?.cancel() } else { subscription?.request(.max(1)) }
            weak.object?.releaseSubscription()
            #expect(weak.object == nil)
        }
    }

    @Test func concurrentRequestsAreServedOnceEach() {
        for _ in 0..<50 {
            let transcript = Transcript(Int.self, Never.self, demand: .none)
            (1...1000).publisher.subscribe(transcript)
            let subscription = transcript.subscription
            nonisolated(unsafe) let shared = subscription
            concurrently(4) { _ in
                for _ in 0..<100 { shared?.request(.max(1)) }
            }
            #expect(transcript.values == Array(1...400))
        }
    }

    @Test func askingForNothingBringsNothing() {
        let transcript = Transcript(Int.self, Never.self, demand: .none)
        [1].publisher.subscribe(transcript)
        transcript.subscription?.request(.none)
        #expect(transcript.entries == ["subscription [1]"])
        transcript.subscription?.request(.max(1))
        #expect(transcript.entries == ["subscription [1]", "1", "finished"])
    }

    @Test func itIsEquatable() {
        #expect([1, 2].publisher == [1, 2].publisher)
        #expect([1, 2].publisher != [1, 3].publisher)
    }
}
