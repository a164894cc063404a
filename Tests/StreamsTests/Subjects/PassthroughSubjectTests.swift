import StreamsTesting
import Synchronization
import Testing

@testable import Streams

@Suite struct PassthroughSubjectTests {
    @Test func deliversValuesToSubscribersWithDemand() {
        let subject = PassthroughSubject<Int, TestError>()
        let counted = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
        let unlimited = RecordingSubscriber<Int, TestError>()
        let silent = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        for recorder in [counted, unlimited, silent] { subject.subscribe(recorder) }
        subject.send(1)
        subject.send(2)
        counted.request(.max(1))
        subject.send(3)
        subject.send(completion: .failure(.first))
        subject.send(4)
        subject.send(completion: .finished)
        #expect(counted.transcript == ["subscription PassthroughSubject", "1", "3", "failure first"])
        #expect(unlimited.transcript == ["subscription PassthroughSubject", "1", "2", "3", "failure first"])
        #expect(silent.transcript == ["subscription PassthroughSubject", "failure first"])
        let late = RecordingSubscriber<Int, TestError>()
        subject.subscribe(late)
        #expect(late.transcript == ["subscription Empty", "failure first"])
    }

    @Test func addsTheDemandThatIsReturned() {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(
            initialDemand: .max(1), demandForValue: { $0 == 1 ? .max(1) : .none })
        subject.subscribe(recorder)
        for value in 1...4 { subject.send(value) }
        #expect(recorder.values == [1, 2])
    }

    @Test func valuesSentInsideACallbackFollowTheOneBeingDelivered() {
        let subject = PassthroughSubject<Int, Never>()
        let first = RecordingSubscriber<Int, Never> { _, event in
            if event.value == 1 { subject.send(2) }
            if event.value == 2 { subject.send(completion: .finished) }
        }
        let second = RecordingSubscriber<Int, Never>()
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1)
        subject.send(3)
        #expect(first.transcript == ["subscription PassthroughSubject", "1", "2", "finished"])
        #expect(second.transcript == first.transcript)
    }

    @Test func valuesSentWhileSubscribingFollowTheSubscription() {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none) { recorder, event in
            guard case .subscription = event else { return }
            subject.send(0)
            recorder.request(.max(2))
            subject.send(1)
            subject.send(2)
            subject.send(3)
            subject.send(completion: .finished)
        }
        subject.subscribe(recorder)
        #expect(recorder.transcript == ["subscription PassthroughSubject", "1", "2", "finished"])
    }

    @Test func keepsNoValueOnceSubscribingHasEnded() {
        let subject = PassthroughSubject<Int, Never>()
        let slow = RecordingSubscriber<Int, Never>(initialDemand: .none)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none) { recorder, event in
            guard case .subscription = event else { return }
            recorder.request(.max(1))
            subject.send(1)
            subject.send(2)
        }
        subject.subscribe(slow)
        subject.subscribe(recorder)
        recorder.request(.max(1))
        slow.request(.max(1))
        #expect(recorder.values == [1])
        #expect(slow.values == [])
        let count = subject.core.log.count
        #expect(count == 0)
        subject.send(3)
        #expect(recorder.values == [1, 3])
        #expect(slow.values == [3])
    }

    @Test func cancellingWhileSubscribingRetainsNothing() {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none) { recorder, _ in
            recorder.request(.max(1))
            recorder.cancel()
            subject.send(1)
        }
        subject.subscribe(recorder)
        #expect(recorder.values == [])
        let (isEmpty, retainCount) = (subject.core.conduits.isEmpty, subject.core.log.retainCount)
        #expect(isEmpty)
        #expect(retainCount == 0)
    }

    @Test func nothingFollowsACancellationInsideAnotherSubscriber() {
        let subject = PassthroughSubject<Int, Never>()
        let second = RecordingSubscriber<Int, Never>()
        let first = RecordingSubscriber<Int, Never> { _, event in
            if event.value != nil { second.cancel() }
        }
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1)
        subject.send(completion: .finished)
        #expect(first.values == [1])
        #expect(second.transcript == ["subscription PassthroughSubject"])
    }

    @Test(arguments: [true, false])
    func endReleasesTheSubscriberThoughTheSubscriptionIsKept(byCompletion: Bool) {
        let subject = PassthroughSubject<Int, Never>()
        var recorder: RecordingSubscriber<Int, Never>? = RecordingSubscriber()
        let weak = Weak(object: recorder)
        if let recorder { subject.subscribe(recorder) }
        let subscription = recorder?.subscription
        recorder = nil
        #expect(weak.object != nil)
        if byCompletion { subject.send(completion: .finished) } else { subscription?.cancel() }
        weak.object?.releaseSubscription()
        #expect(weak.object == nil)
        withExtendedLifetime(subscription) {}
    }

    @Test func cancelledSubscriptionDoesNotKeepTheSubject() {
        var subject: PassthroughSubject<Int, Never>? = PassthroughSubject()
        let weak = Weak(object: subject?.core)
        let recorder = RecordingSubscriber<Int, Never>()
        subject?.subscribe(recorder)
        recorder.cancel()
        subject = nil
        #expect(weak.object == nil)
        #expect(recorder.subscription != nil)
    }

    @Test func requestsFromUpstreamsOnceASubscriberRequestsAndCancelsThemWithTheSubject() {
        let (early, late) = (RecordingSubscription(), RecordingSubscription())
        do {
            let subject = PassthroughSubject<Int, Never>()
            subject.send(subscription: early)
            let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
            subject.subscribe(recorder)
            #expect(early.entries.isEmpty)
            recorder.request(.max(1))
            recorder.request(.max(1))
            subject.send(subscription: late)
            #expect(early.entries == ["unlimited"] && late.entries == ["unlimited"])
        }
        #expect(early.entries == ["unlimited", "cancel"] && late.entries == ["unlimited", "cancel"])
    }

    @Test func keepsAnUpstreamWhoseSubscriptionIsYetToCome() throws {
        let (subject, scheduler) = (PassthroughSubject<Int, Never>(), TestScheduler())
        let recorder = RecordingSubscriber<Int, Never>()
        let feeds = [ProbePublisher<Int, Never>(), ProbePublisher<Int, Never>()]
        for feed in feeds {
            feed.subscribe(on: scheduler).dropFirst(1).subscribe(
                AnySubscriber(
                    receiveSubscription: { subject.send(subscription: $0) },
                    receiveValue: { value in
                        subject.send(value)
                        return .none
                    }))
        }
        subject.subscribe(recorder)
        try scheduler.run()
        for (number, feed) in feeds.enumerated() {
            feed.send(0)
            feed.send(number + 1)
        }
        #expect(recorder.values == [1, 2])
        subject.send(completion: .finished)
        try scheduler.run()
        #expect(feeds.map(\.cancellations) == [1, 1])
    }

    @Test func completionCancelsAndReleasesUpstreams() {
        let subject = PassthroughSubject<Int, Never>()
        var early: RecordingSubscription? = RecordingSubscription()
        let weak = Weak(object: early)
        if let early { subject.send(subscription: early) }
        early = nil
        #expect(weak.object?.entries == [])
        subject.send(completion: .finished)
        #expect(weak.object == nil)
        let late = RecordingSubscription()
        subject.send(subscription: late)
        #expect(late.entries == ["cancel"])
    }

    @Test func deliversValuesOfAPublisherThatFeedsIt() {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        subject.subscribe(recorder)
        let source = PassthroughSubject<Int, Never>()
        let cancellable = source.subscribe(subject)
        source.send(1)
        cancellable.cancel()
        source.send(2)
        #expect(recorder.transcript == ["subscription PassthroughSubject", "1"])
    }

    @Test func subscribersCancelInAnyOrder() {
        let subject = PassthroughSubject<Int, Never>()
        let count = Atomic<Int>(0)
        var cancellables = (0..<100_000).map { _ in subject.sink { _ in count.add(1, ordering: .relaxed) } }
        subject.send(1)
        #expect(count.load(ordering: .relaxed) == 100_000)
        cancellables.shuffle()
        for cancellable in cancellables { cancellable.cancel() }
        subject.send(2)
        #expect(count.load(ordering: .relaxed) == 100_000)
        let isEmpty = subject.core.conduits.isEmpty
        #expect(isEmpty)
    }

    @Test func valuesOfSeveralThreadsAreSerialAndInOrder() {
        let subject = PassthroughSubject<(thread: Int, number: Int), Never>()
        let recorders = (0..<2).map { _ in RecordingSubscriber<(thread: Int, number: Int), Never>() }
        for recorder in recorders { subject.subscribe(recorder) }
        concurrently(4) { thread in
            for number in 0..<5000 { subject.send((thread, number)) }
        }
        for recorder in recorders { #expect(recorder.violations == []) }
        #expect(
            recorders[0].values.map { [$0.thread, $0.number] }
                == recorders[1].values.map { [$0.thread, $0.number] })
        for thread in 0..<4 {
            let mine = recorders[0].values.filter { $0.thread == thread }.map(\.number)
            #expect(mine == Array(0..<5000))
        }
    }

    @Test func keepsNothingAfterConcurrentSubscribingSendingAndCancelling() {
        let subject = PassthroughSubject<Int, Never>()
        let lifetimes = LifetimeTracker()
        concurrently(4) { thread in
            for number in 0..<2000 {
                if thread == 0 {
                    subject.send(number)
                } else {
                    let token = lifetimes.token("closure")
                    subject.sink { _ in withExtendedLifetime(token) {} }.cancel()
                }
            }
        }
        subject.send(0)
        #expect(lifetimes.alive == [])
        let isEmpty = subject.core.conduits.isEmpty
        #expect(isEmpty)
    }
}
