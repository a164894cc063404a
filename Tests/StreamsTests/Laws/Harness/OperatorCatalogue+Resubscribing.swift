import Streams

extension OperatorCase {
    /// The operators that subscribe to their upstream again.
    static let resubscribing: [OperatorCase] = [
        OperatorCase("retry(_:backoff:scheduler:options:resetsAfterValue:where:)", .recovers) { upstream, context in
            upstream.retry(2, backoff: .constant(.zero), scheduler: context.scheduler) { _ in context.passing(true) }
                .eraseToAnyPublisher()
        },
        OperatorCase("retry(when:)", .recovers) { upstream, context in
            upstream.retry { failures in
                context.passing(
                    failures.map { context.passing($0) }.setFailureType(to: LawError.self).prefix(2))
            }.eraseToAnyPublisher()
        },
        OperatorCase("repeat(when:)") { upstream, context in
            upstream.repeat { ends in
                context.passing(ends.first { context.passing(true) }.ignoreOutput().setFailureType(to: LawError.self))
            }.eraseToAnyPublisher()
        },
        OperatorCase("repeat(_:)") { upstream, _ in upstream.repeat(0).eraseToAnyPublisher() },
    ]
}
