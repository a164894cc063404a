/// What an operator measures the time of.
@usableFromInline
enum TimeLimit {
    /// Each wait for a value.
    case pause
    /// The wait for the first value.
    case first
    /// The whole stream.
    case total
}

/// The receiving half of operators that end a stream when its time is up.
@usableFromInline
final class TimeLimitInner<Downstream: Subscriber, Context: Scheduler>: LinkedSubscriber, TimedRelay {
    @usableFromInline typealias Entry = Signal<Downstream.Input, Downstream.Failure>

    @usableFromInline let downstream: Downstream
    @usableFromInline let interval: Context.SchedulerTimeType.Stride
    @usableFromInline let scheduler: Context
    @usableFromInline let options: Context.SchedulerOptions?
    @usableFromInline let customError: (@Sendable () -> Downstream.Failure)?
    @usableFromInline let link: TimedLink<TimeLimitInner>
    @usableFromInline let limit: TimeLimit

    @inlinable
    init(
        _ name: OperatorName, limit: TimeLimit, downstream: Downstream,
        interval: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions?,
        customError: (@Sendable () -> Downstream.Failure)?
    ) {
        link = TimedLink(name, keeping: foreignObject(downstream))
        self.limit = limit
        self.downstream = downstream
        self.interval = interval
        self.scheduler = scheduler
        self.options = options
        self.customError = customError
    }

    @inlinable
    func receive(subscription: any Subscription) {
        guard link.attach(subscription) else { return }
        link.holdingJobs(of: self) {
            link.startClock(of: self)
            downstream.receive(subscription: link)
        }
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard link.isActive else { return .none }
        switch limit {
        case .pause: link.restartClock(of: self)
        case .first: link.stopClock()
        case .total: break
        }
        link.add(.value(input), for: self)
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        guard link.noteCompletion() else { return }
        link.stopClock()
        link.add(.completion(completion), isLast: true, for: self)
    }

    @inlinable
    func timeOut() {
        guard link.cancelUpstream() else { return }
        let completion = customError.map { Subscribers.Completion.failure($0()) } ?? .finished
        // This is the scheduler already.
        if link.append(.completion(completion), isLast: true, for: self) { link.runJob() }
    }

    @inlinable
    func deliver(_ entry: consuming Entry) {
        let signal = entry
        if case .completion = signal { _ = link.finish() }
        signal.deliver(to: downstream, demandGoesTo: link)
    }

    @inlinable
    func scheduleJob(at date: Void) {
        scheduler.schedule(ScheduledWork { [link] in link.runJob() }, options: options)
    }
}
