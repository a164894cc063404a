/// A publisher that delivers one value to each subscriber, and completes.
public struct Just<Output>: Publisher {
    public typealias Failure = Never

    /// What is delivered.
    public let output: Output

    /// A publisher that delivers `output`.
    @inlinable
    public init(_ output: Output) {
        self.output = output
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        ScalarSubscription("Just", value: output, downstream: subscriber).handOver(to: subscriber)
    }
}

extension Just: Equatable where Output: Equatable {}
extension Just: Sendable where Output: Sendable {}

// The one value is known, and so is what operators make of it: they are done where they are written, with the same
// result.

extension Just {
    /// What ``Publisher/allSatisfy(_:)`` delivers, found out at once.
    @inlinable
    public func allSatisfy(_ predicate: (Output) -> Bool) -> Just<Bool> {
        Just<Bool>(predicate(output))
    }

    /// What ``Publisher/tryAllSatisfy(_:)`` delivers, found out at once.
    @inlinable
    public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        .init(Result { try predicate(output) })
    }

    /// What ``Publisher/contains(where:)`` delivers, found out at once.
    @inlinable
    public func contains(where predicate: (Output) -> Bool) -> Just<Bool> {
        Just<Bool>(predicate(output))
    }

    /// What ``Publisher/tryContains(where:)`` delivers, found out at once.
    @inlinable
    public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        .init(Result { try predicate(output) })
    }

    /// What ``Publisher/collect()`` delivers, found out at once.
    @inlinable
    public func collect() -> Just<[Output]> {
        Just<[Output]>([output])
    }

    /// What ``Publisher/count()`` delivers, found out at once.
    @inlinable
    public func count() -> Just<Int> {
        Just<Int>(1)
    }

    /// What ``Publisher/min(by:)`` delivers, found out at once.
    @inlinable
    public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> {
        self
    }

    /// What ``Publisher/max(by:)`` delivers, found out at once.
    @inlinable
    public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> {
        self
    }

    /// What ``Publisher/reduce(_:_:)`` delivers, found out at once.
    @inlinable
    public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Never>.Publisher {
        .init(nextPartialResult(initialResult, output))
    }

    /// What ``Publisher/tryReduce(_:_:)`` delivers, found out at once.
    @inlinable
    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        .init(Result { try nextPartialResult(initialResult, output) })
    }

    /// What ``Publisher/scan(_:_:)`` delivers, found out at once.
    @inlinable
    public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Never>.Publisher {
        .init(nextPartialResult(initialResult, output))
    }

    /// What ``Publisher/tryScan(_:_:)`` delivers, found out at once.
    @inlinable
    public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        .init(Result { try nextPartialResult(initialResult, output) })
    }
}

extension Just {
    /// What ``Publisher/map(_:)->Publishers.Map<Self,T>`` delivers, found out at once.
    @inlinable
    public func map<T>(_ transform: (Output) -> T) -> Just<T> {
        Just<T>(transform(output))
    }

    /// What ``Publisher/tryMap(_:)`` delivers, found out at once.
    @inlinable
    public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
        .init(Result { try transform(output) })
    }

    /// What ``Publisher/compactMap(_:)`` delivers, found out at once.
    @inlinable
    public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
        .init(transform(output))
    }

    /// What ``Publisher/setFailureType(to:)`` delivers, found out at once.
    @inlinable
    public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
        .init(output)
    }

    /// What ``Publisher/mapError(_:)`` delivers, found out at once.
    @inlinable
    public func mapError<E: Error>(_ transform: (Never) -> E) -> Result<Output, E>.Publisher {
        .init(output)
    }

    /// What ``Publisher/replaceError(with:)`` delivers, found out at once.
    @inlinable
    public func replaceError(with output: Output) -> Just<Output> {
        self
    }

    /// What ``Publisher/replaceEmpty(with:)`` delivers, found out at once.
    @inlinable
    public func replaceEmpty(with output: Output) -> Just<Output> {
        self
    }

    /// What ``Publisher/retry(_:)`` delivers, found out at once.
    @inlinable
    public func retry(_ times: Int) -> Just<Output> {
        self
    }

    /// What ``Publisher/prepend(_:)->Publishers.Concatenate<Publishers.Sequence<[Self.Output],Self.Failure>,Self>``
    /// delivers, found out at once.
    @inlinable
    public func prepend(_ elements: Output...) -> Publishers.Sequence<[Output], Never> {
        prepend(elements)
    }

    /// What ``Publisher/prepend(_:)->Publishers.Concatenate<Publishers.Sequence<S,Self.Failure>,Self>`` delivers, found
    /// out at once.
    @inlinable
    public func prepend<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Sequence<[Output], Never> where S.Element == Output {
        .init(sequence: elements + [output])
    }

    /// What ``Publisher/append(_:)->Publishers.Concatenate<Self,Publishers.Sequence<[Self.Output],Self.Failure>>``
    /// delivers, found out at once.
    @inlinable
    public func append(_ elements: Output...) -> Publishers.Sequence<[Output], Never> {
        append(elements)
    }

    /// What ``Publisher/append(_:)->Publishers.Concatenate<Self,Publishers.Sequence<S,Self.Failure>>`` delivers, found
    /// out at once.
    @inlinable
    public func append<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Sequence<[Output], Never> where S.Element == Output {
        .init(sequence: [output] + elements)
    }
}

extension Just {
    /// What ``Publisher/first()`` delivers, found out at once.
    @inlinable
    public func first() -> Just<Output> {
        self
    }

    /// What ``Publisher/last()`` delivers, found out at once.
    @inlinable
    public func last() -> Just<Output> {
        self
    }

    /// What ``Publisher/ignoreOutput()`` delivers, found out at once.
    @inlinable
    public func ignoreOutput() -> Empty<Output, Never> {
        Empty()
    }

    /// What ``Publisher/dropFirst(_:)`` delivers, found out at once.
    @inlinable
    public func dropFirst(_ count: Int = 1) -> Optional<Output>.Publisher {
        precondition(count >= 0, "a stream has no values before its first")
        return .init(count == 0 ? output : nil)
    }

    /// What ``Publisher/drop(while:)`` delivers, found out at once.
    @inlinable
    public func drop(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(!predicate(output) ? output : nil)
    }

    /// What ``Publisher/first(where:)`` delivers, found out at once.
    @inlinable
    public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(predicate(output) ? output : nil)
    }

    /// What ``Publisher/last(where:)`` delivers, found out at once.
    @inlinable
    public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(predicate(output) ? output : nil)
    }

    /// What ``Publisher/filter(_:)`` delivers, found out at once.
    @inlinable
    public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(isIncluded(output) ? output : nil)
    }

    /// What ``Publisher/prefix(_:)`` delivers, found out at once.
    @inlinable
    public func prefix(_ maxLength: Int) -> Optional<Output>.Publisher {
        precondition(maxLength >= 0, "a stream has no values before its first")
        return .init(maxLength > 0 ? output : nil)
    }

    /// What ``Publisher/prefix(while:)`` delivers, found out at once.
    @inlinable
    public func prefix(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(predicate(output) ? output : nil)
    }

    /// What ``Publisher/output(at:)`` delivers, found out at once.
    @inlinable
    public func output(at index: Int) -> Optional<Output>.Publisher {
        precondition(index >= 0, "a stream has no values before its first")
        return .init(index == 0 ? output : nil)
    }

    /// What ``Publisher/output(in:)`` delivers, found out at once; as in Combine, a range that starts at zero counts
    /// even if empty.
    @inlinable
    public func output<R: RangeExpression>(in range: R) -> Optional<Output>.Publisher where R.Bound == Int {
        .init(range.relative(to: 0..<Int.max).lowerBound == 0 ? output : nil)
    }

    /// What ``Publisher/removeDuplicates(by:)`` delivers, found out at once.
    @inlinable
    public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Just<Output> {
        self
    }

    /// The value alone. Unlike ``Publisher/tryRemoveDuplicates(by:)`` this calls the closure, as in Combine.
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
    /// What ``Publisher/contains(_:)`` delivers, found out at once.
    @inlinable
    public func contains(_ output: Output) -> Just<Bool> {
        Just<Bool>(self.output == output)
    }

    /// What ``Publisher/removeDuplicates()`` delivers, found out at once.
    @inlinable
    public func removeDuplicates() -> Just<Output> {
        self
    }
}

extension Just where Output: Comparable {
    /// What ``Publisher/min()`` delivers, found out at once.
    @inlinable
    public func min() -> Just<Output> {
        self
    }

    /// What ``Publisher/max()`` delivers, found out at once.
    @inlinable
    public func max() -> Just<Output> {
        self
    }
}
