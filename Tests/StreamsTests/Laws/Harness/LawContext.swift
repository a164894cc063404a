import StreamsTesting

/// The hook and the scheduler that a law passes to the operator under test.
struct LawContext: Sendable {
    /// A closure that every closure of the operator calls.
    let hook: @Sendable () -> Void

    /// The scheduler of operators that need one.
    let scheduler: TestScheduler

    init(scheduler: TestScheduler = TestScheduler(), hook: @escaping @Sendable () -> Void = {}) {
        self.scheduler = scheduler
        self.hook = hook
    }

    /// Advances the scheduler past every delay, but not to the timeouts, which are longer.
    func settle() {
        scheduler.advance(by: .seconds(1_000_000))
    }
}
