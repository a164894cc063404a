import StreamsTesting

/// What surrounds an operator that a law is tried on.
struct LawContext: Sendable {
    /// Called from inside every closure that the operator is given.
    let hook: @Sendable () -> Void

    /// What operators that need a scheduler use.
    let scheduler: TestScheduler

    init(scheduler: TestScheduler = TestScheduler(), hook: @escaping @Sendable () -> Void = {}) {
        self.scheduler = scheduler
        self.hook = hook
    }

    /// Lets everything happen that takes time. Delays are shorter than this, timeouts longer.
    func settle() {
        scheduler.advance(by: .seconds(1_000_000))
    }
}
