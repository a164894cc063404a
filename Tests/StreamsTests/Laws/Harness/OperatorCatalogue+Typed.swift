import Streams

extension OperatorCase {
    /// The operators whose closures throw the failure type of the stream.
    static let typed: [OperatorCase] = [
        OperatorCase("tryMap(throwing:_:)") { upstream, context in
            upstream.tryMap(throwing: LawError.self) { context.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("tryCompactMap(throwing:_:)") { upstream, context in
            upstream.tryCompactMap(throwing: LawError.self) { context.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("tryFilter(throwing:_:)") { upstream, context in
            upstream.tryFilter(throwing: LawError.self) { _ in context.passing(true) }.eraseToAnyPublisher()
        },
        OperatorCase("tryScan(throwing:_:_:)") { upstream, context in
            upstream.tryScan(throwing: LawError.self, 0) { context.passing($1) }.eraseToAnyPublisher()
        },
        OperatorCase("tryRemoveDuplicates(throwing:by:)") { upstream, context in
            upstream.tryRemoveDuplicates(throwing: LawError.self) { _, _ in context.passing(false) }
                .eraseToAnyPublisher()
        },
        OperatorCase("tryDrop(throwing:while:)") { upstream, context in
            upstream.tryDrop(throwing: LawError.self) { _ in context.passing(false) }.eraseToAnyPublisher()
        },
        OperatorCase("tryPrefix(throwing:while:)") { upstream, context in
            upstream.tryPrefix(throwing: LawError.self) { _ in context.passing(true) }.eraseToAnyPublisher()
        },
        OperatorCase("tryCatch(throwing:_:)", [.countsDemand]) { upstream, context in
            upstream.tryCatch(throwing: LawError.self) { error throws(LawError) -> Empty<Int, LawError> in
                throw context.passing(error)
            }.eraseToAnyPublisher()
        },
    ]
}
