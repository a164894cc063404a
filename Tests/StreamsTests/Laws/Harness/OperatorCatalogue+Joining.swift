import Streams

extension OperatorCase {
    /// The operators that put several publishers together, set up so that the others of them add nothing.
    static let joining: [OperatorCase] = [
        OperatorCase("merge", .holdsBack) { upstream, _ in
            upstream.merge(with: Empty(), Empty()).eraseToAnyPublisher()
        },
        OperatorCase("zip") { upstream, bench in
            upstream.zip(count(to: 5_000)) { value, _ in bench.passing(value) }.eraseToAnyPublisher()
        },
        OperatorCase("combineLatest") { upstream, bench in
            single(0).combineLatest(single(0), upstream) { _, _, value in bench.passing(value) }.eraseToAnyPublisher()
        },
        OperatorCase("withLatestFrom") { upstream, bench in
            upstream.withLatestFrom(single(0)) { value, _ in bench.passing(value) }.eraseToAnyPublisher()
        },
        OperatorCase("switchToLatest", .insists) { upstream, bench in
            single(0).map { _ in bench.passing(upstream) }.switchToLatest().eraseToAnyPublisher()
        },
        OperatorCase("buffer, kept full", .holdsBack) { upstream, _ in
            upstream.buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest).eraseToAnyPublisher()
        },
        OperatorCase("buffer, by request", .hot) { upstream, _ in
            upstream.buffer(size: 5_000, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher()
        },
    ]

    private static func single(_ value: Int) -> Publishers.SetFailureType<Just<Int>, LawError> {
        Just(value).setFailureType(to: LawError.self)
    }
}
