import Streams

extension OperatorCase {
    /// Operators whose closures throw the type of failure that the stream has.
    static let typed: [OperatorCase] = [
        OperatorCase("tryMap(throwing:_:)") { upstream, bench in
            upstream.tryMap(throwing: LawError.self) { bench.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("tryCompactMap(throwing:_:)") { upstream, bench in
            upstream.tryCompactMap(throwing: LawError.self) { bench.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("tryFilter(throwing:_:)") { upstream, bench in
            upstream.tryFilter(throwing: LawError.self) { _ in bench.passing(true) }.eraseToAnyPublisher()
        },
        OperatorCase("tryScan(throwing:_:_:)") { upstream, bench in
            upstream.tryScan(throwing: LawError.self, 0) { bench.passing($1) }.eraseToAnyPublisher()
        },
        OperatorCase("tryRemoveDuplicates(throwing:by:)") { upstream, bench in
            upstream.tryRemoveDuplicates(throwing: LawError.self) { _, _ in bench.passing(false) }
                .eraseToAnyPublisher()
        },
        OperatorCase("tryDrop(throwing:while:)") { upstream, bench in
            upstream.tryDrop(throwing: LawError.self) { _ in bench.passing(false) }.eraseToAnyPublisher()
        },
        OperatorCase("tryPrefix(throwing:while:)") { upstream, bench in
            upstream.tryPrefix(throwing: LawError.self) { _ in bench.passing(true) }.eraseToAnyPublisher()
        },
        OperatorCase("tryCatch(throwing:_:)", [.insists, .looksOn]) { upstream, bench in
            upstream.tryCatch(throwing: LawError.self) { error throws(LawError) -> Empty<Int, LawError> in
                throw bench.passing(error)
            }.eraseToAnyPublisher()
        },
    ]
}
