import Testing

@testable import StreamsHTTP

@Suite(.reservesDescriptors) struct SocketPollerTests {
    private let poller: SocketPoller

    init() throws {
        poller = try SocketPoller()
    }

    private func readySockets(_ eventCount: Int) -> [CInt] {
        var descriptors: [CInt] = []
        poller.forEachEvent(eventCount, now: .now) { descriptor, _ in descriptors.append(descriptor) }
        return descriptors
    }

    @Test func endsOneWaitForManyWakeUps() {
        #expect(poller.wait(milliseconds: 0) == 0)
        for _ in 0..<3 {
            for _ in 0..<3 { poller.wakeSignal.raise() }
            let eventCount = poller.wait(milliseconds: -1)
            #expect(eventCount == 1)
            #expect(readySockets(eventCount) == [])
            #expect(poller.wait(milliseconds: 0) == 0)
        }
    }

    @Test func takesADueTimerOnce() {
        let now = ContinuousClock.now
        poller.setTimer(milliseconds: 0)
        #expect(poller.deadline(before: nil, now: now) == now)
        #expect(poller.takeDueTimer(now: now))
        #expect(!poller.takeDueTimer(now: now))
        poller.setTimer(milliseconds: 60_000)
        #expect(!poller.takeDueTimer(now: now))
        #expect(poller.deadline(before: now, now: now) == now)
        #expect(poller.takeDueTimer(now: now + .seconds(120)))
        #expect(poller.deadline(before: nil, now: now) == nil)
    }
}
