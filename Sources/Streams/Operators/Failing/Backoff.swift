extension Publishers {
    /// How long to wait before each retry: longer each time, up to a limit, and not the same for everybody.
    public struct Backoff: Hashable, Sendable {
        /// The wait before the first retry.
        public var initial: Duration

        /// What no wait is longer than.
        public var maximum: Duration

        /// By what a wait is longer than the one before it.
        public var factor: Double

        /// Which share of a wait is left to chance, from 0 to 1, so that those who failed together do not come back
        /// together. With 1, a wait is drawn evenly from zero to its full length.
        public var jitter: Double

        /// - Parameters:
        ///   - initial: The wait before the first retry.
        ///   - maximum: What no wait is longer than.
        ///   - factor: By what a wait is longer than the one before it.
        ///   - jitter: Which share of a wait is left to chance, from 0 to 1.
        public init(
            initial: Duration = .milliseconds(500), maximum: Duration = .seconds(30), factor: Double = 2,
            jitter: Double = 1
        ) {
            self.initial = initial
            self.maximum = maximum
            self.factor = factor
            self.jitter = jitter
        }

        /// The same wait every time.
        public static func constant(_ delay: Duration) -> Backoff {
            Backoff(initial: delay, maximum: delay, factor: 1, jitter: 0)
        }

        /// The wait before a retry, in seconds.
        ///
        /// - Parameters:
        ///   - retry: The retry's number, from 1.
        ///   - chance: A number from 0 to 1.
        @usableFromInline
        func seconds(beforeRetry retry: Int, chance: Double) -> Double {
            var wait = Self.seconds(initial)
            let limit = Self.seconds(maximum)
            // A thousand steps are as good as more, whatever the factor.
            let steps = factor == 1 ? 0 : Swift.min(Swift.max(retry - 1, 0), 1000)
            for _ in 0..<steps {
                if wait >= limit || wait <= 0 { break }
                wait *= factor
            }
            let share = Swift.min(Swift.max(jitter, 0), 1)
            return Swift.max(Swift.min(wait, limit), 0) * (1 - share * chance)
        }

        private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
    }
}
