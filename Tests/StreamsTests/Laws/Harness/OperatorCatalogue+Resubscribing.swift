import Streams

extension OperatorCase {
    /// The operators that subscribe to their upstream again.
    static let resubscribing: [OperatorCase] = [
        OperatorCase("retry(_:backoff:scheduler:options:where:)", .recovers) { upstream, context in
            upstream.retry(2, backoff: .constant(.zero), scheduler: context.scheduler) { _ in context.passing(true) }
                .eraseToAnyPublisher()
        },
        OperatorCase("repeat(_:)") { upstream, _ in upstream.repeat(0).eraseToAnyPublisher() },
    ]
}
