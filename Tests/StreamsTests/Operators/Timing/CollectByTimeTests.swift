import Streams
import StreamsTesting
import Testing

@Suite("collect by time", .timeLimit(.minutes(15)))
struct CollectByTimeTests {
    typealias Recorder<Failure: Error> = RecordingSubscriber<[Int], Failure>

    let scheduler = TestScheduler()

    @Test("What came in a period is delivered at its end, and nothing if nothing came")
    func periods() {
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

    @Test("A full array does not wait for the end of the period, and leaves the periods as they are")
    func count() {
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

    @Test("What is collected while no array is wanted is kept")
    func demand() {
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

    @Test("What has been collected comes before the end, when it is wanted")
    func finish() {
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

    @Test("A failure drops what has been collected")
    func failure() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = Recorder<TestError>()
        probe.collect(.byTime(scheduler, .seconds(1))).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.first))
        scheduler.advance()
        #expect(recorder.events == [.subscription("CollectByTime"), .completion(.failure(.first))])
        #expect(!scheduler.hasWork)
    }

    @Test("Cancellation stops the timer and frees what was collected and the subscriber at once")
    func cancellation() {
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

    @Test("A source that goes without a completion takes the timer along, after what was collected")
    func abandoned() {
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

    @Test("Values are let go of outside its locks, also when a period ends while it is being cancelled")
    func periodEndingInsideCancellation() {
        let requester = LockedValue<(any Subscription)?>(nil)
        let releases = Counter()
        let probe = ProbePublisher<Parting, Never>(
            onCancel: { [scheduler] in scheduler.advance(by: .seconds(1)) })
        let subscriber = AnySubscriber<[Parting], Never>(
            receiveSubscription: { subscription in
                requester.update { $0 = subscription }
                subscription.request(.max(1))
            })
        probe.collect(.byTime(scheduler, .seconds(1))).subscribe(subscriber)
        probe.send(
            Parting {
                requester.value?.request(.max(1))
                releases.increment()
            })
        requester.value?.cancel()
        #expect(releases.value == 1)
    }

    @Test("What the clock leaves unused of the demand is used for the next array")
    func unusedDemand() {
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

/// A value that acts when it is let go of.
private final class Parting: Sendable {
    private let act: @Sendable () -> Void

    init(act: @escaping @Sendable () -> Void) {
        self.act = act
    }

    deinit {
        act()
    }
}
