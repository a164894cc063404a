import Dispatch
import Streams
import StreamsTesting
import Synchronization
import Testing

@Suite("limitRate(_:per:)") struct LimitRateByTimeTests {
    private let scheduler = TestScheduler()

    private func values(_ bound: Int, _ demand: Subscribers.Demand = .unlimited) -> IntRecorder {
        let recorder = IntRecorder(initialDemand: demand)
        count(to: bound).limitRate(2, per: .seconds(1), scheduler: scheduler).subscribe(recorder)
        return recorder
    }

    @Test("Two values a second arrive, and none is lost")
    func limitsTheRateOfASequence() {
        let recorder = values(7)
        var counts = [recorder.values.count]
        for _ in 0..<4 {
            scheduler.advance(by: .milliseconds(999))
            #expect(recorder.values.count == counts.last)
            scheduler.advance(by: .milliseconds(1))
            counts.append(recorder.values.count)
        }
        #expect(counts == [2, 4, 6, 7, 7])
        #expect(recorder.values == Array(0..<7) && recorder.completion == .finished)
        #expect(scheduler.pendingCount == 0)
    }

    @Test("A permit returns an interval after its value has arrived, not after it was requested")
    func permitsReturnAfterArrivals() {
        let probe = IntProbe()
        let recorder = IntRecorder(initialDemand: .unlimited)
        probe.limitRate(2, per: .seconds(1), scheduler: scheduler).subscribe(recorder)
        #expect(probe.requests == [.max(2)])
        scheduler.advance(by: .seconds(5))
        #expect(probe.requests == [.max(2)])
        #expect(probe.send(1) == .none)
        scheduler.advance(by: .milliseconds(400))
        #expect(probe.send(2) == .none)
        scheduler.advance(by: .milliseconds(600))
        #expect(probe.requests == [.max(2), .max(1)])
        scheduler.advance(by: .milliseconds(400))
        #expect(probe.requests == [.max(2), .max(1), .max(1)])
        recorder.cancel()
        #expect(probe.cancellations == 1 && scheduler.pendingCount == 0)
    }

    @Test("No more than the subscriber's demand is requested, and no timer runs without demand")
    func obeysTheDemand() {
        let recorder = values(9, .max(3))
        scheduler.advance(by: .seconds(9))
        #expect(recorder.values == [0, 1, 2] && scheduler.pendingCount == 0)
        recorder.request(.max(3))
        #expect(recorder.values == [0, 1, 2, 3, 4])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == Array(0..<6) && scheduler.pendingCount == 0)
        recorder.cancel()
    }

    @Test("In no second of a minute do more than two values arrive, however they are requested")
    func noWindowHasMore() {
        let recorder = values(1000, .none)
        var arrivals: [Int] = []
        for time in 0..<6000 {
            scheduler.advance(by: .milliseconds(10))
            if time % 17 == 0 { recorder.request(.max(1 + time % 3)) }
            while arrivals.count < recorder.values.count { arrivals.append(time) }
        }
        #expect(arrivals.count > 100)
        for (index, time) in arrivals.enumerated().dropFirst(2) { #expect(time - arrivals[index - 2] >= 100) }
        recorder.cancel()
    }

    @Test("A completion and a cancellation stop the timer")
    func endsStopTheTimer() {
        let probe = IntProbe()
        let recorder = IntRecorder(initialDemand: .unlimited)
        probe.limitRate(1, per: .seconds(1), scheduler: scheduler).subscribe(recorder)
        _ = probe.send(1)
        #expect(scheduler.pendingCount == 1)
        probe.send(completion: .finished)
        #expect(scheduler.pendingCount == 0 && recorder.completion == .finished)
        let other = values(9)
        #expect(scheduler.pendingCount == 1)
        other.cancel()
        #expect(scheduler.pendingCount == 0)
    }

    @Test("On a scheduler that runs work at once, the stack stays flat")
    func anImmediateSchedulerKeepsTheStackFlat() {
        let counter = UncheckedTransfer(IntCounter(demand: .unlimited))
        onSmallStack {
            count(to: 10_000).limitRate(1, per: 1, scheduler: ImmediateScheduler.shared).subscribe(counter.value)
        }
        #expect(counter.value.count == 10_000)
    }

    @Test("Values of a source that ignores demand count, and take no more memory than the count")
    func countsUnrequestedValues() {
        let probe = IntProbe()
        let recorder = IntRecorder(initialDemand: .max(1))
        probe.limitRate(3, per: .seconds(1), scheduler: scheduler).subscribe(recorder)
        for value in 0..<3 { _ = probe.send(value) }
        recorder.request(.max(1))
        #expect(probe.requests == [.max(1)])
        scheduler.advance(by: .seconds(1))
        #expect(probe.requests == [.max(1), .max(1)])
        recorder.cancel()

        let clock = CountingClock()
        let other = IntRecorder(initialDemand: .max(1))
        probe.limitRate(3, per: 1, scheduler: clock).subscribe(other)
        for value in 0..<1000 { _ = probe.send(value) }
        #expect(clock.liveTimes.load(ordering: .relaxed) <= 3)
        other.cancel()
    }

    @Test("Requests from several threads, beside the timer, lose no value")
    func requestsFromSeveralThreads() {
        let recorder = IntRecorder(initialDemand: .none)
        count(to: 300).limitRate(3, per: .seconds(1), scheduler: scheduler).subscribe(recorder)
        let shared = UncheckedTransfer(recorder)
        DispatchQueue.concurrentPerform(iterations: 4) { [scheduler] thread in
            for _ in 0..<100 {
                if thread == 0 { scheduler.advance(by: .seconds(1)) } else { shared.value.request(.max(1)) }
            }
        }
        scheduler.advance(by: .seconds(100))
        #expect(recorder.values == Array(0..<300) && scheduler.pendingCount == 0)
    }
}

/// A scheduler that counts the times in memory. Its clock stands still.
private final class CountingClock: Scheduler, Sendable {
    struct SchedulerTimeType: Strideable {
        typealias Stride = ImmediateScheduler.SchedulerTimeType.Stride

        fileprivate let token: Token
        fileprivate let offset: Stride

        func advanced(by interval: Stride) -> Self { Self(token: Token(token.clock), offset: offset + interval) }
        func distance(to other: Self) -> Stride { other.offset - offset }
    }

    final class Token: Sendable {
        fileprivate let clock: CountingClock

        init(_ clock: CountingClock) {
            self.clock = clock
            clock.liveTimes.add(1, ordering: .relaxed)
        }

        deinit { clock.liveTimes.subtract(1, ordering: .relaxed) }
    }

    let liveTimes = Atomic(0)

    var now: SchedulerTimeType { SchedulerTimeType(token: Token(self), offset: 0) }
    var minimumTolerance: SchedulerTimeType.Stride { 0 }

    func schedule(options: Never?, _ action: @escaping @Sendable () -> Void) {}

    func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
        _ action: @escaping @Sendable () -> Void
    ) {}

    func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: Never?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable { AnyCancellable {} }
}
