import Dispatch
import Synchronization
import Testing

@testable import Streams

@Suite struct SchedulersTests {
    @Test func immediateSchedulerRunsWorkAtOnce() {
        let count = Atomic<Int>(0)
        let scheduler = ImmediateScheduler.shared
        scheduler.schedule { count.add(1, ordering: .relaxed) }
        scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1000))) { count.add(1, ordering: .relaxed) }
        let repeating = scheduler.schedule(after: scheduler.now, interval: 1) { count.add(1, ordering: .relaxed) }
        repeating.cancel()
        #expect(count.load(ordering: .relaxed) == 3)
    }

    @Test func durationsOfTheImmediateSchedulerSaturate() {
        typealias Duration = ImmediateScheduler.SchedulerTimeType.Stride
        let (least, most) = (Duration(.min), Duration(.max))
        #expect(most + 1 == most)
        #expect(most - -1 == most)
        #expect(least + -1 == least)
        #expect(least - 1 == least)
        #expect(most * 2 == most)
        #expect(most * -2 == least)
        #expect(least * -1 == most)
        #expect(-least == most)
        #expect([Duration(floatLiteral: 1e30), Duration(floatLiteral: -.infinity)] == [most, least])
        #expect(Duration(floatLiteral: .nan) == 0)
        #expect(Duration(floatLiteral: -2.5) == -2)
    }

    @Test func queueRunsWorkOnItself() async {
        let queue = DispatchQueue(label: "test")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let isOnQueue = await withCheckedContinuation { continuation in
            queue.schedule { continuation.resume(returning: DispatchQueue.getSpecific(key: key) ?? false) }
        }
        #expect(isOnQueue)
    }

    @Test func queueRunsDelayedWorkNotEarly() async {
        let queue = DispatchQueue(label: "test")
        let due = queue.now.advanced(by: .milliseconds(20))
        let ran: DispatchQueue.SchedulerTimeType = await withCheckedContinuation { continuation in
            queue.schedule(after: due) { continuation.resume(returning: queue.now) }
        }
        #expect(ran >= due)
    }

    @Test func queueStopsRepeatedWorkOnCancellation() async {
        let queue = DispatchQueue(label: "test")
        let count = Atomic<Int>(0)
        let work = Locked<(any Cancellable)?>(nil)
        await withCheckedContinuation { continuation in
            queue.async {
                let repeating = queue.schedule(after: queue.now, interval: .milliseconds(1)) {
                    let (_, runs) = count.add(1, ordering: .relaxed)
                    guard runs == 3 else { return }
                    work.withLock { $0 }?.cancel()
                    continuation.resume()
                }
                work.withLock { $0 = repeating }
            }
        }
        // The timer lives on this queue, so what it had queued by then has run after this.
        queue.sync {}
        #expect(count.load(ordering: .relaxed) == 3)
    }

    @Test func queueTimesAndDurationsConvert() {
        typealias Stride = DispatchQueue.SchedulerTimeType.Stride
        #expect(Stride.seconds(2).magnitude == 2_000_000_000)
        #expect(Stride.seconds(0.5) == .milliseconds(500))
        #expect(Stride.seconds(Int.max).magnitude == .max && Stride.seconds(Int.min).magnitude == .min)
        #expect(Stride.seconds(1e300).magnitude == .max && Stride.seconds(-1e300).magnitude == .min)
        #expect(Stride(.never).magnitude == .max && Stride(.microseconds(3)) == .nanoseconds(3000))
        #expect(1.5 as Stride == .milliseconds(1500) && 2 as Stride == .seconds(2))
        let now = DispatchQueue.main.now
        let later = now.advanced(by: .seconds(5))
        #expect(now.distance(to: later) == .seconds(5) && later.distance(to: now) == .seconds(-5))
        #expect(now < later)
    }

    @Test func durationsOfQueuesSaturate() {
        typealias Stride = DispatchQueue.SchedulerTimeType.Stride
        let (longest, shortest) = (Stride.nanoseconds(.max), Stride.nanoseconds(.min))
        #expect(Stride.seconds(.nan) == .seconds(0) && Stride.seconds(.infinity) == longest)
        #expect(longest + .seconds(1) == longest && .seconds(1) + longest == longest)
        #expect(shortest - .seconds(1) == shortest && .seconds(-1) + shortest == shortest)
        #expect(.seconds(0) - shortest == longest && -shortest == longest && .seconds(-2) - longest == shortest)
        #expect(longest + shortest == .nanoseconds(-1) && longest - longest == .seconds(0))
    }

    @Test func distancesThatDoNotFitAreTheLargestDuration() {
        typealias Time = DispatchQueue.SchedulerTimeType
        let (early, far) = (Time(DispatchTime(uptimeNanoseconds: 10_000)), Time(.distantFuture))
        let last = Time(DispatchTime(uptimeNanoseconds: 10_000 + UInt64(Int.max)))
        #expect(early.distance(to: far) == .nanoseconds(.max) && far.distance(to: early) == .nanoseconds(.max))
        #expect(early.distance(to: last) == .nanoseconds(.max) && last.distance(to: early) == .nanoseconds(-.max))
        #expect(far.distance(to: far) == .nanoseconds(0))
    }
}
