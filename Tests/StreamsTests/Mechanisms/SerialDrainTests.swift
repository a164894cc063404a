import StreamsTesting
import Testing

@testable import Streams

@Suite struct SerialDrainTests {
    /// A log of the events that the draining thread handles, unlocked so that Thread Sanitizer detects overlaps.
    final class Log: @unchecked Sendable {
        // Safe because only the draining thread uses the variables.
        let signals = SerialDrain<(thread: Int, number: Int)>()
        var events: [(thread: Int, number: Int)] = []
        var depth = 0
        var maximumDepth = 0
        var onEvent: (Int) -> Void = { _ in }

        func submit(_ number: Int, thread: Int = 0) {
            signals.submit((thread, number)) { handle($0) }
        }

        private func handle(_ event: (thread: Int, number: Int)) {
            depth += 1
            maximumDepth = max(depth, maximumDepth)
            events.append(event)
            onEvent(event.number)
            depth -= 1
        }
    }

    @Test func handlesEventsImmediately() {
        let log = Log()
        log.submit(1)
        #expect(log.events.map(\.number) == [1])
    }

    @Test func queuesNestedEventsInOrder() {
        let log = Log()
        log.onEvent = { number in
            guard number < 10 else { return }
            log.submit(number * 10)
            log.submit(number * 10 + 1)
        }
        log.submit(1)
        log.submit(2)
        #expect(log.events.map(\.number) == [1, 10, 11, 2, 20, 21])
        #expect(log.maximumDepth == 1)
    }

    @Test func keepsEveryThreadsEventsInOrder() {
        let log = Log()
        concurrently(4) { thread in
            for number in 0..<20_000 { log.submit(number, thread: thread) }
        }
        #expect(log.maximumDepth == 1)
        for thread in 0..<4 {
            let mine = log.events.filter { $0.thread == thread }.map(\.number)
            #expect(mine == Array(0..<20_000))
        }
    }

    @Test func releasesAnEventBeforeTheNext() {
        let signals = SerialDrain<LifetimeToken>()
        let lifetimes = LifetimeTracker()
        var aliveBefore: [Int] = []
        func handle(_ token: LifetimeToken) {
            aliveBefore.append(lifetimes.alive.count)
            if aliveBefore.count == 1 {
                for _ in 0..<3 { submit() }
            }
        }
        func submit() {
            signals.submit(lifetimes.token("event")) { handle($0) }
        }
        submit()
        #expect(aliveBefore == [1, 4, 3, 2])
    }
}
