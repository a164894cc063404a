import Streams
import StreamsTesting

extension OperatorCase {
    /// The operators for backpressure, callbacks, resources and tasks.
    static let bridging: [OperatorCase] = [
        OperatorCase("onBackpressureBuffer()") { upstream, _ in upstream.onBackpressureBuffer().eraseToAnyPublisher() },
        OperatorCase("onBackpressureLatest()", [.hot, .dropsUnrequested]) { upstream, _ in
            upstream.onBackpressureLatest().eraseToAnyPublisher()
        },
        OperatorCase("onBackpressureDrop()", [.hot, .dropsUnrequested]) { upstream, _ in
            upstream.onBackpressureDrop().eraseToAnyPublisher()
        },
        OperatorCase("limitRate(_:)", .holdsBack) { upstream, _ in upstream.limitRate(8).eraseToAnyPublisher() },
        OperatorCase("limitRate(_:per:scheduler:options:)", .holdsBack) { upstream, _ in
            upstream.limitRate(8, per: 1, scheduler: ImmediateScheduler.shared).eraseToAnyPublisher()
        },
        OperatorCase("AnyPublisher.create(_:)") { upstream, context in
            IntPublisher.create { subscriber in
                context.passing(
                    upstream.sink(
                        receiveCompletion: { subscriber.send(completion: context.passing($0)) },
                        receiveValue: { subscriber.send(context.passing($0)) }))
            }
        },
        OperatorCase("asyncMap(maxConcurrent:ordered:priority:executorPreference:_:)", .holdsBack) {
            upstream, context in
            upstream.asyncMap(executorPreference: InlineExecutor.shared) { context.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("asyncMap(maxConcurrent:ordered:priority:executorPreference:_:), four concurrently", .holdsBack) {
            upstream, context in
            upstream.asyncMap(maxConcurrent: 4, executorPreference: InlineExecutor.shared) { context.passing($0) }
                .eraseToAnyPublisher()
        },
        OperatorCase("asyncMap(maxConcurrent:ordered:priority:executorPreference:_:), unordered", .holdsBack) {
            upstream, context in
            upstream.asyncMap(maxConcurrent: 4, ordered: false, executorPreference: InlineExecutor.shared) {
                context.passing($0)
            }.eraseToAnyPublisher()
        },
        OperatorCase("asyncTryMap(maxConcurrent:ordered:priority:executorPreference:_:)", .holdsBack) {
            upstream, context in
            upstream.asyncTryMap(executorPreference: InlineExecutor.shared) { context.passing($0) }.restoringLawError()
        },
        OperatorCase("group(by:maxGroups:bufferSize:)", .holdsBack) { upstream, context in
            upstream.group(by: { _ in context.passing(0) }, bufferSize: 4).flatMap { context.passing($0) }
                .eraseToAnyPublisher()
        },
        OperatorCase("group(by:maxGroups:bufferSize:), keys", .holdsBack) { upstream, context in
            upstream.group(by: { context.passing($0) }, bufferSize: 4).map { context.passing($0.key) }
                .eraseToAnyPublisher()
        },
        OperatorCase("window(count:bufferSize:), keys", .holdsBack) { upstream, context in
            Deferred {
                let values = LockedValue<[Int]>([])
                return upstream.map { value in
                    values.update { $0.append(value) }
                    return value
                }.window(count: 1, bufferSize: 4).map { context.passing(values.value[$0.key]) }
            }.eraseToAnyPublisher()
        },
        OperatorCase("window(count:bufferSize:)", .holdsBack) { upstream, context in
            upstream.window(count: 3, bufferSize: 4).concatMap { context.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("window(for:scheduler:options:maxCount:bufferSize:)", .holdsBack) { upstream, context in
            upstream.window(for: .seconds(60), scheduler: context.scheduler, maxCount: 3, bufferSize: 4)
                .concatMap { context.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("Operators.Using") { upstream, context in
            Operators.Using {
                context.passing(1)
            } release: { _ in
                context.hook()
            } publisher: { _ in
                context.passing(upstream)
            }.eraseToAnyPublisher()
        },
        OperatorCase("expand(_:)", .holdsBack) { upstream, context in
            upstream.expand { _ in context.passing(Empty?.none) }.eraseToAnyPublisher()
        },
        OperatorCase("expand(_:), empty publishers", [.holdsBack, .endsOnDemand]) { upstream, context in
            upstream.expand { _ in context.passing(Empty()) }.eraseToAnyPublisher()
        },
    ]
}
