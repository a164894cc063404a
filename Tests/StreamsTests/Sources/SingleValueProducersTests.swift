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

    @Test func cancellationFromInsideKeepsTheCompletionBack() {
        let recorder = RecordingSubscriber<Int, Never> { recorder, event in
            if event.value != nil { recorder.cancel() }
        }
        Just(1).subscribe(recorder)
        #expect(recorder.transcript == ["subscription Just", "1"])
    }

    @Test func cancellationLetsGoOfValueAndSubscriber() {
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

    @Test func optionalsAndResults() {
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

    @Test func emptyFailAndDeferred() {
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

    @Test func oneShotsResolveInAnyOrder() {
        typealias Shot = OneShotSubscription<RecordingSubscriber<Int, TestError>>
        let resolvedFirst = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        let early = Shot("Future", downstream: resolvedFirst)
        early.resolve(.value(1))
        early.request(.max(1))
        #expect(resolvedFirst.transcript == ["1", "finished"])
        let requestedFirst = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        let late = Shot("Future", downstream: requestedFirst)
        late.request(.max(1))
        #expect(requestedFirst.transcript.isEmpty)
        late.resolve(.value(2))
        #expect(requestedFirst.transcript == ["2", "finished"])
        let failed = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        Shot("Future", downstream: failed).resolve(.end(.failure(.first)))
        #expect(failed.transcript == ["failure first"])
        let cancelled = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        let dead = Shot("Future", downstream: cancelled)
        dead.cancel()
        dead.request(.max(1))
        dead.resolve(.value(3))
        #expect(cancelled.transcript.isEmpty)
        #expect(dead.parts.pointee.outcome == nil && dead.parts.pointee.downstream == nil)
    }

    @Test func oneShotsDeliverOnceWhateverThreadsDo() {
        for round in 0..<500 {
            let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
            let shot = OneShotSubscription("Future", downstream: recorder)
            nonisolated(unsafe) let shared = shot
            concurrently(4) { thread in
                switch thread {
                case 0: shared.resolve(.value(round))
                case 3 where round.isMultiple(of: 2): shared.cancel()
                default: shared.request(.max(1))
                }
            }
            if round.isMultiple(of: 2) {
                #expect([[], ["\(round)"], ["\(round)", "finished"]].contains(recorder.transcript))
            } else {
                #expect(recorder.transcript == ["\(round)", "finished"])
            }
        }
    }
}
