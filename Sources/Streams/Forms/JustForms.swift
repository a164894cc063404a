// The eager operators of `Just`. The value is known, so these operators compute their result at once.

extension Just {
    /// The result of ``Publisher/allSatisfy(_:)``, computed eagerly.
    @inlinable
    public func allSatisfy(_ predicate: (Output) -> Bool) -> Just<Bool> { Just<Bool>(predicate(output)) }

    /// The result of ``Publisher/tryAllSatisfy(_:)``, computed eagerly.
    @inlinable
    public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        .init(Result { try predicate(output) })
    }

    /// The result of ``Publisher/contains(where:)``, computed eagerly.
    @inlinable
    public func contains(where predicate: (Output) -> Bool) -> Just<Bool> { Just<Bool>(predicate(output)) }

    /// The result of ``Publisher/tryContains(where:)``, computed eagerly.
    @inlinable
    public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        .init(Result { try predicate(output) })
    }

    /// The result of ``Publisher/collect()``, computed eagerly.
    @inlinable
    public func collect() -> Just<[Output]> { Just<[Output]>([output]) }

    /// The result of ``Publisher/count()``, computed eagerly.
    @inlinable
    public func count() -> Just<Int> { Just<Int>(1) }

    /// The result of ``Publisher/min(by:)``, computed eagerly.
    @inlinable
    public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> { self }

    /// The result of ``Publisher/max(by:)``, computed eagerly.
    @inlinable
    public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> { self }

    /// The result of ``Publisher/reduce(_:_:)``, computed eagerly.
    @inlinable
    public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Never>.Publisher {
        .init(nextPartialResult(initialResult, output))
    }

    /// The result of ``Publisher/tryReduce(_:_:)``, computed eagerly.
    @inlinable
    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        .init(Result { try nextPartialResult(initialResult, output) })
    }

    /// The result of ``Publisher/scan(_:_:)``, computed eagerly.
    @inlinable
    public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Never>.Publisher {
        .init(nextPartialResult(initialResult, output))
    }

    /// The result of ``Publisher/tryScan(_:_:)``, computed eagerly.
    @inlinable
    public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        .init(Result { try nextPartialResult(initialResult, output) })
    }
}

extension Just {
    /// The result of ``Publisher/map(_:)->Publishers.Map<Self,T>``, computed eagerly.
    @inlinable
    public func map<T>(_ transform: (Output) -> T) -> Just<T> { Just<T>(transform(output)) }

    /// The result of ``Publisher/tryMap(_:)``, computed eagerly.
    @inlinable
    public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
        .init(Result { try transform(output) })
    }

    /// The result of ``Publisher/compactMap(_:)``, computed eagerly.
    @inlinable
    public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher { .init(transform(output)) }

    /// The result of ``Publisher/setFailureType(to:)``, computed eagerly.
    @inlinable
    public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher { .init(output) }

    /// The result of ``Publisher/mapError(_:)``, computed eagerly.
    @inlinable
    public func mapError<E: Error>(_ transform: (Never) -> E) -> Result<Output, E>.Publisher { .init(output) }

    /// The result of ``Publisher/replaceError(with:)``, computed eagerly.
    @inlinable
    public func replaceError(with output: Output) -> Just<Output> { self }

    /// The result of ``Publisher/replaceEmpty(with:)``, computed eagerly.
    @inlinable
    public func replaceEmpty(with output: Output) -> Just<Output> { self }

    /// The result of ``Publisher/retry(_:)``, computed eagerly.
    @inlinable
    public func retry(_ times: Int) -> Just<Output> { self }

    /// The result of `prepend(_:)` of elements, computed eagerly.
    @inlinable
    public func prepend(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { prepend(elements) }

    /// The result of `prepend(_:)` of a sequence, computed eagerly.
    @inlinable
    public func prepend<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Sequence<[Output], Never> where S.Element == Output {
        .init(sequence: elements + [output])
    }

    /// The result of `append(_:)` of elements, computed eagerly.
    @inlinable
    public func append(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { append(elements) }

    /// The result of `append(_:)` of a sequence, computed eagerly.
    @inlinable
    public func append<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Sequence<[Output], Never> where S.Element == Output {
        .init(sequence: [output] + elements)
    }
}

extension Just {
    /// The result of ``Publisher/first()``, computed eagerly.
    @inlinable
    public func first() -> Just<Output> { self }

    /// The result of ``Publisher/last()``, computed eagerly.
    @inlinable
    public func last() -> Just<Output> { self }

    /// The result of ``Publisher/ignoreOutput()``, computed eagerly.
    @inlinable
    public func ignoreOutput() -> Empty<Output, Never> { Empty() }

    /// The result of ``Publisher/dropFirst(_:)``, computed eagerly.
    @inlinable
    public func dropFirst(_ count: Int = 1) -> Optional<Output>.Publisher {
        precondition(count >= 0, "the number must not be negative")
        return .init(count == 0 ? output : nil)
    }

    /// The result of ``Publisher/drop(while:)``, computed eagerly.
    @inlinable
    public func drop(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(!predicate(output) ? output : nil)
    }

    /// The result of ``Publisher/first(where:)``, computed eagerly.
    @inlinable
    public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(predicate(output) ? output : nil)
    }

    /// The result of ``Publisher/last(where:)``, computed eagerly.
    @inlinable
    public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(predicate(output) ? output : nil)
    }

    /// The result of ``Publisher/filter(_:)``, computed eagerly.
    @inlinable
    public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(isIncluded(output) ? output : nil)
    }

    /// The result of ``Publisher/prefix(_:)``, computed eagerly.
    @inlinable
    public func prefix(_ maxLength: Int) -> Optional<Output>.Publisher {
        precondition(maxLength >= 0, "the number must not be negative")
        return .init(maxLength > 0 ? output : nil)
    }

    /// The result of ``Publisher/prefix(while:)``, computed eagerly.
    @inlinable
    public func prefix(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(predicate(output) ? output : nil)
    }

    /// The result of ``Publisher/output(at:)``, computed eagerly.
    @inlinable
    public func output(at index: Int) -> Optional<Output>.Publisher {
        precondition(index >= 0, "the number must not be negative")
        return .init(index == 0 ? output : nil)
    }

    /// The result of ``Publisher/output(in:)``, computed eagerly. As in Combine, `0..<0` delivers the value.
    @inlinable
    public func output<R: RangeExpression>(in range: R) -> Optional<Output>.Publisher where R.Bound == Int {
        .init(range.relative(to: 0..<Int.max).lowerBound == 0 ? output : nil)
    }

    /// The result of ``Publisher/removeDuplicates(by:)``, computed eagerly.
    @inlinable
    public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Just<Output> { self }

    /// The value. Unlike ``Publisher/tryRemoveDuplicates(by:)`` this calls the closure, as in Combine.
    @inlinable
    public func tryRemoveDuplicates(
        by predicate: (Output, Output) throws -> Bool
    ) -> Result<Output, any Error>.Publisher {
        .init(
            Result {
                _ = try predicate(output, output)
                return output
            })
    }
}

extension Just where Output: Equatable {
    /// The result of ``Publisher/contains(_:)``, computed eagerly.
    @inlinable
    public func contains(_ output: Output) -> Just<Bool> { Just<Bool>(self.output == output) }

    /// The result of ``Publisher/removeDuplicates()``, computed eagerly.
    @inlinable
    public func removeDuplicates() -> Just<Output> { self }
}

extension Just where Output: Comparable {
    /// The result of ``Publisher/min()``, computed eagerly.
    @inlinable
    public func min() -> Just<Output> { self }

    /// The result of ``Publisher/max()``, computed eagerly.
    @inlinable
    public func max() -> Just<Output> { self }
}
