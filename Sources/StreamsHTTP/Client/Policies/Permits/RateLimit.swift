/// A limit on the rate at which a client sends requests to an origin: a token bucket.
///
/// The bucket of an origin holds up to ``burst`` permits, and refills with ``requests`` permits in each ``period``.
/// Each exchange takes one just before it is sent: retries, redirects and the connections of feeds, WebSockets and
/// downloads, too. Without a permit, the exchange waits in order; no thread is blocked.
///
/// A response lowers the bucket of its origin. With the status 429 or 503 and `Retry-After` (RFC 9110, section 10.2.3),
/// nothing is sent to the origin until then. The status 429 without that field empties the bucket. The fields
/// `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), `RateLimit-Remaining` with
/// `RateLimit-Reset`, and the same two with the prefix `X-` leave at most the remaining number of permits, and none
/// until the reset if that is zero. A pause lasts an hour at most.
public struct RateLimit: Hashable, Sendable {
    /// The number of permits in each period; less than one is one.
    public var requests: Int
    /// The length of a period; one second by default. Less than a nanosecond is one.
    public var period: Duration
    /// The largest number of permits that accumulate, and so of exchanges that are sent at once; by default, those of a
    /// period. Less than one is one.
    public var burst: Int
    /// The longest wait for a permit; one minute by default, and `nil` is no limit. An exchange that would wait longer
    /// fails at once with ``HTTPError/Connection/rateLimited``.
    public var maxWait: Duration?

    /// Creates a limit; the properties describe the parameters.
    public init(
        requests: Int, per period: Duration = .seconds(1), burst: Int? = nil, maxWait: Duration? = .seconds(60)
    ) {
        self.requests = requests
        self.period = period
        self.burst = burst ?? requests
        self.maxWait = maxWait
    }
}

/// The state of a token bucket, as the time at which the bucket is full again: the generic cell rate algorithm.
struct TokenBucket: Sendable {
    /// The time in which a permit is added, in whole nanoseconds, so that timers meet it exactly.
    private let interval: Duration
    private let burst: Int
    /// The time at which the bucket is full if nothing is taken.
    private var fullTime = Duration.zero

    /// The limits of what is computed with, far above every useful value.
    private static let maxPeriod = Duration.seconds(100 * 86_400)
    private static let maxBurst = 1_000_000
    private static let maxPause = Duration.seconds(3600)

    init(_ limit: RateLimit) {
        let period = min(max(limit.period, .nanoseconds(1)), Self.maxPeriod).wholeNanoseconds
        let requests = Int64(clamping: max(limit.requests, 1))
        interval = .nanoseconds(period / requests + (period % requests == 0 ? 0 : 1))
        burst = min(max(limit.burst, 1), Self.maxBurst)
    }

    /// Returns the time at which the next permit is available, or one that follows it.
    ///
    /// - Parameter position: The number of permits that are taken before.
    func nextTime(after position: Int = 0, now: Duration) -> Duration {
        max(fullTime, now) + interval * (min(position, Self.maxBurst) - burst + 1)
    }

    mutating func take(now: Duration) {
        fullTime = max(fullTime, now) + interval
    }

    /// Leaves at most a number of permits.
    mutating func lower(to count: Int, now: Duration) {
        fullTime = max(fullTime, now + interval * (burst - min(max(count, 0), burst)))
    }

    /// Leaves no permit until a delay is over, and one then.
    mutating func pause(for delay: Duration, now: Duration) {
        let end = now + min(max(delay, .zero), Self.maxPause)
        fullTime = max(fullTime, end + interval * (burst - 1))
    }

    /// Returns the number of permits.
    func available(now: Duration) -> Int {
        let missing = fullTime - now
        guard missing > .zero else { return burst }
        return max(burst - Int((missing / interval).rounded(.up)), 0)
    }

    /// Returns whether the bucket is full.
    func isFull(now: Duration) -> Bool { fullTime <= now }
}
