import Testing

@testable import StreamsHTTP

@Suite(.reservesDescriptors) struct SocketPollerTests {
    private let poller: SocketPoller

    init() throws {
        poller = try SocketPoller()
    }

    private func readyCount(_ eventCount: Int) -> Int {
        var count = 0
        poller.forEachEvent(eventCount) { _ in count += 1 }
        return count
    }

    @Test func endsOneWaitForManyWakeUps() {
        #expect(poller.wait(milliseconds: 0) == 0)
        for _ in 0..<3 {
            for _ in 0..<3 { poller.wakeSignal.raise() }
            let eventCount = poller.wait(milliseconds: -1)
            #expect(eventCount == 1)
            #expect(readyCount(eventCount) == 0)
            #expect(poller.wait(milliseconds: 0) == 0)
        }
    }
}
