import Testing

@testable import StreamsHTTP

/// The timeouts of a transfer at each stage of its connection: one second to connect, five of silence.
@Suite struct ExchangeTimingTests {
    private let start = MonotonicTime.now
    private var timing: ExchangeTiming

    init() throws {
        let url = try #require(URL(string: "http://h/"))
        timing = ExchangeTiming(
            TransportRequest(method: .get, url: url, connectTimeout: .seconds(1), idleTimeout: .seconds(5)))
    }

    private mutating func settle(at second: Int) -> Bool {
        timing.settle(now: start + .seconds(second))
    }

    /// The timeout and its second.
    private mutating func deadline(at second: Int, isPaused: Bool = false) -> String? {
        timing.deadline(now: start + .seconds(second), isPaused: isPaused)
            .map { "\($0.timeout.name) \(($0.at - start) / .seconds(1))" }
    }

    @Test mutating func connectingIsLimitedFromWhenItBegins() {
        // Waiting for a connection that others use is not limited.
        let waiting = deadline(at: 0)
        #expect(waiting == nil)
        timing.beganResolving()
        let isLimited = settle(at: 10)
        let deadlines = [deadline(at: 10), deadline(at: 11)]
        #expect(isLimited && deadlines == ["timeout.connect 11.0", "timeout.connect 11.0"])
        timing.openedSocket()
        let isLimitedAnew = settle(at: 11)
        let still = deadline(at: 11)
        #expect(!isLimitedAnew && still == "timeout.connect 11.0")
    }

    @Test mutating func anotherConnectionIsLimitedAnew() {
        timing.openedSocket()
        _ = settle(at: 0)
        timing.connected()
        timing.noteActivity()
        let isConnected = settle(at: 1)
        let idle = deadline(at: 2)
        #expect(isConnected && timing.isConnected && idle == "timeout.idle 6.0")
        // The connection was one that had been used before, and turns out to be dead.
        timing.openedSocket()
        let isLimitedAnew = settle(at: 3)
        let connect = deadline(at: 3)
        #expect(isLimitedAnew && !timing.isConnected && connect == "timeout.connect 4.0")
    }

    @Test mutating func aPeerThatMustWaitHasItsTime() {
        timing.connected()
        timing.noteActivity()
        _ = settle(at: 0)
        let deadlines = [deadline(at: 4), deadline(at: 4, isPaused: true), deadline(at: 4)]
        #expect(deadlines == ["timeout.idle 5.0", "timeout.idle 9.0", "timeout.idle 5.0"])
        timing.restart(now: start + .seconds(4))
        let anew = deadline(at: 4)
        #expect(anew == "timeout.idle 9.0")
    }
}
