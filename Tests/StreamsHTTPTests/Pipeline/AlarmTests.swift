import StreamsTesting
import Testing

@testable import StreamsHTTP

@Suite struct AlarmTests {
    private let lifetimes = LifetimeTracker()

    /// A timer that is over when it is cancelled, and holds something until it is released.
    private func timer(_ name: String) -> (timer: AnyCancellable, isCancelled: Watched<Bool>) {
        let isCancelled = Watched(false)
        let token = lifetimes.token(name)
        return (AnyCancellable { withExtendedLifetime(token) { isCancelled.update { $0 = true } } }, isCancelled)
    }

    @Test func onceItHasRungItKeepsNothing() {
        let alarm = Alarm()
        alarm.arm(timer("timer").timer)
        #expect(lifetimes.alive == ["timer"])
        #expect(alarm.ring())
        #expect(lifetimes.alive.isEmpty)
        #expect(!alarm.ring())
    }

    @Test func onceItIsCancelledItDoesNotRing() {
        let alarm = Alarm()
        alarm.arm(timer("timer").timer)
        alarm.cancel()
        #expect(lifetimes.alive.isEmpty)
        #expect(!alarm.ring())
    }

    @Test(arguments: [true, false])
    func aTimerThatComesTooLateIsStopped(hasRung: Bool) {
        let alarm = Alarm()
        if hasRung { #expect(alarm.ring()) } else { alarm.cancel() }
        let (timer, isCancelled) = timer("timer")
        alarm.arm(timer)
        #expect(isCancelled.value)
    }
}
