import Dispatch
import Testing

@testable import StreamsHTTP

@Suite struct TimerQueueTests {
    private let timers = TimerQueue(.global())

    @Test func eachFiresOnceAndNotBeforeItsTime() async throws {
        let fired = Watched<[Int: Duration]>([:])
        let start = ContinuousClock.now
        let scheduled = (0..<1000).map { number -> (delay: Int, timer: any Cancellable) in
            let delay = number * 7919 % 50
            let timer = timers.schedule(after: .milliseconds(delay)) {
                let time = ContinuousClock.now - start
                fired.update { fired in
                    #expect(fired[number] == nil)
                    fired[number] = time
                }
            }
            return (delay, timer)
        }
        try await fired.wait(for: "all timers") { $0.count == scheduled.count }
        for (number, time) in fired.value { #expect(time >= .milliseconds(scheduled[number].delay)) }
    }

    @Test func theOthersFireWhenSomeAreCancelled() async throws {
        let fired = Watched<Set<Int>>([])
        var scheduled = (0..<1000).map { number in
            timers.schedule(after: .milliseconds(400 + number * 7919 % 50)) { fired.update { _ = $0.insert(number) } }
        }
        for number in stride(from: 0, to: 1000, by: 3) { scheduled[number].cancel() }
        // Later than all of them, and scheduled last.
        let isOver = Watched(false)
        scheduled.append(timers.schedule(after: .milliseconds(500)) { isOver.update { $0 = true } })
        try await isOver.wait(for: "the last timer") { $0 }
        let expected = Set((0..<1000).filter { $0 % 3 != 0 })
        try await fired.wait(for: "the timers that are not cancelled") { $0.count >= expected.count }
        #expect(fired.value == expected)
    }

    @Test func anEarlierTimerDoesNotWaitForALaterOne() async throws {
        let later = timers.schedule(after: .seconds(3600)) {}
        let hasFired = Watched(false)
        let earlier = timers.schedule(after: .milliseconds(1)) { hasFired.update { $0 = true } }
        try await hasFired.wait(for: "the earlier timer") { $0 }
        later.cancel()
        earlier.cancel()
    }

    @Test func aTimerFiresAfterACancelledOneBeforeIt() async throws {
        // Long enough that a busy machine cancels it in time.
        timers.schedule(after: .milliseconds(400)) { Issue.record("a cancelled timer fired") }.cancel()
        let hasFired = Watched(false)
        let timer = timers.schedule(after: .milliseconds(410)) { hasFired.update { $0 = true } }
        try await hasFired.wait(for: "the timer") { $0 }
        timer.cancel()
    }

    @Test(arguments: [5, 50])
    func noActionWaitsForAnotherOne(delay: Int) async throws {
        // Threads that no other test blocks.
        let timers = TimerQueue(.global(qos: .userInteractive))
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let meetings = Watched<[DispatchTimeoutResult]>([])
        let scheduled = [(first, second, 5), (second, first, delay)].map { own, other, delay in
            timers.schedule(after: .milliseconds(delay)) {
                own.signal()
                let result = other.wait(timeout: .now() + 60)
                meetings.update { $0.append(result) }
            }
        }
        try await meetings.wait(for: "both actions") { $0.count == 2 }
        #expect(meetings.value == [.success, .success])
        withExtendedLifetime(scheduled) {}
    }

    @Test func aTimerThatIsOverKeepsNothing() async throws {
        let released = Watched<Set<String>>([])
        func schedule(_ name: String, after delay: DispatchTimeInterval) -> any Cancellable {
            let token = AnyCancellable { released.update { _ = $0.insert(name) } }
            return timers.schedule(after: delay) { withExtendedLifetime(token) {} }
        }
        let (cancelled, fired) = (schedule("cancelled", after: .seconds(3600)), schedule("fired", after: .seconds(0)))
        try await released.wait(for: "the end of a timer that has fired") { $0 == ["fired"] }
        cancelled.cancel()
        #expect(released.value == ["cancelled", "fired"])
        withExtendedLifetime((cancelled, fired)) {}
    }

    @Test func aTimeTooFarAwayNeverComes() async throws {
        let far = [DispatchTimeInterval.never, .nanoseconds(.max), .seconds(.max)].map { delay in
            timers.schedule(after: delay) { Issue.record("fired after less than an age") }
        }
        let hasFired = Watched(false)
        let near = timers.schedule(after: .nanoseconds(.min)) { hasFired.update { $0 = true } }
        try await hasFired.wait(for: "a time that has passed") { $0 }
        for timer in far + [near] { timer.cancel() }
    }

    @Test func isReleasedWithItsLastTimer() {
        weak var released: TimerQueue?
        do {
            let timers = TimerQueue(.global())
            released = timers
            timers.schedule(after: .seconds(3600)) {}.cancel()
        }
        #expect(released == nil)
    }
}
