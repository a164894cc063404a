import Testing

@testable import StreamsHTTP

@Suite struct TokenBucketTests {
    /// Takes all permits that are available.
    private func takeAll(_ bucket: inout TokenBucket, at now: Duration) -> Int {
        var count = 0
        while bucket.nextTime(now: now) <= now, count < 10_000 {
            bucket.take(now: now)
            count += 1
        }
        return count
    }

    @Test func startsFullAndRefillsAtItsRate() {
        var bucket = TokenBucket(RateLimit(requests: 4, per: .seconds(2), burst: 3))
        #expect(bucket.available(now: .zero) == 3)
        #expect(takeAll(&bucket, at: .zero) == 3)
        let curve = (1...12).map { takeAll(&bucket, at: .milliseconds($0 * 250)) }
        #expect(curve == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
        #expect(bucket.available(now: .seconds(4)) == 2 && bucket.available(now: .seconds(60)) == 3)
        #expect(takeAll(&bucket, at: .seconds(60)) == 3)
    }

    @Test func returnsTheTimesOfFurtherPermits() {
        var bucket = TokenBucket(RateLimit(requests: 1, burst: 2))
        #expect((0...3).map { bucket.nextTime(after: $0, now: .seconds(5)) } == [4, 5, 6, 7].map { .seconds($0) })
        #expect(takeAll(&bucket, at: .seconds(5)) == 2)
        #expect((0...2).map { bucket.nextTime(after: $0, now: .seconds(5)) } == [6, 7, 8].map { .seconds($0) })
    }

    @Test func hasOnePermitAfterAPause() {
        var bucket = TokenBucket(RateLimit(requests: 1, burst: 10))
        bucket.pause(for: .seconds(30), now: .seconds(1))
        #expect(bucket.nextTime(now: .seconds(1)) == .seconds(31) && bucket.available(now: .seconds(30)) == 0)
        #expect(takeAll(&bucket, at: .seconds(30)) == 0)
        #expect(takeAll(&bucket, at: .seconds(31)) == 1)
        #expect(takeAll(&bucket, at: .seconds(33)) == 2)
    }

    @Test func neverGainsPermitsFromAResponse() {
        var bucket = TokenBucket(RateLimit(requests: 1, burst: 10))
        bucket.lower(to: 4, now: .zero)
        #expect(bucket.available(now: .zero) == 4)
        bucket.lower(to: 9, now: .zero)
        #expect(bucket.available(now: .zero) == 4)
        bucket.pause(for: .seconds(20), now: .zero)
        bucket.pause(for: .seconds(10), now: .zero)
        #expect(bucket.nextTime(now: .zero) == .seconds(20))
        bucket.lower(to: -1, now: .zero)
        #expect(bucket.available(now: .zero) == 0)
    }

    @Test func acceptsAnyNumbers() {
        for requests in [Int.min, 0, 1, .max] {
            for period in [Duration.seconds(Int64.min), .zero, .nanoseconds(1), .seconds(Int64.max)] {
                for burst in [Int.min, 1, .max] {
                    var bucket = TokenBucket(RateLimit(requests: requests, per: period, burst: burst))
                    #expect(bucket.available(now: .zero) >= 1)
                    bucket.take(now: .zero)
                    bucket.lower(to: .max, now: .seconds(1))
                    bucket.pause(for: .seconds(Int64.max), now: .seconds(1))
                    #expect(bucket.nextTime(after: .max, now: .seconds(1)) >= .seconds(3601))
                    #expect(bucket.available(now: .seconds(1)) == 0)
                }
            }
        }
    }
}
