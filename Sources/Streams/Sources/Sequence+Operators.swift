// The elements are known, and so is what operators make of them: these are done where they are written, on the whole
// sequence. One without an end belongs behind `eraseToAnyPublisher()`.

extension Publishers.Sequence {
    /// What ``Publisher/allSatisfy(_:)`` delivers, found out at once.
    @inlinable
    public func allSatisfy(_ predicate: (Elements.Element) -> Bool) -> Result<Bool, Failure>.Publisher {
        .init(sequence.allSatisfy(predicate))
    }

    /// What ``Publisher/tryAllSatisfy(_:)`` delivers, found out at once.
    @inlinable
    public func tryAllSatisfy(_ predicate: (Elements.Element) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        .init(Result { try sequence.allSatisfy(predicate) })
    }

    /// What ``Publisher/contains(where:)`` delivers, found out at once.
    @inlinable
    public func contains(where predicate: (Elements.Element) -> Bool) -> Result<Bool, Failure>.Publisher {
        .init(sequence.contains(where: predicate))
    }

    /// What ``Publisher/tryContains(where:)`` delivers, found out at once.
    @inlinable
    public func tryContains(where predicate: (Elements.Element) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        .init(Result { try sequence.contains(where: predicate) })
    }

    /// What ``Publisher/collect()`` delivers, found out at once.
    @inlinable
    public func collect() -> Result<[Elements.Element], Failure>.Publisher {
        .init(Array(sequence))
    }

    /// What ``Publisher/reduce(_:_:)`` delivers, found out at once.
    @inlinable
    public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: (T, Elements.Element) -> T
    ) -> Result<T, Failure>.Publisher {
        .init(sequence.reduce(initialResult, nextPartialResult))
    }

    /// What ``Publisher/tryReduce(_:_:)`` delivers, found out at once.
    @inlinable
    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: (T, Elements.Element) throws -> T
    ) -> Result<T, any Error>.Publisher {
        .init(Result { try sequence.reduce(initialResult, nextPartialResult) })
    }

    /// What ``Publisher/scan(_:_:)`` delivers, found out at once.
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

    /// What ``Publisher/map(_:)->Publishers.Map<Self,T>`` delivers, found out at once.
    @inlinable
    public func map<T>(_ transform: (Elements.Element) -> T) -> Publishers.Sequence<[T], Failure> {
        .init(sequence: sequence.map(transform))
    }

    /// What ``Publisher/compactMap(_:)`` delivers, found out at once.
    @inlinable
    public func compactMap<T>(_ transform: (Elements.Element) -> T?) -> Publishers.Sequence<[T], Failure> {
        .init(sequence: sequence.compactMap(transform))
    }

    /// What ``Publisher/replaceNil(with:)`` delivers, found out at once.
    @inlinable
    public func replaceNil<T>(
        with output: T
    ) -> Publishers.Sequence<[Elements.Element], Failure> where Elements.Element == T? {
        map { $0 ?? output }
    }

    /// What ``Publisher/setFailureType(to:)`` delivers, found out at once.
    @inlinable
    public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.Sequence<Elements, E> {
        .init(sequence: sequence)
    }
}

extension Publishers.Sequence {
    /// What ``Publisher/filter(_:)`` delivers, found out at once.
    @inlinable
    public func filter(_ isIncluded: (Elements.Element) -> Bool) -> Publishers.Sequence<[Elements.Element], Failure> {
        .init(sequence: sequence.filter(isIncluded))
    }

    /// What ``Publisher/dropFirst(_:)`` delivers, found out at once.
    @inlinable
    public func dropFirst(_ count: Int = 1) -> Publishers.Sequence<DropFirstSequence<Elements>, Failure> {
        .init(sequence: sequence.dropFirst(count))
    }

    /// What ``Publisher/drop(while:)`` delivers, found out at once.
    @inlinable
    public func drop(
        while predicate: (Elements.Element) -> Bool
    ) -> Publishers.Sequence<DropWhileSequence<Elements>, Failure> {
        .init(sequence: sequence.drop(while: predicate))
    }

    /// What ``Publisher/prefix(_:)`` delivers, found out at once.
    @inlinable
    public func prefix(_ maxLength: Int) -> Publishers.Sequence<PrefixSequence<Elements>, Failure> {
        .init(sequence: sequence.prefix(maxLength))
    }

    /// What ``Publisher/prefix(while:)`` delivers, found out at once.
    @inlinable
    public func prefix(
        while predicate: (Elements.Element) -> Bool
    ) -> Publishers.Sequence<[Elements.Element], Failure> {
        .init(sequence: sequence.prefix(while: predicate))
    }

    /// What ``Publisher/ignoreOutput()`` delivers, found out at once.
    @inlinable
    public func ignoreOutput() -> Empty<Elements.Element, Failure> {
        Empty()
    }
}

extension Publishers.Sequence where Failure == Never {
    /// What ``Publisher/min(by:)`` delivers, found out at once.
    @inlinable
    public func min(
        by areInIncreasingOrder: (Elements.Element, Elements.Element) -> Bool
    ) -> Optional<Elements.Element>.Publisher {
        .init(sequence.min(by: areInIncreasingOrder))
    }

    /// What ``Publisher/max(by:)`` delivers, found out at once.
    @inlinable
    public func max(
        by areInIncreasingOrder: (Elements.Element, Elements.Element) -> Bool
    ) -> Optional<Elements.Element>.Publisher {
        .init(sequence.max(by: areInIncreasingOrder))
    }

    /// What ``Publisher/first(where:)`` delivers, found out at once.
    @inlinable
    public func first(where predicate: (Elements.Element) -> Bool) -> Optional<Elements.Element>.Publisher {
        .init(sequence.first(where: predicate))
    }
}

extension Publishers.Sequence where Elements.Element: Equatable {
    /// What ``Publisher/contains(_:)`` delivers, found out at once.
    @inlinable
    public func contains(_ output: Elements.Element) -> Result<Bool, Failure>.Publisher {
        .init(sequence.contains(output))
    }

    /// What ``Publisher/removeDuplicates()`` delivers, found out at once.
    @inlinable
    public func removeDuplicates() -> Publishers.Sequence<[Elements.Element], Failure> {
        var distinct: [Elements.Element] = []
        for element in sequence where distinct.last != element { distinct.append(element) }
        return .init(sequence: distinct)
    }
}

extension Publishers.Sequence where Elements.Element: Comparable, Failure == Never {
    /// What ``Publisher/min()`` delivers, found out at once.
    @inlinable
    public func min() -> Optional<Elements.Element>.Publisher {
        .init(sequence.min())
    }

    /// What ``Publisher/max()`` delivers, found out at once.
    @inlinable
    public func max() -> Optional<Elements.Element>.Publisher {
        .init(sequence.max())
    }
}

// As the operators that every sequence has, these are done where they are written. They take what a collection knows of
// itself.

extension Publishers.Sequence where Elements: Collection {
    /// What ``Publisher/count()`` delivers, found out at once.
    @inlinable
    public func count() -> Result<Int, Failure>.Publisher {
        .init(sequence.count)
    }

    /// The elements at the collection's own indices of a range, found out at once.
    ///
    /// Unlike ``Publisher/output(in:)``, which counts values, this stops the program where the range goes beyond the
    /// collection.
    @inlinable
    public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Elements.Element], Failure> {
        .init(sequence: Array(sequence[range]))
    }
}

extension Publishers.Sequence where Elements: Collection, Failure == Never {
    /// What ``Publisher/first()`` delivers, found out at once.
    @inlinable
    public func first() -> Optional<Elements.Element>.Publisher {
        .init(sequence.first)
    }

    /// The element at one of the collection's own indices, found out at once, and nothing if there is no such index.
    ///
    /// ``Publisher/output(at:)`` counts values instead, from zero.
    @inlinable
    public func output(at index: Elements.Index) -> Optional<Elements.Element>.Publisher {
        .init(sequence.indices.contains(index) ? sequence[index] : nil)
    }
}

extension Publishers.Sequence where Elements: BidirectionalCollection, Failure == Never {
    /// What ``Publisher/last()`` delivers, found out at once.
    @inlinable
    public func last() -> Optional<Elements.Element>.Publisher {
        .init(sequence.last)
    }

    /// What ``Publisher/last(where:)`` delivers, found out at once.
    @inlinable
    public func last(where predicate: (Elements.Element) -> Bool) -> Optional<Elements.Element>.Publisher {
        .init(sequence.last(where: predicate))
    }
}

extension Publishers.Sequence where Elements: RandomAccessCollection {
    /// What ``Publisher/count()`` delivers, found out at once.
    @inlinable
    public func count() -> Result<Int, Failure>.Publisher {
        .init(sequence.count)
    }

    /// The elements at the collection's own indices of a range, found out at once.
    ///
    /// Unlike ``Publisher/output(in:)``, which counts values, this stops the program where the range goes beyond the
    /// collection.
    @inlinable
    public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Elements.Element], Failure> {
        .init(sequence: Array(sequence[range]))
    }
}

extension Publishers.Sequence where Elements: RandomAccessCollection, Failure == Never {
    /// What ``Publisher/count()`` delivers, found out at once.
    @inlinable
    public func count() -> Just<Int> {
        Just(sequence.count)
    }

    /// The element at one of the collection's own indices, found out at once, and nothing if there is no such index.
    ///
    /// ``Publisher/output(at:)`` counts values instead, from zero.
    @inlinable
    public func output(at index: Elements.Index) -> Optional<Elements.Element>.Publisher {
        .init(sequence.indices.contains(index) ? sequence[index] : nil)
    }
}

extension Publishers.Sequence where Elements: RangeReplaceableCollection {
    /// What ``Publisher/prepend(_:)->Publishers.Concatenate<Publishers.Sequence<[Self.Output],Self.Failure>,Self>``
    /// delivers, found out at once.
    @inlinable
    public func prepend(_ elements: Elements.Element...) -> Publishers.Sequence<Elements, Failure> {
        prepend(elements)
    }

    /// What ``Publisher/prepend(_:)->Publishers.Concatenate<Publishers.Sequence<S,Self.Failure>,Self>`` delivers, found
    /// out at once.
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

    /// What ``Publisher/prepend(_:)->Publishers.Concatenate<P,Self>`` delivers, found out at once.
    @inlinable
    public func prepend(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
        .init(sequence: publisher.sequence + sequence)
    }

    /// What ``Publisher/append(_:)->Publishers.Concatenate<Self,Publishers.Sequence<[Self.Output],Self.Failure>>``
    /// delivers, found out at once.
    @inlinable
    public func append(_ elements: Elements.Element...) -> Publishers.Sequence<Elements, Failure> {
        append(elements)
    }

    /// What ``Publisher/append(_:)->Publishers.Concatenate<Self,Publishers.Sequence<S,Self.Failure>>`` delivers, found
    /// out at once.
    @inlinable
    public func append<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Sequence<Elements, Failure> where S.Element == Elements.Element {
        .init(sequence: sequence + elements)
    }

    /// What ``Publisher/append(_:)->Publishers.Concatenate<Self,P>`` delivers, found out at once.
    @inlinable
    public func append(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
        .init(sequence: sequence + publisher.sequence)
    }
}
