import StreamsTesting
import Testing

@testable import StreamsHTTP

@Suite struct OneShotTimerTests {
    private let lifetimes = LifetimeTracker()

    /// A timer that is over when it is cancelled, and holds something until it is released.
    private func cancellable(_ name: String) -> (cancellable: AnyCancellable, isCancelled: Watched<Bool>) {
        let isCancelled = Watched(false)
        let token = lifetimes.token(name)
        return (AnyCancellable { withExtendedLifetime(token) { isCancelled.update { $0 = true } } }, isCancelled)
    }

    @Test func onceItHasRungItKeepsNothing() {
        let timer = OneShotTimer()
        timer.arm(cancellable("timer").cancellable)
        #expect(lifetimes.alive == ["timer"])
        #expect(timer.fire())
        #expect(lifetimes.alive.isEmpty)
        #expect(!timer.fire())
    }

    @Test func onceItIsCancelledItDoesNotRing() {
        let timer = OneShotTimer()
        timer.arm(cancellable("timer").cancellable)
        timer.cancel()
        #expect(lifetimes.alive.isEmpty)
        #expect(!timer.fire())
    }

    @Test(arguments: [true, false])
    func aTimerThatComesTooLateIsStopped(hasFired: Bool) {
        let timer = OneShotTimer()
        if hasFired { #expect(timer.fire()) } else { timer.cancel() }
        let (cancellable, isCancelled) = cancellable("timer")
        timer.arm(cancellable)
        #expect(isCancelled.value)
    }
}
