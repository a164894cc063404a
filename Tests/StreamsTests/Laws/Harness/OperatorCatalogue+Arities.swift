import Streams

extension OperatorCase {
    /// The operators that combine several publishers, for each number of publishers and for collections.
    static let arities: [OperatorCase] = latest + zipped + merged

    private static let none = count(to: 0)
    private static let zero = count(to: 1)
    private static let many = count(to: 5_000)

    private static let latest: [OperatorCase] = [
        OperatorCase("combineLatest(_:)", .endsOnDemand) { upstream, context in
            zero.combineLatest(upstream).map { context.passing($0.1) }.eraseToAnyPublisher()
        },
        OperatorCase("combineLatest(_:_:)", .endsOnDemand) { upstream, context in
            zero.combineLatest(zero, upstream).map { context.passing($0.2) }.eraseToAnyPublisher()
        },
        OperatorCase("combineLatest(_:_:_:_:)", .endsOnDemand) { upstream, context in
            zero.combineLatest(zero, zero, upstream) { _, _, _, value in context.passing(value) }.eraseToAnyPublisher()
        },
        OperatorCase("combineLatest()", .endsOnDemand) { upstream, context in
            [zero.eraseToAnyPublisher(), upstream].combineLatest().map { context.passing($0[1]) }.eraseToAnyPublisher()
        },
        OperatorCase("withLatestFrom(_:)") { upstream, context in
            upstream.withLatestFrom(zero).map { context.passing($0.0) }.eraseToAnyPublisher()
        },
        OperatorCase("withLatestFrom(_:_:_:)") { upstream, context in
            upstream.withLatestFrom(zero, zero) { value, _, _ in context.passing(value) }.eraseToAnyPublisher()
        },
    ]

    private static let zipped: [OperatorCase] = [
        OperatorCase("zip(_:)") { upstream, context in
            upstream.zip(many).map { context.passing($0.0) }.eraseToAnyPublisher()
        },
        OperatorCase("zip(_:_:_:)") { upstream, context in
            upstream.zip(many, many) { value, _, _ in context.passing(value) }.eraseToAnyPublisher()
        },
        OperatorCase("zip(_:_:_:_:)") { upstream, context in
            upstream.zip(many, many, many) { value, _, _, _ in context.passing(value) }.eraseToAnyPublisher()
        },
        OperatorCase("zipMany()") { upstream, context in
            [upstream, many.eraseToAnyPublisher()].zipMany().map { context.passing($0[0]) }.eraseToAnyPublisher()
        },
    ]

    private static let merged: [OperatorCase] = [
        OperatorCase("merge(with:)", .holdsBack) { upstream, _ in upstream.merge(with: none).eraseToAnyPublisher() },
        OperatorCase("merge(with:_:_:)", .holdsBack) { upstream, _ in
            upstream.merge(with: none, none, none).eraseToAnyPublisher()
        },
        OperatorCase("merge(with:_:_:_:)", .holdsBack) { upstream, _ in
            upstream.merge(with: none, none, none, none).eraseToAnyPublisher()
        },
        OperatorCase("merge(with:_:_:_:_:)", .holdsBack) { upstream, _ in
            upstream.merge(with: none, none, none, none, none).eraseToAnyPublisher()
        },
        OperatorCase("merge(with:_:_:_:_:_:)", .holdsBack) { upstream, _ in
            upstream.merge(with: none, none, none, none, none, none).eraseToAnyPublisher()
        },
        OperatorCase("merge(with:_:_:_:_:_:_:)", .holdsBack) { upstream, _ in
            upstream.merge(with: none, none, none, none, none, none, none).eraseToAnyPublisher()
        },
        OperatorCase("merge()", .holdsBack) { upstream, _ in
            [none.eraseToAnyPublisher(), upstream].merge().eraseToAnyPublisher()
        },
        OperatorCase("delayingErrors()", .holdsBack) { upstream, _ in
            none.merge(with: upstream).delayingErrors().eraseToAnyPublisher()
        },
        OperatorCase("delayingErrors(), inner publishers", .holdsBack) { upstream, context in
            upstream.flatMap(maxPublishers: .max(1)) { subscribedTo(context.passing($0)) }.delayingErrors()
                .eraseToAnyPublisher()
        },
    ]
}
