import Streams
import StreamsTesting

extension OperatorCase {
    /// The variants of other operators, and the operators that sample by a trigger.
    static let variants: [OperatorCase] = forms + sampling

    private static let forms: [OperatorCase] = [
        OperatorCase("concatMap(_:)", .holdsBack) { upstream, context in
            upstream.concatMap { Just(context.passing($0)).setFailureType(to: LawError.self) }.eraseToAnyPublisher()
        },
        OperatorCase("flatMapLatest(_:)", [.hot, .dropsUnrequested]) { upstream, context in
            upstream.flatMapLatest { subscribedTo(context.passing($0)) }.eraseToAnyPublisher()
        },
        OperatorCase("flatMapLatest(_:), to known values", [.hot, .dropsUnrequested]) { upstream, context in
            upstream.flatMapLatest { Just(context.passing($0)).setFailureType(to: LawError.self) }.eraseToAnyPublisher()
        },
        OperatorCase("map(_:_:)", .transparent) { upstream, context in
            upstream.map(\.self, \.self).map { context.passing($0.0) }.eraseToAnyPublisher()
        },
        OperatorCase("map(_:_:_:)", .transparent) { upstream, context in
            upstream.map(\.self, \.self, \.self).map { context.passing($0.0) }.eraseToAnyPublisher()
        },
        OperatorCase("makeConnectable()", [.hot, .recovers]) { upstream, _ in
            upstream.finishingAtFailure().makeConnectable().autoconnect().setFailureType(to: LawError.self)
                .eraseToAnyPublisher()
        },
        OperatorCase("multicast(subject:)", .hot) { upstream, _ in
            upstream.multicast(subject: IntSubject()).autoconnect().eraseToAnyPublisher()
        },
        OperatorCase("onBackpressureBuffer(limit:whenFull:)") { upstream, _ in
            upstream.onBackpressureBuffer(limit: 5_000, whenFull: .dropNewest).eraseToAnyPublisher()
        },
        OperatorCase("timeout(total:scheduler:options:customError:)", .scheduled) { upstream, context in
            upstream.timeout(total: .seconds(1_000_000_000), scheduler: context.scheduler) { context.passing(.other) }
                .eraseToAnyPublisher()
        },
    ]

    /// The operators that sample or measure. Each subscription has its own clock or trigger, which fires after each value.
    ///
    /// The subscription is delayed until the trigger has its subscriber, since a synchronous source delivers all its
    /// values on request.
    private static let sampling: [OperatorCase] = [
        OperatorCase("measureInterval(using:options:)") { upstream, context in
            Deferred {
                let clock = TestScheduler()
                return upstream.map { clock.advance(by: .nanoseconds($0)) }
                    .measureInterval(using: clock).map { context.passing($0.nanoseconds) }
            }.eraseToAnyPublisher()
        },
        OperatorCase("sample(_:)", [.hot, .dropsUnrequested, .subscribesLater]) { upstream, context in
            Deferred {
                let trigger = PassthroughSubject<Void, LawError>()
                return upstream.subscribedLater(on: context.scheduler).followed { trigger.send() }
                    .sample(context.passing(trigger))
            }.eraseToAnyPublisher()
        },
        OperatorCase("sample(every:scheduler:options:)", [.hot, .scheduled, .subscribesLater]) { upstream, context in
            Deferred {
                let clock = context.passing(TestScheduler())
                return upstream.subscribedLater(on: context.scheduler).followed { clock.advance(by: .nanoseconds(1)) }
                    .sample(every: .nanoseconds(1), scheduler: clock)
            }.eraseToAnyPublisher()
        },
    ]
}
