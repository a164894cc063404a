import StreamsHTTP

struct Settings: Sendable {
    var exchanges = 10_000
    var concurrency = 64
    var seed: UInt64 = 1
    /// The age from which on an exchange counts as lost: more than all its timeouts and retries take.
    let patience = Duration.seconds(60)

    private static let usage = "usage: soak [--exchanges N] [--concurrency N] [--seed N]"

    init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        while let name = arguments.next() {
            guard let value = arguments.next().flatMap(Int.init), value > 0 else { throw SoakError.usage(Self.usage) }
            switch name {
            case "--exchanges": exchanges = value
            case "--concurrency": concurrency = value
            case "--seed": seed = UInt64(value)
            default: throw SoakError.usage(Self.usage)
            }
        }
    }

    var configuration: HTTPClient.Configuration {
        var options = RequestOptions()
        options.timeouts.connect = .seconds(5)
        options.timeouts.idle = .milliseconds(500)
        options.timeouts.total = .seconds(20)
        options.retry = RetryPolicy(
            maxRetries: 2, backoff: .init(initial: .milliseconds(5), maximum: .milliseconds(50)))
        options.hedging = HedgingPolicy(after: .milliseconds(20))
        var configuration = HTTPClient.Configuration(options: options)
        configuration.limits.maxConcurrentRequestsPerOrigin = concurrency / 2
        configuration.limits.rateLimit = RateLimit(requests: 10_000)
        // Short, so that feeds that wait for a server that is gone come to their end.
        configuration.limits.circuitBreaker = CircuitBreaker(failureRatio: 0.9, openDuration: .milliseconds(500))
        return configuration
    }

    var feedOptions: FeedOptions {
        var policy = FeedOptions.ReconnectPolicy(backoff: .init(initial: .milliseconds(5), maximum: .milliseconds(50)))
        // Its server may be gone for good. The feed's own script breaks fewer connections.
        policy.maxRetries = 20
        return FeedOptions(reconnection: policy)
    }
}
