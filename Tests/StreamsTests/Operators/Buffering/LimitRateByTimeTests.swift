import Dispatch
import Streams
import StreamsTesting
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

    @Test("Requests from several threads lose no value")
    func requestsFromSeveralThreads() async throws {
        let recorder = IntRecorder(initialDemand: .none)
        count(to: 400).limitRate(3, per: .microseconds(50), scheduler: DispatchQueue.global()).subscribe(recorder)
        let shared = UncheckedTransfer(recorder)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<100 { shared.value.request(.max(1)) }
        }
        for _ in 0..<60_000 where shared.value.completion == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(recorder.values == Array(0..<400))
    }
}
