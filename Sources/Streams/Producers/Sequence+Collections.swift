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
