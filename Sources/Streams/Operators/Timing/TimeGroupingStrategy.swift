extension Publishers {
    /// When an array of collected values is complete.
    public enum TimeGroupingStrategy<Context: Scheduler> {
        /// At the end of each period of a length, on a scheduler's clock.
        case byTime(Context, Context.SchedulerTimeType.Stride)

        /// At the end of each period of a length, on a scheduler's clock, and whenever so many values have been
        /// collected.
        case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)

        /// Whose clock counts, and how long a period is.
        @inlinable var clock: (scheduler: Context, interval: Context.SchedulerTimeType.Stride) {
            switch self {
            case .byTime(let scheduler, let interval), .byTimeOrCount(let scheduler, let interval, _):
                (scheduler, interval)
            }
        }

        /// How many values an array has at most.
        @inlinable var limit: Int? {
            switch self {
            case .byTime: nil
            case .byTimeOrCount(_, _, let count): count
            }
        }
    }
}

extension Publishers.TimeGroupingStrategy: Sendable
where Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}
