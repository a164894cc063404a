/// The delays before retries: each longer than the previous one, up to a maximum, and partly random.
///
/// `retry(_:backoff:scheduler:options:resetsAfterValue:where:)` uses it for publishers, and `RetryPolicy` of StreamsHTTP
/// for requests. By default it is exponential backoff with full jitter: each delay is uniformly random between zero and
/// a bound that doubles, so that clients that failed together do not retry together.
public struct Backoff: Hashable, Sendable {
    /// The bound of the delay before the first retry.
    public var initial: Duration

    /// The maximum bound.
    public var maximum: Duration

    /// The factor by which each bound is greater than the previous one.
    public var factor: Double

    /// The random share of a delay, from 0 to 1. With 1, a delay is uniformly random between zero and its bound; with 0,
    /// it is the bound.
    public var jitter: Double

    /// Creates a backoff.
    ///
    /// - Parameters:
    ///   - initial: The bound of the delay before the first retry.
    ///   - maximum: The maximum bound.
    ///   - factor: The factor by which each bound is greater than the previous one.
    ///   - jitter: The random share of a delay, from 0 to 1.
    public init(
        initial: Duration = .milliseconds(500), maximum: Duration = .seconds(30), factor: Double = 2,
        jitter: Double = 1
    ) {
        self.initial = initial
        self.maximum = maximum
        self.factor = factor
        self.jitter = jitter
    }

    /// Returns a backoff with delays of equal length.
    public static func constant(_ delay: Duration) -> Backoff {
        Backoff(initial: delay, maximum: delay, factor: 1, jitter: 0)
    }

    /// Returns the delay before a retry. It is never negative.
    ///
    /// - Parameters:
    ///   - retry: The retry's number, from 1.
    ///   - random: A random number from 0 to 1.
    public func delay(beforeRetry retry: Int, random: Double) -> Duration {
        let share = 1 - min(max(jitter, 0), 1) * (1 - min(max(random, 0), 1))
        let bound = bound(beforeRetry: retry)
        return share < 1 ? bound * share : bound
    }

    private func bound(beforeRetry retry: Int) -> Duration {
        // Far enough below the largest duration for the arithmetic not to overflow.
        let maximum = min(maximum, .seconds(Int64.max))
        var bound = min(initial, maximum)
        // After a thousand steps, a bound has reached the maximum or nearly does not grow.
        var steps = factor == 1 ? 0 : min(retry, 1001) - 1
        while steps > 0, bound > .zero, bound < maximum {
            // Compared before it is multiplied, because the product could overflow.
            guard factor < maximum / bound else { return maximum }
            bound = bound * factor
            steps -= 1
        }
        return max(bound, .zero)
    }
}
