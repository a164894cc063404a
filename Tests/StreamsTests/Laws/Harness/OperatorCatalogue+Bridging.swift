import Streams
import StreamsTesting

extension OperatorCase {
    /// Back-pressure, sources that callbacks feed, scopes and tasks.
    static let bridging: [OperatorCase] = [
        OperatorCase("onBackpressureBuffer()") { upstream, _ in upstream.onBackpressureBuffer().eraseToAnyPublisher() },
        OperatorCase("onBackpressureLatest()", [.hot, .sheds]) { upstream, _ in
            upstream.onBackpressureLatest().eraseToAnyPublisher()
        },
        OperatorCase("onBackpressureDrop()", [.hot, .sheds]) { upstream, _ in
            upstream.onBackpressureDrop().eraseToAnyPublisher()
        },
        OperatorCase("limitRate(_:)", .holdsBack) { upstream, _ in upstream.limitRate(8).eraseToAnyPublisher() },
        OperatorCase("AnyPublisher.create(_:)") { upstream, bench in
            IntPublisher.create { subscriber in
                bench.passing(
                    upstream.sink(
                        receiveCompletion: { subscriber.send(completion: bench.passing($0)) },
                        receiveValue: { subscriber.send(bench.passing($0)) }))
            }
        },
        OperatorCase("asyncMap(maxConcurrent:priority:executorPreference:_:)", .holdsBack) { upstream, bench in
            upstream.asyncMap(executorPreference: InlineExecutor.shared) { bench.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("asyncMap(maxConcurrent:priority:executorPreference:_:), four at once", .holdsBack) {
            upstream, bench in
            upstream.asyncMap(maxConcurrent: 4, executorPreference: InlineExecutor.shared) { bench.passing($0) }
                .eraseToAnyPublisher()
        },
        OperatorCase("asyncTryMap(maxConcurrent:priority:executorPreference:_:)", .holdsBack) { upstream, bench in
            upstream.asyncTryMap(executorPreference: InlineExecutor.shared) { bench.passing($0) }.restoringLawError()
        },
        OperatorCase("Publishers.Using") { upstream, bench in
            Publishers.Using {
                bench.passing(1)
            } release: { _ in
                bench.hook()
            } publisher: { _ in
                bench.passing(upstream)
            }.eraseToAnyPublisher()
        },
        OperatorCase("expand(_:)", .holdsBack) { upstream, bench in
            upstream.expand { _ in bench.passing(Empty()) }.eraseToAnyPublisher()
        },
    ]
}
