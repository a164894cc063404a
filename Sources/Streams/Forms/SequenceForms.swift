// The eager operators of `Publishers.Sequence`. The elements are known, so these operators compute their result at
// once, from the whole sequence. For an endless sequence, call `eraseToAnyPublisher()` first.

extension Publishers.Sequence {
    /// The result of ``Publisher/allSatisfy(_:)``, computed eagerly.
    @inlinable
    public func allSatisfy(_ predicate: (Elements.Element) -> Bool) -> Result<Bool, Failure>.Publisher {
        .init(sequence.allSatisfy(predicate))
    }

    /// The result of ``Publisher/tryAllSatisfy(_:)``, computed eagerly.
    @inlinable
    public func tryAllSatisfy(_ predicate: (Elements.Element) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        .init(Result { try sequence.allSatisfy(predicate) })
    }

    /// The result of ``Publisher/contains(where:)``, computed eagerly.
    @inlinable
    public func contains(where predicate: (Elements.Element) -> Bool) -> Result<Bool, Failure>.Publisher {
        .init(sequence.contains(where: predicate))
    }

    /// The result of ``Publisher/tryContains(where:)``, computed eagerly.
    @inlinable
    public func tryContains(where predicate: (Elements.Element) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        .init(Result { try sequence.contains(where: predicate) })
    }

    /// The result of ``Publisher/collect()``, computed eagerly.
    @inlinable
    public func collect() -> Result<[Elements.Element], Failure>.Publisher { .init(Array(sequence)) }

    /// The result of ``Publisher/reduce(_:_:)``, computed eagerly.
    @inlinable
    public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: (T, Elements.Element) -> T
    ) -> Result<T, Failure>.Publisher {
        .init(sequence.reduce(initialResult, nextPartialResult))
    }

    /// The result of ``Publisher/tryReduce(_:_:)``, computed eagerly.
    @inlinable
    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: (T, Elements.Element) throws -> T
    ) -> Result<T, any Error>.Publisher {
        .init(Result { try sequence.reduce(initialResult, nextPartialResult) })
    }

    /// The result of ``Publisher/scan(_:_:)``, computed eagerly.
    @inlinable
    public func scan<T>(
        _ initialResult: T, _ nextPartialResult: (T, Elements.Element) -> T
    ) -> Publishers.Sequence<[T], Failure> {
        var result = initialResult
        return map { element in
            result = nextPartialResult(result, element)
            return result
        }
    }

    /// The result of ``Publisher/map(_:)->Publishers.Map<Self,T>``, computed eagerly.
    @inlinable
    public func map<T>(_ transform: (Elements.Element) -> T) -> Publishers.Sequence<[T], Failure> {
        .init(sequence: sequence.map(transform))
    }

    /// The result of ``Publisher/compactMap(_:)``, computed eagerly.
    @inlinable
    public func compactMap<T>(_ transform: (Elements.Element) -> T?) -> Publishers.Sequence<[T], Failure> {
        .init(sequence: sequence.compactMap(transform))
    }

    /// The result of ``Publisher/replaceNil(with:)``, computed eagerly.
    @inlinable
    public func replaceNil<T>(
        with output: T
    ) -> Publishers.Sequence<[Elements.Element], Failure> where Elements.Element == T? {
        map { $0 ?? output }
    }

    /// The result of ``Publisher/setFailureType(to:)``, computed eagerly.
    @inlinable
    public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.Sequence<Elements, E> {
        .init(sequence: sequence)
    }
}

extension Publishers.Sequence {
    /// The result of ``Publisher/filter(_:)``, computed eagerly.
    @inlinable
    public func filter(_ isIncluded: (Elements.Element) -> Bool) -> Publishers.Sequence<[Elements.Element], Failure> {
        .init(sequence: sequence.filter(isIncluded))
    }

    /// The result of ``Publisher/dropFirst(_:)``, computed eagerly.
    @inlinable
    public func dropFirst(_ count: Int = 1) -> Publishers.Sequence<DropFirstSequence<Elements>, Failure> {
        .init(sequence: sequence.dropFirst(count))
    }

    /// The result of ``Publisher/drop(while:)``, computed eagerly.
    @inlinable
    public func drop(
        while predicate: (Elements.Element) -> Bool
    ) -> Publishers.Sequence<DropWhileSequence<Elements>, Failure> {
        .init(sequence: sequence.drop(while: predicate))
    }

    /// The result of ``Publisher/prefix(_:)``, computed eagerly.
    @inlinable
    public func prefix(_ maxLength: Int) -> Publishers.Sequence<PrefixSequence<Elements>, Failure> {
        .init(sequence: sequence.prefix(maxLength))
    }

    /// The result of ``Publisher/prefix(while:)``, computed eagerly.
    @inlinable
    public func prefix(
        while predicate: (Elements.Element) -> Bool
    ) -> Publishers.Sequence<[Elements.Element], Failure> {
        .init(sequence: sequence.prefix(while: predicate))
    }

    /// The result of ``Publisher/ignoreOutput()``, computed eagerly.
    @inlinable
    public func ignoreOutput() -> Empty<Elements.Element, Failure> { Empty() }
}

extension Publishers.Sequence where Failure == Never {
    /// The result of ``Publisher/min(by:)``, computed eagerly.
    @inlinable
    public func min(
        by areInIncreasingOrder: (Elements.Element, Elements.Element) -> Bool
    ) -> Optional<Elements.Element>.Publisher {
        .init(sequence.min(by: areInIncreasingOrder))
    }

    /// The result of ``Publisher/max(by:)``, computed eagerly.
    @inlinable
    public func max(
        by areInIncreasingOrder: (Elements.Element, Elements.Element) -> Bool
    ) -> Optional<Elements.Element>.Publisher {
        .init(sequence.max(by: areInIncreasingOrder))
    }

    /// The result of ``Publisher/first(where:)``, computed eagerly.
    @inlinable
    public func first(where predicate: (Elements.Element) -> Bool) -> Optional<Elements.Element>.Publisher {
        .init(sequence.first(where: predicate))
    }
}

extension Publishers.Sequence where Elements.Element: Equatable {
    /// The result of ``Publisher/contains(_:)``, computed eagerly.
    @inlinable
    public func contains(_ output: Elements.Element) -> Result<Bool, Failure>.Publisher {
        .init(sequence.contains(output))
    }

    /// The result of ``Publisher/removeDuplicates()``, computed eagerly.
    @inlinable
    public func removeDuplicates() -> Publishers.Sequence<[Elements.Element], Failure> {
        var distinct: [Elements.Element] = []
        for element in sequence where distinct.last != element { distinct.append(element) }
        return .init(sequence: distinct)
    }
}

extension Publishers.Sequence where Elements.Element: Comparable, Failure == Never {
    /// The result of ``Publisher/min()``, computed eagerly.
    @inlinable
    public func min() -> Optional<Elements.Element>.Publisher { .init(sequence.min()) }

    /// The result of ``Publisher/max()``, computed eagerly.
    @inlinable
    public func max() -> Optional<Elements.Element>.Publisher { .init(sequence.max()) }
}

// These operators compute their result at once, too. They use what a collection knows about itself.

extension Publishers.Sequence where Elements: Collection {
    /// The result of ``Publisher/count()``, computed eagerly.
    @inlinable
    public func count() -> Result<Int, Failure>.Publisher { .init(sequence.count) }

    /// The elements in a range of the collection's indices, computed eagerly.
    ///
    /// ``Publisher/output(in:)`` counts values instead. A range that exceeds the collection stops the program.
    @inlinable
    public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Elements.Element], Failure> {
        .init(sequence: Array(sequence[range]))
    }
}

extension Publishers.Sequence where Elements: Collection, Failure == Never {
    /// The result of ``Publisher/first()``, computed eagerly.
    @inlinable
    public func first() -> Optional<Elements.Element>.Publisher { .init(sequence.first) }

    /// The element at an index of the collection, computed eagerly. Nothing if there is no such index.
    ///
    /// ``Publisher/output(at:)`` counts values instead, from zero.
    @inlinable
    public func output(at index: Elements.Index) -> Optional<Elements.Element>.Publisher {
        .init(sequence.indices.contains(index) ? sequence[index] : nil)
    }
}

extension Publishers.Sequence where Elements: BidirectionalCollection, Failure == Never {
    /// The result of ``Publisher/last()``, computed eagerly.
    @inlinable
    public func last() -> Optional<Elements.Element>.Publisher { .init(sequence.last) }

    /// The result of ``Publisher/last(where:)``, computed eagerly.
    @inlinable
    public func last(where predicate: (Elements.Element) -> Bool) -> Optional<Elements.Element>.Publisher {
        .init(sequence.last(where: predicate))
    }
}

extension Publishers.Sequence where Elements: RandomAccessCollection {
    /// The result of ``Publisher/count()``, computed eagerly.
    @inlinable
    public func count() -> Result<Int, Failure>.Publisher { .init(sequence.count) }

    /// The elements in a range of the collection's indices, computed eagerly.
    ///
    /// ``Publisher/output(in:)`` counts values instead. A range that exceeds the collection stops the program.
    @inlinable
    public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Elements.Element], Failure> {
        .init(sequence: Array(sequence[range]))
    }
}

extension Publishers.Sequence where Elements: RandomAccessCollection, Failure == Never {
    /// The result of ``Publisher/count()``, computed eagerly.
    @inlinable
    public func count() -> Just<Int> { Just(sequence.count) }

    /// The element at an index of the collection, computed eagerly. Nothing if there is no such index.
    ///
    /// ``Publisher/output(at:)`` counts values instead, from zero.
    @inlinable
    public func output(at index: Elements.Index) -> Optional<Elements.Element>.Publisher {
        .init(sequence.indices.contains(index) ? sequence[index] : nil)
    }
}

extension Publishers.Sequence where Elements: RangeReplaceableCollection {
    /// The result of `prepend(_:)` of elements, computed eagerly.
    @inlinable
    public func prepend(_ elements: Elements.Element...) -> Publishers.Sequence<Elements, Failure> { prepend(elements) }

    /// The result of `prepend(_:)` of a sequence, computed eagerly.
    @inlinable
    public func prepend<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Sequence<Elements, Failure> where S.Element == Elements.Element {
        var result = Elements()
        result.reserveCapacity(elements.underestimatedCount + sequence.count)
        result.append(contentsOf: elements)
        result.append(contentsOf: sequence)
        return .init(sequence: result)
    }

    /// The result of `prepend(_:)` of a publisher, computed eagerly.
    @inlinable
    public func prepend(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
        .init(sequence: publisher.sequence + sequence)
    }

    /// The result of `append(_:)` of elements, computed eagerly.
    @inlinable
    public func append(_ elements: Elements.Element...) -> Publishers.Sequence<Elements, Failure> { append(elements) }

    /// The result of `append(_:)` of a sequence, computed eagerly.
    @inlinable
    public func append<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Sequence<Elements, Failure> where S.Element == Elements.Element {
        .init(sequence: sequence + elements)
    }

    /// The result of `append(_:)` of a publisher, computed eagerly.
    @inlinable
    public func append(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
        .init(sequence: sequence + publisher.sequence)
    }
}
