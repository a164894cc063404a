import Streams
import StreamsTesting

extension OperatorCase {
    /// Back-pressure, sources that callbacks feed, scopes and tasks.
    static let bridging: [OperatorCase] = [
        OperatorCase("onBackpressureBuffer") { upstream, _ in upstream.onBackpressureBuffer().eraseToAnyPublisher() },
        OperatorCase("onBackpressureLatest", .hot) { upstream, _ in
            upstream.onBackpressureLatest().eraseToAnyPublisher()
        },
        OperatorCase("onBackpressureDrop", .hot) { upstream, _ in upstream.onBackpressureDrop().eraseToAnyPublisher() },
        OperatorCase("limitRate", .holdsBack) { upstream, _ in upstream.limitRate(8).eraseToAnyPublisher() },
        OperatorCase("create") { upstream, bench in
            IntPublisher.create { subscriber in
                bench.passing(
                    upstream.sink(
                        receiveCompletion: { subscriber.send(completion: bench.passing($0)) },
                        receiveValue: { subscriber.send(bench.passing($0)) }))
            }
        },
    ]
}
