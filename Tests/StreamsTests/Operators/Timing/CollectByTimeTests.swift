import Streams
import StreamsTesting
import Testing

@Suite("collect(.byTime)", .timeLimit(.minutes(15)))
struct CollectByTimeTests {
    typealias Recorder<Failure: Error> = RecordingSubscriber<[Int], Failure>

    let scheduler = TestScheduler()

    @Test func deliversAnArrayAtTheEndOfEachPeriod() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>()
        probe.collect(.byTime(scheduler, .seconds(4))).subscribe(recorder)
        #expect(recorder.events == [.subscription("CollectByTime")])
        #expect(probe.requests == [.unlimited])
        probe.send(1)
        scheduler.advance(by: .seconds(3))
        probe.send(2)
        #expect(recorder.values == [])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [[1, 2]])
        scheduler.advance(by: .seconds(7))
        probe.send(3)
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [[1, 2], [3]])
    }

    @Test func deliversAFullArrayAtOnce() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>(initialDemand: .max(3))
        probe.collect(.byTimeOrCount(scheduler, .seconds(4), 2)).subscribe(recorder)
        #expect(probe.requests == [.max(6)])
        scheduler.advance(by: .seconds(3))
        for value in 1...3 { probe.send(value) }
        #expect(recorder.values == [])
        scheduler.advance()
        #expect(recorder.values == [[1, 2]])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [[1, 2], [3]])
    }

    @Test func keepsValuesCollectedWithoutDemand() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>(initialDemand: .none)
        probe.collect(.byTimeOrCount(scheduler, .seconds(1), 2)).subscribe(recorder)
        for value in 1...5 {
            probe.send(value)
            scheduler.advance(by: .seconds(1))
        }
        #expect(recorder.values == [])
        recorder.request(.max(2))
        #expect(probe.requests == [])
        scheduler.advance()
        #expect(recorder.values == [[1, 2], [3, 4]])
        recorder.request(.max(1))
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [[1, 2], [3, 4], [5]])
        #expect(recorder.violations == [])
    }

    @Test func deliversCollectedValuesBeforeFinishing() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>(initialDemand: .none)
        probe.collect(.byTime(scheduler, .seconds(1))).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .finished)
        scheduler.advance(by: .seconds(5))
        #expect(recorder.completion == nil)
        #expect(!scheduler.hasWork)
        recorder.request(.max(1))
        scheduler.advance()
        #expect(recorder.events == [.subscription("CollectByTime"), .value([1]), .completion(.finished)])
    }

    @Test func dropsCollectedValuesOnFailure() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = Recorder<TestError>()
        probe.collect(.byTime(scheduler, .seconds(1))).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.first))
        scheduler.advance()
        #expect(recorder.events == [.subscription("CollectByTime"), .completion(.failure(.first))])
        #expect(!scheduler.hasWork)
    }

    @Test func cancellationStopsTheTimerAndReleasesEverything() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<LifetimeToken, Never>()
        var subscription: AnyCancellable?
        do {
            let closure = lifetimes.token("closure")
            subscription = probe.collect(.byTime(scheduler, .seconds(5))).sink { _ in
                withExtendedLifetime(closure) {}
                Issue.record("a value came after cancellation")
            }
            probe.send(lifetimes.token("value"))
        }
        subscription?.cancel()
        #expect(probe.cancellations == 1)
        #expect(lifetimes.alive == [])
        #expect(!scheduler.hasWork)
    }

    @Test func stopsTheTimerWhenTheSourceIsReleased() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = Recorder<Never>()
        probe.collect(.byTime(scheduler, .seconds(1))).subscribe(recorder)
        probe.send(1)
        probe.releaseSubscribers()
        #expect(scheduler.hasWork)
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [[1]])
        #expect(!scheduler.hasWork)
    }

    @Test func releasesValuesOutsideItsLocks() {
        let requester = LockedValue<(any Subscription)?>(nil)
        let releases = Counter()
        let probe = ProbePublisher<ReleaseObserver, Never>(
            onCancel: { [scheduler] in scheduler.advance(by: .seconds(1)) })
        let subscriber = AnySubscriber<[ReleaseObserver], Never>(
            receiveSubscription: { subscription in
                requester.update { $0 = subscription }
                subscription.request(.max(1))
            })
        probe.collect(.byTime(scheduler, .seconds(1))).subscribe(subscriber)
        probe.send(
            ReleaseObserver {
                requester.value?.request(.max(1))
                releases.increment()
            })
        requester.value?.cancel()
        #expect(releases.value == 1)
    }

    @Test func usesDemandLeftByEarlierArrays() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>(initialDemand: .none)
        probe.collect(.byTimeOrCount(scheduler, .seconds(1), 3)).subscribe(recorder)
        for value in 0..<100 {
            recorder.request(.max(1))
            probe.send(value)
            scheduler.advance(by: .seconds(1))
        }
        #expect(recorder.values == (0..<100).map { [$0] })
        let requested = probe.requests.compactMap(\.max).reduce(0, +)
        #expect(requested - 100 <= 3)
        recorder.request(.max(2))
        for value in 0..<6 { probe.send(value) }
        scheduler.advance()
        #expect(recorder.values.suffix(2) == [[0, 1, 2], [3, 4, 5]])
        #expect(probe.requests.compactMap(\.max).reduce(0, +) == 106)
    }
}

/// A value that runs a closure when it is released.
private final class ReleaseObserver: Sendable {
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }
}
