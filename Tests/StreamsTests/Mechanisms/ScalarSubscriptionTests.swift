import StreamsTesting
import Testing

@testable import Streams

@Suite struct ScalarSubscriptionTests {
    private typealias Recorder = RecordingSubscriber<Int, TestError>

    private func makeScalar(_ recorder: Recorder) -> ScalarSubscription<Recorder> {
        ScalarSubscription("Scalar", downstream: recorder)
    }

    @Test func deliversAValueThatWasResolvedBeforeTheRequest() {
        let recorder = Recorder(initialDemand: .none)
        let scalar = makeScalar(recorder)
        scalar.resolve(.value(1))
        #expect(recorder.transcript.isEmpty)
        scalar.request(.max(1))
        scalar.request(.max(1))
        #expect(recorder.transcript == ["1", "finished"])
    }

    @Test func deliversAValueThatWasRequestedBefore() {
        let recorder = Recorder(initialDemand: .none)
        let scalar = makeScalar(recorder)
        scalar.request(.max(1))
        scalar.request(.unlimited)
        #expect(recorder.transcript.isEmpty)
        scalar.resolve(.value(2))
        scalar.request(.max(1))
        #expect(recorder.transcript == ["2", "finished"])
    }

    @Test func ignoresARequestForNothing() {
        let recorder = Recorder(initialDemand: .none)
        let scalar = makeScalar(recorder)
        scalar.request(.none)
        scalar.resolve(.value(1))
        scalar.request(.none)
        #expect(recorder.transcript.isEmpty)
    }

    @Test func finishesWithoutAValueOnDemand() {
        let recorder = Recorder(initialDemand: .none)
        let scalar = makeScalar(recorder)
        scalar.resolve(.nothing)
        #expect(recorder.transcript.isEmpty)
        scalar.request(.max(1))
        #expect(recorder.transcript == ["finished"])
    }

    @Test func deliversACompletionWithoutDemand() {
        let recorder = Recorder(initialDemand: .none)
        let scalar = makeScalar(recorder)
        scalar.resolve(.completion(.failure(.first)))
        scalar.request(.max(1))
        scalar.cancel()
        #expect(recorder.transcript == ["failure first"])
    }

    @Test(arguments: [true, false])
    func deliversNothingAfterCancellation(isRequested: Bool) {
        for outcome in [ScalarSubscription<Recorder>.Outcome.value(3), .nothing, .completion(.failure(.first))] {
            let recorder = Recorder(initialDemand: .none)
            let scalar = makeScalar(recorder)
            if isRequested { scalar.request(.max(1)) }
            scalar.cancel()
            scalar.cancel()
            #expect(scalar.contents.pointee.downstream == nil)
            scalar.request(.max(1))
            scalar.resolve(outcome)
            #expect(recorder.transcript.isEmpty)
            #expect(scalar.contents.pointee.outcome == nil)
        }
    }

    @Test func releasesTheValueIfCancelledBeforeTheRequest() {
        let lifetimes = LifetimeTracker()
        let recorder = RecordingSubscriber<LifetimeToken, Never>(initialDemand: .none)
        let scalar = ScalarSubscription("Scalar", downstream: recorder)
        scalar.resolve(.value(lifetimes.token("value")))
        #expect(lifetimes.alive == ["value"])
        scalar.cancel()
        #expect(lifetimes.alive == [])
        #expect(scalar.contents.pointee.downstream == nil)
    }

    @Test func deliversOnceWhateverThreadsDo() {
        for round in 0..<500 {
            let recorder = Recorder(initialDemand: .none)
            let scalar = makeScalar(recorder)
            nonisolated(unsafe) let shared = scalar
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

    @Test func aFailureAndACancellationAtOnceReleaseTheDownstream() {
        for _ in 0..<500 {
            let recorder = Recorder(initialDemand: .none)
            let scalar = makeScalar(recorder)
            nonisolated(unsafe) let shared = scalar
            concurrently(3) { thread in
                switch thread {
                case 0: shared.resolve(.completion(.failure(.first)))
                case 1: shared.cancel()
                default: shared.request(.max(1))
                }
            }
            #expect([[], ["failure first"]].contains(recorder.transcript))
            #expect(scalar.contents.pointee.downstream == nil && scalar.contents.pointee.outcome == nil)
        }
    }
}
