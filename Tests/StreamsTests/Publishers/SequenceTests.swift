import StreamsTesting
import Synchronization
import Testing

@testable import Streams

@Suite struct SequenceTests {
    @Test func deliversWhatIsRequestedAndTheCompletionAfterTheLastElement() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        (1...3).publisher.subscribe(recorder)
        #expect(recorder.transcript == ["subscription 1...3"])
        recorder.request(.max(2))
        #expect(recorder.transcript.dropFirst() == ["1", "2"])
        recorder.request(.max(1))
        #expect(recorder.transcript.dropFirst() == ["1", "2", "3", "finished"])
        recorder.request(.max(1))
        #expect(recorder.transcript.count == 5)
        #expect(recorder.subscription.map { "\($0)" } == "Sequence")
    }

    @Test func anEmptySequenceCompletesWithoutDemand() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        [Int]().publisher.subscribe(recorder)
        #expect(recorder.transcript == ["subscription Empty", "finished"])
    }

    @Test func countsReturnedDemand() {
        let recorder = RecordingSubscriber<Int, Never>(
            initialDemand: .max(1), demandForValue: { $0 < 4 ? .max(1) : $0 == 4 ? .none : .unlimited })
        (1...10).publisher.subscribe(recorder)
        #expect(recorder.values == [1, 2, 3, 4])
        recorder.request(.max(1))
        #expect(recorder.values == Array(1...10))
        #expect(recorder.transcript.last == "finished")
    }

    @Test func requestsInsideCallbacksDoNotRecurse() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1)) { recorder, event in
            if event.value != nil { recorder.request(.max(1)) }
        }
        (1...1000).publisher.subscribe(recorder)
        #expect(recorder.values.count == 1000)
        #expect(recorder.violations == [])
    }

    @Test(arguments: [Subscribers.Demand.unlimited, .max(100)])
    func deliversNothingAfterCancellationInsideAValue(demand: Subscribers.Demand) {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: demand) { recorder, event in
            if event.value == 3 { recorder.cancel() }
        }
        (1...3).publisher.subscribe(recorder)
        #expect(recorder.transcript == ["subscription 1...3", "1", "2", "3"])
    }

    @Test func theEndReleasesTheSubscriberOfAKeptSubscription() {
        for cancels in [true, false] {
            var recorder: RecordingSubscriber<Int, Never>? = RecordingSubscriber(initialDemand: .max(1))
            let weak = Weak(object: recorder)
            if let recorder { (1...2).publisher.eraseToAnyPublisher().filter { _ in true }.subscribe(recorder) }
            let subscription = recorder?.subscription
            recorder = nil
            #expect(weak.object != nil)
            if cancels { subscription?.cancel() } else { subscription?.request(.max(1)) }
            weak.object?.releaseSubscription()
            #expect(weak.object == nil)
        }
    }

    @Test func concurrentRequestsAreServedOnceEach() {
        for _ in 0..<50 {
            let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
            (1...1000).publisher.subscribe(recorder)
            let subscription = recorder.subscription
            nonisolated(unsafe) let shared = subscription
            concurrently(4) { _ in
                for _ in 0..<100 { shared?.request(.max(1)) }
            }
            #expect(recorder.values == Array(1...400))
        }
    }

    @Test func ignoresARequestForNothing() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        [1].publisher.subscribe(recorder)
        recorder.request(.none)
        #expect(recorder.transcript == ["subscription [1]"])
        recorder.request(.max(1))
        #expect(recorder.transcript == ["subscription [1]", "1", "finished"])
    }

    @Test func isEquatable() {
        #expect([1, 2].publisher == [1, 2].publisher)
        #expect([1, 2].publisher != [1, 3].publisher)
    }
}
