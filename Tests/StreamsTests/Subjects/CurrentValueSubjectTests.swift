import StreamsTesting
import Synchronization
import Testing

@testable import Streams

@Suite struct CurrentValueSubjectTests {
    @Test func deliversTheCurrentValueFirst() {
        let subject = CurrentValueSubject<Int, TestError>(0)
        let recorder = RecordingSubscriber<Int, TestError>()
        subject.subscribe(recorder)
        subject.send(1)
        subject.value = 2
        #expect(subject.value == 2)
        subject.send(completion: .failure(.first))
        subject.send(3)
        #expect(subject.value == 2)
        #expect(recorder.transcript == ["subscription CurrentValueSubject", "0", "1", "2", "failure first"])
        let late = RecordingSubscriber<Int, TestError>()
        subject.subscribe(late)
        #expect(late.transcript == ["subscription Empty", "failure first"])
    }

    @Test func updatesLoseNoChangeOfAnotherThread() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = RecordingSubscriber<Int, Never>()
        subject.subscribe(recorder)
        concurrently(4) { _ in
            for _ in 0..<2_000 { subject.update { $0 += 1 } }
        }
        #expect(subject.value == 8_000)
        #expect(recorder.values == Array(0...8_000))
        #expect(recorder.violations == [])
    }

    @Test func updatesReturnTheResultOfTheLastCall() {
        let subject = CurrentValueSubject<[Int], Never>([1, 2, 3])
        #expect(subject.update { $0.removeLast() } == 3)
        #expect(subject.value == [1, 2])
        #expect(throws: TestError.first) {
            try subject.update { value in
                value = []
                throw TestError.first
            }
        }
        #expect(subject.value == [1, 2])
        subject.send(completion: .finished)
        subject.update { $0.append(4) }
        #expect(subject.value == [1, 2, 4])
    }

    @Test func updatesWithAValueOfAnotherThreadAreCalledAgain() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let calls = Counter()
        subject.update { value in
            if calls.increment() == 1 { onAnotherThread { subject.send(10) } }
            value += 1
        }
        #expect(calls.value == 2)
        #expect(subject.value == 11)
    }

    @Test("An update is called again if another thread has changed the value between changes of its own thread")
    func updatesNoticeChangesBetweenTheirOwn() {
        let subject = CurrentValueSubject<Int, Never>(0)
        subject.send(1)
        let calls = Counter()
        subject.update { value in
            subject.send(2)
            if calls.increment() == 1 { onAnotherThread { subject.send(10) } }
            subject.send(3)
            value += 1
        }
        #expect(calls.value == 2)
        #expect(subject.value == 4)
    }

    @Test("A change of another thread inside a nested update repeats the outer update, too")
    func nestedUpdatesNoticeChangesOfAnotherThread() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let (outer, inner) = (Counter(), Counter())
        subject.update { value in
            outer.increment()
            subject.update { value in
                if inner.increment() == 1 { onAnotherThread { subject.send(10) } }
                value += 1
            }
            value += 100
        }
        #expect(outer.value == 2)
        #expect(inner.value == 3)
        #expect(subject.value == 111)
    }

    @Test("An update that throws leaves nothing behind for the next one")
    func updatesAfterAFailedOneAreCalledOnce() {
        let subject = CurrentValueSubject<Int, Never>(0)
        #expect(throws: TestError.first) {
            try subject.update { _ in
                onAnotherThread { subject.send(5) }
                throw TestError.first
            }
        }
        let calls = Counter()
        subject.update { value in
            calls.increment()
            value += 1
        }
        #expect(calls.value == 1)
        #expect(subject.value == 6)
    }

    @Test func updatesMayUseTheSubject() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = RecordingSubscriber<Int, Never>()
        subject.subscribe(recorder)
        let calls = Counter()
        subject.update { value in
            calls.increment()
            subject.update { $0 = 5 }
            subject.send(6)
            value += 1
        }
        #expect(calls.value == 1)
        #expect(recorder.values == [0, 5, 6, 1])
        let nested = RecordingSubscriber<Int, Never> { _, event in
            if event.value == 1 { subject.update { $0 += 1 } }
        }
        subject.subscribe(nested)
        #expect(recorder.values == [0, 5, 6, 1, 2])
        #expect(nested.values == [1, 2])
    }

    @Test func valueCanBeSetAfterTheCompletion() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = RecordingSubscriber<Int, Never>()
        subject.subscribe(recorder)
        subject.send(completion: .finished)
        subject.value = 1
        #expect(subject.value == 1)
        subject.send(2)
        #expect(subject.value == 1)
        #expect(recorder.transcript == ["subscription CurrentValueSubject", "0", "finished"])
    }

    @Test func keepsTheNewestValueForASubscriberWithoutDemand() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        subject.subscribe(recorder)
        subject.send(1)
        subject.send(2)
        #expect(recorder.values.isEmpty)
        recorder.request(.max(1))
        #expect(recorder.values == [2])
        recorder.request(.max(1))
        #expect(recorder.values == [2])
        subject.send(3)
        subject.send(4)
        subject.send(5)
        #expect(recorder.values == [2, 3])
        recorder.request(.max(5))
        #expect(recorder.values == [2, 3, 5])
    }

    @Test func valuesSentWhileSubscribingFollowTheFirst() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none) { recorder, event in
            guard case .subscription = event else { return }
            subject.send(1)
            recorder.request(.unlimited)
            subject.send(2)
            subject.send(3)
        }
        subject.subscribe(recorder)
        #expect(recorder.values == [1, 2, 3])
    }

    @Test func subscribingInsideACallbackDeliversTheCurrentValueAtOnce() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let inner = RecordingSubscriber<Int, Never>()
        let outer = RecordingSubscriber<Int, Never> { _, event in
            guard event.value == 1 else { return }
            subject.send(2)
            #expect(subject.value == 2)
            subject.subscribe(inner)
            #expect(inner.values == [2])
            subject.send(3)
        }
        subject.subscribe(outer)
        subject.send(1)
        #expect(outer.values == [0, 1, 2, 3])
        #expect(inner.values == [2, 3])
    }

    @Test func demandRequestedInsideACallbackIsServedAfterIt() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1)) { recorder, event in
            guard let value = event.value, value < 3 else { return }
            subject.send(value + 1)
            recorder.request(.max(1))
        }
        subject.subscribe(recorder)
        #expect(recorder.values == [0, 1, 2, 3])
    }

    @Test func deliversAValueOnceThatIsRequestedWhileItIsSent() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let asking = RecordingSubscriber<Int, Never>(initialDemand: .none)
        let first = RecordingSubscriber<Int, Never> { _, event in
            if event.value == 1 { asking.request(.unlimited) }
        }
        subject.subscribe(first)
        subject.subscribe(asking)
        subject.send(1)
        #expect(asking.values == [1])
        subject.send(2)
        #expect(first.values == [0, 1, 2])
        #expect(asking.values == [1, 2])
    }

    @Test func valuesSentAfterSubscribingInsideACallbackFollowTheFirst() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let inner = RecordingSubscriber<Int, Never>(initialDemand: .none) { recorder, event in
            switch event {
            case .subscription: recorder.request(.max(1))
            case .value(2):
                subject.send(3)
                recorder.request(.max(2))
                subject.send(4)
                subject.send(5)
            default: break
            }
        }
        let outer = RecordingSubscriber<Int, Never> { _, event in
            guard event.value == 1 else { return }
            subject.send(2)
            subject.subscribe(inner)
            #expect(inner.values == [2])
        }
        subject.subscribe(outer)
        subject.send(1)
        #expect(outer.values == [0, 1, 2, 3, 4, 5])
        #expect(inner.values == [2, 3, 4])
        inner.request(.max(1))
        #expect(inner.values == [2, 3, 4, 5])
        #expect(inner.violations == [])
    }

    @Test func subscribingInsideACallbackDeliversTheCurrentValueBeforeAQueuedCompletion() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let inner = RecordingSubscriber<Int, Never>()
        let outer = RecordingSubscriber<Int, Never> { _, event in
            guard event.value == 1 else { return }
            subject.send(2)
            subject.send(completion: .finished)
            subject.subscribe(inner)
            #expect(inner.values == [2])
        }
        subject.subscribe(outer)
        subject.send(1)
        #expect(inner.transcript == ["subscription CurrentValueSubject", "2", "finished"])
        #expect(outer.transcript == ["subscription CurrentValueSubject", "0", "1", "2", "finished"])
    }

    @Test func cancellingInsideTheFirstValueEndsTheStream() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let inner = RecordingSubscriber<Int, Never> { recorder, event in
            if event.value != nil { recorder.cancel() }
        }
        let outer = RecordingSubscriber<Int, Never> { _, event in
            if event.value == 1 { subject.subscribe(inner) }
        }
        subject.subscribe(outer)
        subject.send(1)
        subject.send(2)
        #expect(inner.values == [1])
        outer.cancel()
        let (isEmpty, retainCount) = (subject.core.conduits.isEmpty, subject.core.log.retainCount)
        #expect(isEmpty)
        #expect(retainCount == 0)
    }

    @Test func requestInsideACallbackAfterSubscribingThereDeliversTheValueOfThatTime() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let inner = RecordingSubscriber<Int, Never>(initialDemand: .none)
        let outer = RecordingSubscriber<Int, Never> { _, event in
            guard event.value == 1 else { return }
            subject.subscribe(inner)
            inner.request(.unlimited)
            subject.send(2)
        }
        subject.subscribe(outer)
        subject.send(1)
        #expect(inner.values == [1, 2])
    }

    @Test func requestInsideACallbackDeliversTheValueOfThatTime() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let asking = RecordingSubscriber<Int, Never>(initialDemand: .none)
        let other = RecordingSubscriber<Int, Never> { _, event in
            guard event.value == 1 else { return }
            asking.request(.unlimited)
            subject.send(2)
        }
        subject.subscribe(asking)
        subject.subscribe(other)
        subject.send(1)
        #expect(asking.values == [1, 2])
    }

    @Test func keepsTheNewestValueMissedWhileSubscribing() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none) { recorder, event in
            switch event {
            case .subscription: recorder.request(.max(1))
            case .value(0):
                // The first value is being delivered, and used up the demand.
                onAnotherThread { subject.send(1) }
                recorder.request(.max(1))
                onAnotherThread { subject.send(2) }
            default: break
            }
        }
        subject.subscribe(recorder)
        #expect(recorder.values == [0, 1])
        recorder.request(.max(1))
        #expect(recorder.values == [0, 1, 2])
    }

    @Test func deliversNothingToASubscriberThatCancelsAtOnce() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none) { recorder, _ in
            recorder.request(.unlimited)
            recorder.cancel()
        }
        subject.subscribe(recorder)
        subject.send(1)
        #expect(recorder.values.isEmpty)
        let isEmpty = subject.core.conduits.isEmpty
        #expect(isEmpty)
    }

    @Test func lastValueDeliveredIsTheCurrentOne() {
        for _ in 0..<200 {
            let subject = CurrentValueSubject<Int, Never>(0)
            let recorder = RecordingSubscriber<Int, Never>()
            subject.subscribe(recorder)
            concurrently(4) { thread in
                for number in 1...50 { subject.send(thread * 1000 + number) }
            }
            #expect(recorder.values.count == 201)
            #expect(recorder.values.last == subject.value)
        }
    }

    @Test func deliversEveryValueAfterTheFirst() {
        for _ in 0..<100 {
            let subject = CurrentValueSubject<Int, Never>(0)
            let recorders = (0..<3).map { _ in RecordingSubscriber<Int, Never>() }
            concurrently(4) { thread in
                if thread == 3 {
                    for number in 1...500 { subject.send(number) }
                } else {
                    subject.subscribe(recorders[thread])
                }
            }
            for recorder in recorders {
                #expect(recorder.values == Array((recorder.values.first ?? 0)...500))
            }
        }
    }

    @Test func valuesRequestedOneByOneNeitherRepeatNorGoBack() {
        for _ in 0..<100 {
            let subject = CurrentValueSubject<Int, Never>(0)
            let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
            subject.subscribe(recorder)
            nonisolated(unsafe) let subscription = recorder.subscription
            concurrently(2) { thread in
                for number in 1...500 {
                    if thread == 0 { subject.send(number) } else { subscription?.request(.max(1)) }
                }
            }
            subscription?.request(.max(1))
            #expect(zip(recorder.values, recorder.values.dropFirst()).allSatisfy { $0 < $1 })
            #expect(recorder.values.last == 500)
        }
    }

    @Test func requestsAllValuesFromUpstreamsAtOnce() {
        let subscription = RecordingSubscription()
        do {
            let subject = CurrentValueSubject<Int, Never>(0)
            subject.send(subscription: subscription)
            #expect(subscription.entries == ["unlimited"])
        }
        #expect(subscription.entries == ["unlimited", "cancel"])
    }

    @Test func releasesReplacedValues() {
        let lifetimes = LifetimeTracker()
        let subject = CurrentValueSubject<LifetimeToken?, Never>(lifetimes.token("value"))
        #expect(lifetimes.alive == ["value"])
        subject.send(nil)
        #expect(lifetimes.alive == [])
    }
}
