import Streams

extension OperatorCase {
    /// Operators that subscribe to their upstream again.
    static let attempts: [OperatorCase] = [
        OperatorCase("retry(_:backoff:scheduler:options:where:)", .recovers) { upstream, bench in
            upstream.retry(2, backoff: .constant(.zero), scheduler: bench.scheduler) { _ in bench.passing(true) }
                .eraseToAnyPublisher()
        },
        OperatorCase("repeat(_:)") { upstream, _ in upstream.repeat(0).eraseToAnyPublisher() },
    ]
}
