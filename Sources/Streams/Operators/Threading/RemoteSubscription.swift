/// A subscription that is asked and cancelled on a scheduler.
@usableFromInline
final class RemoteSubscription<Context: Scheduler>: Subscription, UnrequestedValuePolicy {
    private let base: any Subscription
    private let scheduler: Context
    private let options: Context.SchedulerOptions?

    @usableFromInline
    init(_ subscription: any Subscription, scheduler: Context, options: Context.SchedulerOptions?) {
        base = subscription
        self.scheduler = scheduler
        self.options = options
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        scheduler.schedule(ScheduledWork { [base] in base.request(demand) }, options: options)
    }

    @usableFromInline
    func cancel() {
        scheduler.schedule(ScheduledWork { [base] in base.cancel() }, options: options)
    }

    @usableFromInline var dropsUnrequestedValues: Bool { Streams.dropsUnrequestedValues(base) }

    @usableFromInline
    func loseNothing() {
        scheduler.schedule(ScheduledWork { [base] in Streams.loseNothing(base) }, options: options)
    }
}
