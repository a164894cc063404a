import StreamsTesting
import Testing

@testable import Streams

@Suite("ReplaySubject")
struct ReplaySubjectTests {
    private let subject = ReplaySubject<Int, TestError>(bufferSize: 2)

    private func subscribe(_ initial: Subscribers.Demand = .unlimited) -> RecordingSubscriber<Int, TestError> {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: initial)
        subject.subscribe(recorder)
        return recorder
    }

    @Test("A later subscriber receives the newest values first")
    func replaysTheNewestValues() {
        let early = subscribe()
        for value in 1...3 { subject.send(value) }
        let late = subscribe()
        subject.send(4)
        #expect(early.events == [.subscription("ReplaySubject"), .value(1), .value(2), .value(3), .value(4)])
        #expect(late.events == [.subscription("ReplaySubject"), .value(2), .value(3), .value(4)])
    }

    @Test("A value that is not requested stays as long as it is among the newest")
    func keepsValuesForASubscriberWithoutDemand() {
        let recorder = subscribe(.max(1))
        subject.send(1)
        subject.send(2)
        subject.send(3)
        recorder.request(.max(1))
        #expect(recorder.values == [1, 2])
        subject.send(4)
        subject.send(5)
        recorder.request(.max(5))
        #expect(recorder.values == [1, 2, 4, 5])
    }

    @Test(
        "The completion follows the values that were kept, once they are requested", arguments: [true, false])
    func completesAfterTheValuesKept(failing: Bool) {
        let (early, slow) = (subscribe(), subscribe(.none))
        subject.send(1)
        subject.send(completion: failing ? .failure(.first) : .finished)
        subject.send(2)
        subject.send(completion: .failure(.second))
        let end: RecordedEvent<Int, TestError> = failing ? .failure(.first) : .finished
        #expect(early.events == [.subscription("ReplaySubject"), .value(1), end])
        #expect(slow.events == [.subscription("ReplaySubject")])
        slow.request(.max(1))
        #expect(slow.events == [.subscription("ReplaySubject"), .value(1), end])
        #expect(subscribe().events == [.subscription("ReplaySubject"), .value(1), end])
    }

    @Test("The completion needs no demand if no values are kept")
    func completesWithoutDemand() {
        let recorder = subscribe(.none)
        subject.send(completion: .finished)
        #expect(recorder.completion == .finished)
        #expect(subscribe(.none).completion == .finished)
    }

    @Test("A subject without a buffer delivers values to subscribers with demand")
    func keepsNothingWithoutABuffer() {
        let subject = ReplaySubject<Int, TestError>(bufferSize: 0)
        let recorder = RecordingSubscriber<Int, TestError>()
        subject.send(1)
        subject.subscribe(recorder)
        let slow = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        subject.subscribe(slow)
        subject.send(2)
        subject.send(completion: .finished)
        #expect(recorder.events == [.subscription("ReplaySubject"), .value(2), .finished])
        #expect(slow.events == [.subscription("ReplaySubject"), .finished])
    }

    @Test("Values retained for a subscriber that is subscribing delay no other completion")
    func retainedValuesDelayNoOtherCompletion() {
        let subject = ReplaySubject<Int, TestError>(bufferSize: 0)
        let slow = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        subject.subscribe(slow)
        let subscriber = AnySubscriber<Int, TestError>(receiveSubscription: { subscription in
            subscription.request(.unlimited)
            subject.send(1)
            subject.send(completion: .finished)
            #expect(slow.events == [.subscription("ReplaySubject"), .finished])
        })
        subject.subscribe(subscriber)
    }

    @Test("Values requested and sent while subscribing all arrive, also beyond the buffer")
    func deliversAllValuesSentWhileSubscribing() {
        let received = LockedValue<[Int]>([])
        let subscriber = AnySubscriber<Int, TestError>(
            receiveSubscription: { [subject] subscription in
                subscription.request(.unlimited)
                for value in 1...5 { subject.send(value) }
            },
            receiveValue: { value in
                received.update { $0.append(value) }
                return .none
            })
        subject.subscribe(subscriber)
        #expect(received.value == [1, 2, 3, 4, 5])
        #expect(subscribe().values == [4, 5])
    }

    @Test("A value sent inside a callback follows the values kept")
    func valuesSentInsideACallbackFollowThoseKept() {
        for value in 1...2 { subject.send(value) }
        let recorder = RecordingSubscriber<Int, TestError> { [subject] _, event in
            guard let value = event.value else { return }
            if value < 3 { subject.send(value + 10) }
        }
        subject.subscribe(recorder)
        #expect(recorder.values == [1, 2, 11, 12])
        #expect(recorder.violations == [])
    }

    @Test("Cancelling while values are replayed ends the stream")
    func cancellingWhileReplaying() {
        for value in 1...2 { subject.send(value) }
        let recorder = RecordingSubscriber<Int, TestError> { recorder, event in
            if event.value != nil { recorder.cancel() }
        }
        subject.subscribe(recorder)
        subject.send(3)
        #expect(recorder.values == [1])
    }

    @Test("It requests all values from a publisher that feeds it, and cancels that when it completes")
    func requestsAllValuesFromUpstreams() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let connection = probe.subscribe(subject)
        probe.send(1)
        #expect(probe.commands == [[.request(.unlimited)]])
        #expect(subscribe().values == [1])
        subject.send(completion: .finished)
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
        withExtendedLifetime(connection) {}
    }

    @Test("Values beyond the buffer are released")
    func releasesValuesBeyondTheBuffer() {
        let lifetimes = LifetimeTracker()
        let subject = ReplaySubject<LifetimeToken, Never>(bufferSize: 1)
        for _ in 0..<3 { subject.send(lifetimes.token("value")) }
        #expect(lifetimes.alive == ["value"])
    }

    @Test("Subscribing while values are sent misses none and repeats none")
    func subscribingWhileSendingMissesNothing() {
        let subject = ReplaySubject<Int, Never>(bufferSize: .max)
        let recorders = (0..<6).map { _ in
            RecordingSubscriber<Int, Never>(initialDemand: .max(1), demandPerValue: .max(1))
        }
        concurrently(3) { thread in
            if thread == 0 {
                for value in 0..<500 { subject.send(value) }
                subject.send(completion: .finished)
            } else {
                for recorder in recorders[(thread - 1) * 3..<thread * 3] { subject.subscribe(recorder) }
            }
        }
        for recorder in recorders {
            #expect(recorder.values == Array(0..<500))
            #expect(recorder.completion == .finished)
            #expect(recorder.violations == [])
        }
    }

    @Test("Values and the completion that are kept for a subscriber are delivered after the release of the subject")
    func deliversKeptValuesAfterItsRelease() {
        let lifetimes = LifetimeTracker()
        for completes in [false, true] {
            let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
            lifetimes.watch(recorder, as: "downstream")
            do {
                let subject = ReplaySubject<Int, TestError>(bufferSize: 5)
                subject.subscribe(recorder)
                for value in 1...3 { subject.send(value) }
                if completes { subject.send(completion: .finished) }
            }
            recorder.request(.max(1))
            #expect(recorder.values == [1, 2])
            recorder.request(.max(1))
            #expect(recorder.values == [1, 2, 3])
            #expect(recorder.completion == (completes ? .finished : nil))
        }
        #expect(lifetimes.alive == [])
    }

    @Test func countOfUnreadValuesIsLimited() {
        let core = SubjectCore<Int, TestError>("ReplaySubject", capacity: .max, completesAfterValues: true)
        let conduit = SubjectConduit(core: core) { _, _ in .none }
        conduit.unreadCount = .max
        #expect(conduit.unreadCount == Int(UInt32.max))
    }
}
