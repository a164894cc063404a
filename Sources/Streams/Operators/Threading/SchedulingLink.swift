/// A link that asks and cancels the upstream on a scheduler.
@usableFromInline
final class SchedulingLink<Context: Scheduler>: KeepingLink {
    @usableFromInline let scheduler: Context
    @usableFromInline let options: Context.SchedulerOptions?

    @inlinable
    init(
        _ name: OperatorName, keeping subscriber: AnyObject?, scheduler: Context, options: Context.SchedulerOptions?
    ) {
        self.scheduler = scheduler
        self.options = options
        super.init(name, keeping: subscriber)
    }

    @inlinable
    override func request(_ demand: Subscribers.Demand) {
        guard let upstream else { return }
        scheduler.schedule(ScheduledWork { upstream.request(demand) }, options: options)
    }

    @inlinable
    override func cancel() {
        guard let upstream = detach() else { return }
        scheduler.schedule(ScheduledWork { upstream.cancel() }, options: options)
    }

    @inlinable
    override func loseNothing() {
        guard let upstream, !dropsUnrequestedValues else { return super.loseNothing() }
        scheduler.schedule(ScheduledWork { Streams.loseNothing(upstream) }, options: options)
    }
}
