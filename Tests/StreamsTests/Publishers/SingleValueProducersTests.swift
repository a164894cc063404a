import StreamsTesting
import Testing

@testable import Streams

@Suite struct SingleValueProducersTests {
    @Test func justDeliversOnDemand() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        Just(1).subscribe(recorder)
        #expect(recorder.transcript == ["subscription Just"])
        recorder.request(.max(1))
        recorder.request(.max(1))
        #expect(recorder.transcript == ["subscription Just", "1", "finished"])
    }

    @Test func cancellationInsideTheValueSuppressesTheCompletion() {
        let recorder = RecordingSubscriber<Int, Never> { recorder, event in
            if event.value != nil { recorder.cancel() }
        }
        Just(1).subscribe(recorder)
        #expect(recorder.transcript == ["subscription Just", "1"])
    }

    @Test func cancellationReleasesValueAndSubscriber() {
        let lifetimes = LifetimeTracker()
        var recorder: RecordingSubscriber<LifetimeToken, Never>? = RecordingSubscriber(initialDemand: .none)
        let weakRecorder = Weak(object: recorder)
        if let recorder { Just(lifetimes.token("value")).subscribe(recorder) }
        let subscription = recorder?.subscription
        recorder = nil
        #expect(lifetimes.alive == ["value"] && weakRecorder.object != nil)
        subscription?.cancel()
        #expect(lifetimes.alive == [])
        weakRecorder.object?.releaseSubscription()
        #expect(weakRecorder.object == nil)
    }

    @Test func optionalsAndResultsDeliverOrComplete() {
        let some = RecordingSubscriber<Int, Never>()
        Optional(1).publisher.subscribe(some)
        #expect(some.transcript == ["subscription Optional", "1", "finished"])
        let none = RecordingSubscriber<Int, Never>(initialDemand: .none)
        Int?.none.publisher.subscribe(none)
        #expect(none.transcript == ["subscription Empty", "finished"])
        let success = RecordingSubscriber<Int, TestError>()
        Result<Int, TestError>.success(1).publisher.subscribe(success)
        #expect(success.transcript == ["subscription Once", "1", "finished"])
        let failure = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        Result<Int, TestError>.failure(.first).publisher.subscribe(failure)
        #expect(failure.transcript == ["subscription Empty", "failure first"])
    }

    @Test func emptyFailAndDeferredBeginOnSubscription() {
        let empty = RecordingSubscriber<Int, Never>()
        Empty().subscribe(empty)
        #expect(empty.transcript == ["subscription Empty", "finished"])
        let never = RecordingSubscriber<Int, Never>()
        Empty(completeImmediately: false).subscribe(never)
        #expect(never.transcript == ["subscription Empty"])
        let fail = RecordingSubscriber<Int, TestError>()
        Fail(error: .second).subscribe(fail)
        #expect(fail.transcript == ["subscription Empty", "failure second"])
        let made = Locked(0)
        let deferred = Deferred {
            Just(
                made.withLock { made in
                    made += 1
                    return made
                })
        }
        #expect(made.withLock { $0 } == 0)
        let first = RecordingSubscriber<Int, Never>()
        deferred.subscribe(first)
        let second = RecordingSubscriber<Int, Never>()
        deferred.subscribe(second)
        #expect(first.values == [1] && second.values == [2])
    }
}
