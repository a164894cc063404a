import Streams
import StreamsTesting

extension OperatorCase {
    /// The operators that select values by time, configured so that they select every value.
    static let timing: [OperatorCase] = [
        OperatorCase("debounce(for:scheduler:options:)", [.scheduled, .hot]) { upstream, _ in
            upstream.debounce(for: 1, scheduler: ImmediateScheduler.shared).eraseToAnyPublisher()
        },
        OperatorCase("throttle(for:scheduler:latest:)", [.scheduled, .hot]) { upstream, _ in
            upstream.throttle(for: 1, scheduler: ImmediateScheduler.shared, latest: true).eraseToAnyPublisher()
        },
        OperatorCase("collect(_:options:)", .scheduled, delivering: .firstOfTwo) { upstream, context in
            upstream.collect(.byTimeOrCount(context.scheduler, .seconds(1_000_000_000), 2)).map { $0[0] }
                .eraseToAnyPublisher()
        },
        OperatorCase(
            "delaySubscription(for:tolerance:scheduler:options:)", [.holdsBack, .subscribesLater]
        ) { upstream, context in
            upstream.delaySubscription(for: 1, scheduler: context.scheduler).eraseToAnyPublisher()
        },
        OperatorCase("delaySubscription(for:tolerance:scheduler:options:), immediately", .countsDemand) {
            upstream, _ in
            upstream.delaySubscription(for: 1, scheduler: ImmediateScheduler.shared).eraseToAnyPublisher()
        },
        OperatorCase("timeout(first:scheduler:options:customError:)", .scheduled) { upstream, context in
            upstream.timeout(first: .seconds(1_000_000_000), scheduler: context.scheduler) { context.passing(.other) }
                .eraseToAnyPublisher()
        },
        OperatorCase("prefix(for:scheduler:options:)", .scheduled) { upstream, context in
            upstream.prefix(for: .seconds(1_000_000_000), scheduler: context.scheduler).eraseToAnyPublisher()
        },
        OperatorCase("debounce(for:scheduler:options:emitLast:)", [.scheduled, .hot]) { upstream, _ in
            upstream.debounce(for: 1, scheduler: ImmediateScheduler.shared, emitLast: true).eraseToAnyPublisher()
        },
    ]
}
