import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("Interval", .timeLimit(.minutes(15)))
struct IntervalTests {
    typealias Recorder = RecordingSubscriber<Int, Never>

    let scheduler = TestScheduler()

    @Test func ticksAtMultiplesOfTheInterval() {
        let recorder = Recorder()
        Operators.Interval(every: .seconds(2), scheduler: scheduler).subscribe(recorder)
        #expect(recorder.transcript == ["subscription Interval"])
        scheduler.advance(by: .milliseconds(1_999))
        #expect(recorder.values == [])
        scheduler.advance(by: .milliseconds(1))
        #expect(recorder.values == [0])
        scheduler.advance(by: .seconds(7))
        #expect(recorder.values == [0, 1, 2, 3])
        recorder.cancel()
        #expect(!scheduler.hasWork)
    }

    @Test func ticksFirstAfterTheInitialDelay() {
        let recorder = Recorder()
        Operators.Interval(every: .seconds(10), after: .zero, scheduler: scheduler).subscribe(recorder)
        scheduler.advance()
        #expect(recorder.values == [0])
        scheduler.advance(by: .seconds(10))
        #expect(recorder.values == [0, 1])
        recorder.cancel()
    }

    @Test func aTickThatIsDeliveredLateDoesNotDelayTheNextOne() {
        let recorder = Recorder()
        Operators.Interval(every: .seconds(10), scheduler: scheduler).subscribe(recorder)
        scheduler.jump(by: .seconds(14))
        #expect(recorder.values == [0])
        scheduler.advance(by: .seconds(5))
        #expect(recorder.values == [0])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [0, 1])
        scheduler.jump(by: .seconds(1_000_005))
        #expect(recorder.values == [0, 1, 100_001])
        scheduler.advance(by: .seconds(5))
        #expect(recorder.values == [0, 1, 100_001, 100_002])
        recorder.cancel()
    }

    @Test func conflatesTicksThatNobodyHasRequested() {
        let recorder = Recorder(initialDemand: .max(1))
        Operators.Interval(every: .seconds(1), scheduler: scheduler).subscribe(recorder)
        scheduler.advance(by: .milliseconds(4_500))
        #expect(recorder.values == [0])
        #expect(!scheduler.hasWork, "no timer runs while nothing is requested")
        recorder.request(.max(2))
        scheduler.advance()
        #expect(recorder.values == [0, 3], "the newest of the missed ticks")
        scheduler.advance(by: .milliseconds(500))
        #expect(recorder.values == [0, 3, 4])
        #expect(recorder.violations == [])
        recorder.cancel()
    }

    @Test func ticksOnAnImmediateSchedulerLeaveTheStackFlat() {
        let recorder = Recorder()
        onSmallStack {
            Operators.Interval(every: 0, scheduler: ImmediateScheduler.shared).prefix(50_000).subscribe(recorder)
        }
        #expect(recorder.values == Array(0..<50_000))
        #expect(recorder.completion == .finished)
    }

    @Test func cancellationReleasesTheSubscriber() {
        for demand in [Subscribers.Demand.none, .unlimited] {
            let lifetimes = LifetimeTracker()
            let keeper = Recorder(initialDemand: demand, keepsSubscription: true)
            do {
                let token = lifetimes.token("closure")
                Operators.Interval(every: .seconds(1), scheduler: scheduler)
                    .handleEvents(receiveOutput: { _ in withExtendedLifetime(token) {} }).subscribe(keeper)
                keeper.cancel()
            }
            #expect(lifetimes.alive == [])
            #expect(!scheduler.hasWork)
            keeper.request(.max(1))
            scheduler.advance(by: .seconds(5))
            #expect(keeper.values == [])
        }
    }

    @Test func ticksOnAConcurrentQueueAreSerial() async {
        var ticks: [Int] = []
        let interval = Operators.Interval(every: .milliseconds(1), scheduler: DispatchQueue.global())
        for await tick in interval.prefix(20).values { ticks.append(tick) }
        #expect(ticks.count == 20)
        #expect(ticks == ticks.sorted() && Set(ticks).count == 20)
    }
}
