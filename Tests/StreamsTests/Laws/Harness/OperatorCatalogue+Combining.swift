import Streams

extension OperatorCase {
    /// The operators that combine several publishers, configured so that only the tested upstream provides values.
    static let combining: [OperatorCase] = [
        OperatorCase("merge(with:_:)", .holdsBack) { upstream, _ in
            upstream.merge(with: Empty(), Empty()).eraseToAnyPublisher()
        },
        OperatorCase("zip(_:_:)") { upstream, context in
            upstream.zip(count(to: 5_000)) { value, _ in context.passing(value) }.eraseToAnyPublisher()
        },
        OperatorCase("combineLatest(_:_:_:)", .endsOnDemand) { upstream, context in
            single(0).combineLatest(single(0), upstream) { _, _, value in context.passing(value) }.eraseToAnyPublisher()
        },
        OperatorCase("withLatestFrom(_:_:)") { upstream, context in
            upstream.withLatestFrom(single(0)) { value, _ in context.passing(value) }.eraseToAnyPublisher()
        },
        OperatorCase("switchToLatest()", .countsDemand) { upstream, context in
            single(0).map { _ in context.passing(upstream) }.switchToLatest().eraseToAnyPublisher()
        },
        OperatorCase("withLatestFrom(_:_:_:_:)") { upstream, context in
            upstream.withLatestFrom(single(0), single(0), single(0)) { value, _, _, _ in context.passing(value) }
                .eraseToAnyPublisher()
        },
        OperatorCase("race(with:)") { upstream, _ in
            upstream.race(with: Empty(completeImmediately: false)).eraseToAnyPublisher()
        },
        OperatorCase("race()") { upstream, _ in
            let never = Empty<Int, LawError>(completeImmediately: false).eraseToAnyPublisher()
            return [never, upstream, never].race().eraseToAnyPublisher()
        },
        OperatorCase("flatMapFirst(_:)", [.hot, .dropsUnrequested]) { upstream, context in
            upstream.flatMapFirst { Just(context.passing($0)).setFailureType(to: LawError.self) }.eraseToAnyPublisher()
        },
        OperatorCase("materialize()", [.recovers, .endsOnDemand], delivering: .eachAndEnd) { upstream, context in
            upstream.materialize().map { event in
                if case .value(let value) = event { context.passing(value) } else { context.passing(.max) }
            }.setFailureType(to: LawError.self).eraseToAnyPublisher()
        },
        OperatorCase("dematerialize()", .recovers) { upstream, context in
            upstream.finishingAtFailure().map { Subscribers.Event<Int, LawError>.value(context.passing($0)) }
                .dematerialize().eraseToAnyPublisher()
        },
        OperatorCase("materialize(), dematerialize()", .endsOnDemand) { upstream, _ in
            upstream.materialize().dematerialize().eraseToAnyPublisher()
        },
        OperatorCase("share(replay:)", [.hot, .replays]) { upstream, _ in
            upstream.share(replay: 5_000).eraseToAnyPublisher()
        },
        OperatorCase("share(replay:grace:scheduler:options:)", [.hot, .replays]) { upstream, _ in
            upstream.share(replay: 5_000, grace: .zero, scheduler: ImmediateScheduler.shared).eraseToAnyPublisher()
        },
        OperatorCase("share(replay:), zero values", .hot) { upstream, _ in
            upstream.share(replay: 0).eraseToAnyPublisher()
        },
        OperatorCase("buffer(size:prefetch:whenFull:), keep full", .holdsBack) { upstream, _ in
            upstream.buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest).eraseToAnyPublisher()
        },
        OperatorCase("buffer(size:prefetch:whenFull:), by request", .hot) { upstream, _ in
            upstream.buffer(size: 5_000, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher()
        },
    ]

    private static func single(_ value: Int) -> Publishers.SetFailureType<Just<Int>, LawError> {
        Just(value).setFailureType(to: LawError.self)
    }

    /// A publisher of one value that does not say what it delivers, so that it is subscribed to.
    static func subscribedTo(_ value: Int) -> AnyPublisher<Int, LawError> {
        single(value).eraseToAnyPublisher()
    }
}
