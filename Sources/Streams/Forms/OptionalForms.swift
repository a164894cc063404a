// The eager operators of `Optional.Publisher`. The value is known, so these operators compute their result at once.
// Without a value there is no result, as in Combine: `count()` delivers nothing instead of zero.

extension Optional.Publisher {
    /// The result of ``Publisher/allSatisfy(_:)``, computed eagerly.
    @inlinable
    public func allSatisfy(_ predicate: (Output) -> Bool) -> Optional<Bool>.Publisher { .init(output.map(predicate)) }

    /// The result of ``Publisher/contains(where:)``, computed eagerly.
    @inlinable
    public func contains(where predicate: (Output) -> Bool) -> Optional<Bool>.Publisher { .init(output.map(predicate)) }

    /// The result of ``Publisher/collect()``, computed eagerly.
    @inlinable
    public func collect() -> Optional<[Output]>.Publisher { .init(output.map { [$0] } ?? []) }

    /// The result of ``Publisher/count()``, computed eagerly.
    @inlinable
    public func count() -> Optional<Int>.Publisher { .init(output.map { _ in 1 }) }

    /// The result of ``Publisher/min(by:)``, computed eagerly.
    @inlinable
    public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Output>.Publisher { self }

    /// The result of ``Publisher/max(by:)``, computed eagerly.
    @inlinable
    public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Output>.Publisher { self }

    /// The result of ``Publisher/reduce(_:_:)``, computed eagerly.
    @inlinable
    public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Optional<T>.Publisher {
        .init(output.map { nextPartialResult(initialResult, $0) })
    }

    /// The result of ``Publisher/scan(_:_:)``, computed eagerly.
    @inlinable
    public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Optional<T>.Publisher {
        .init(output.map { nextPartialResult(initialResult, $0) })
    }

    /// The result of ``Publisher/map(_:)->Publishers.Map<Self,T>``, computed eagerly.
    @inlinable
    public func map<T>(_ transform: (Output) -> T) -> Optional<T>.Publisher { .init(output.map(transform)) }

    /// The result of ``Publisher/compactMap(_:)``, computed eagerly.
    @inlinable
    public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher { .init(output.flatMap(transform)) }

    /// The result of ``Publisher/replaceError(with:)``, computed eagerly.
    @inlinable
    public func replaceError(with output: Output) -> Optional<Output>.Publisher { self }

    /// The result of ``Publisher/replaceEmpty(with:)``, computed eagerly.
    @inlinable
    public func replaceEmpty(with output: Output) -> Just<Output> { Just(self.output ?? output) }

    /// The result of ``Publisher/retry(_:)``, computed eagerly.
    @inlinable
    public func retry(_ times: Int) -> Optional<Output>.Publisher { self }

    /// The result of ``Publisher/first()``, computed eagerly.
    @inlinable
    public func first() -> Optional<Output>.Publisher { self }

    /// The result of ``Publisher/last()``, computed eagerly.
    @inlinable
    public func last() -> Optional<Output>.Publisher { self }

    /// The result of ``Publisher/ignoreOutput()``, computed eagerly.
    @inlinable
    public func ignoreOutput() -> Empty<Output, Never> { Empty() }
}

extension Optional.Publisher {
    /// The result of ``Publisher/dropFirst(_:)``, computed eagerly.
    @inlinable
    public func dropFirst(_ count: Int = 1) -> Optional<Output>.Publisher {
        precondition(count >= 0, "the number must not be negative")
        return .init(count == 0 ? output : nil)
    }

    /// The result of ``Publisher/drop(while:)``, computed eagerly.
    @inlinable
    public func drop(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(output.flatMap { !predicate($0) ? $0 : nil })
    }

    /// The result of ``Publisher/first(where:)``, computed eagerly.
    @inlinable
    public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(output.flatMap { predicate($0) ? $0 : nil })
    }

    /// The result of ``Publisher/last(where:)``, computed eagerly.
    @inlinable
    public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(output.flatMap { predicate($0) ? $0 : nil })
    }

    /// The result of ``Publisher/filter(_:)``, computed eagerly.
    @inlinable
    public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(output.flatMap { isIncluded($0) ? $0 : nil })
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
        .init(output.flatMap { predicate($0) ? $0 : nil })
    }

    /// The result of ``Publisher/output(at:)``, computed eagerly.
    @inlinable
    public func output(at index: Int) -> Optional<Output>.Publisher {
        precondition(index >= 0, "the number must not be negative")
        return .init(index == 0 ? output : nil)
    }

    /// The result of ``Publisher/output(in:)``, computed eagerly.
    @inlinable
    public func output<R: RangeExpression>(in range: R) -> Optional<Output>.Publisher where R.Bound == Int {
        let range = range.relative(to: 0..<Int.max)
        precondition(range.lowerBound >= 0, "the range must not be negative")
        return .init(range.contains(0) ? output : nil)
    }

    /// The result of ``Publisher/removeDuplicates(by:)``, computed eagerly.
    @inlinable
    public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Optional<Output>.Publisher { self }
}

extension Optional.Publisher where Wrapped: Equatable {
    /// The result of ``Publisher/contains(_:)``, computed eagerly.
    @inlinable
    public func contains(_ output: Output) -> Optional<Bool>.Publisher { .init(self.output.map { $0 == output }) }

    /// The result of ``Publisher/removeDuplicates()``, computed eagerly.
    @inlinable
    public func removeDuplicates() -> Optional<Output>.Publisher { self }
}

extension Optional.Publisher where Wrapped: Comparable {
    /// The result of ``Publisher/min()``, computed eagerly.
    @inlinable
    public func min() -> Optional<Output>.Publisher { self }

    /// The result of ``Publisher/max()``, computed eagerly.
    @inlinable
    public func max() -> Optional<Output>.Publisher { self }
}
