// The eager operators of `Result.Publisher`. The result is known, so these operators compute theirs at once.

extension Result.Publisher {
    /// The result of ``Publisher/allSatisfy(_:)``, computed eagerly.
    @inlinable
    public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
        .init(result.map(predicate))
    }

    /// The result of ``Publisher/tryAllSatisfy(_:)``, computed eagerly.
    @inlinable
    public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        tryMap(predicate)
    }

    /// The result of ``Publisher/contains(where:)``, computed eagerly.
    @inlinable
    public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
        .init(result.map(predicate))
    }

    /// The result of ``Publisher/tryContains(where:)``, computed eagerly.
    @inlinable
    public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        tryMap(predicate)
    }

    /// The result of ``Publisher/collect()``, computed eagerly.
    @inlinable
    public func collect() -> Result<[Output], Failure>.Publisher { .init(result.map { [$0] }) }

    /// The result of ``Publisher/count()``, computed eagerly.
    @inlinable
    public func count() -> Result<Int, Failure>.Publisher { .init(result.map { _ in 1 }) }

    /// The result of ``Publisher/min(by:)``, computed eagerly.
    @inlinable
    public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher { self }

    /// The value. Unlike ``Publisher/tryMin(by:)`` this calls the closure, as in Combine.
    @inlinable
    public func tryMin(
        by areInIncreasingOrder: (Output, Output) throws -> Bool
    ) -> Result<Output, any Error>.Publisher {
        tryMap { output in
            _ = try areInIncreasingOrder(output, output)
            return output
        }
    }

    /// The result of ``Publisher/max(by:)``, computed eagerly.
    @inlinable
    public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher { self }

    /// The value. Unlike ``Publisher/tryMax(by:)`` this calls the closure, as in Combine.
    @inlinable
    public func tryMax(
        by areInIncreasingOrder: (Output, Output) throws -> Bool
    ) -> Result<Output, any Error>.Publisher {
        tryMap { output in
            _ = try areInIncreasingOrder(output, output)
            return output
        }
    }

    /// The result of ``Publisher/reduce(_:_:)``, computed eagerly.
    @inlinable
    public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Failure>.Publisher {
        .init(result.map { nextPartialResult(initialResult, $0) })
    }

    /// The result of ``Publisher/tryReduce(_:_:)``, computed eagerly.
    @inlinable
    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        tryMap { try nextPartialResult(initialResult, $0) }
    }

    /// The result of ``Publisher/scan(_:_:)``, computed eagerly.
    @inlinable
    public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Failure>.Publisher {
        .init(result.map { nextPartialResult(initialResult, $0) })
    }

    /// The result of ``Publisher/tryScan(_:_:)``, computed eagerly.
    @inlinable
    public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        tryMap { try nextPartialResult(initialResult, $0) }
    }
}

extension Result.Publisher {
    /// The result of ``Publisher/map(_:)->Publishers.Map<Self,T>``, computed eagerly.
    @inlinable
    public func map<T>(_ transform: (Output) -> T) -> Result<T, Failure>.Publisher { .init(result.map(transform)) }

    /// The result of ``Publisher/tryMap(_:)``, computed eagerly.
    @inlinable
    public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
        .init(Result<T, any Error> { try transform(result.get()) })
    }

    /// The result of ``Publisher/mapError(_:)``, computed eagerly.
    @inlinable
    public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Output, E>.Publisher {
        .init(result.mapError(transform))
    }

    /// The result of ``Publisher/replaceError(with:)``, computed eagerly.
    @inlinable
    public func replaceError(with output: Output) -> Result<Output, Never>.Publisher {
        .init(result.flatMapError { _ in .success(output) })
    }

    /// The result of ``Publisher/replaceEmpty(with:)``, computed eagerly.
    @inlinable
    public func replaceEmpty(with output: Output) -> Result<Output, Failure>.Publisher { self }

    /// The result of ``Publisher/retry(_:)``, computed eagerly.
    @inlinable
    public func retry(_ times: Int) -> Result<Output, Failure>.Publisher { self }

    /// The result of ``Publisher/first()``, computed eagerly.
    @inlinable
    public func first() -> Result<Output, Failure>.Publisher { self }

    /// The result of ``Publisher/last()``, computed eagerly.
    @inlinable
    public func last() -> Result<Output, Failure>.Publisher { self }

    /// An empty stream, as in Combine also instead of a failure.
    @inlinable
    public func ignoreOutput() -> Empty<Output, Failure> { Empty() }

    /// The result of ``Publisher/removeDuplicates(by:)``, computed eagerly.
    @inlinable
    public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher { self }

    /// The value. Unlike ``Publisher/tryRemoveDuplicates(by:)`` this calls the closure, as in Combine.
    @inlinable
    public func tryRemoveDuplicates(
        by predicate: (Output, Output) throws -> Bool
    ) -> Result<Output, any Error>.Publisher {
        tryMap { output in
            _ = try predicate(output, output)
            return output
        }
    }
}

extension Result.Publisher where Failure == Never {
    /// The result of ``Publisher/setFailureType(to:)``, computed eagerly.
    @inlinable
    public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher { .init(result.get()) }
}

extension Result.Publisher where Success: Equatable {
    /// The result of ``Publisher/contains(_:)``, computed eagerly.
    @inlinable
    public func contains(_ output: Output) -> Result<Bool, Failure>.Publisher { .init(result.map { $0 == output }) }

    /// The result of ``Publisher/removeDuplicates()``, computed eagerly.
    @inlinable
    public func removeDuplicates() -> Result<Output, Failure>.Publisher { self }
}

extension Result.Publisher where Success: Comparable {
    /// The result of ``Publisher/min()``, computed eagerly.
    @inlinable
    public func min() -> Result<Output, Failure>.Publisher { self }

    /// The result of ``Publisher/max()``, computed eagerly.
    @inlinable
    public func max() -> Result<Output, Failure>.Publisher { self }
}
