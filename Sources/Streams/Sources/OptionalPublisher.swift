extension Optional {
    /// Delivers the value if there is one, and completes.
    public struct Publisher: Streams.Publisher {
        public typealias Output = Wrapped
        public typealias Failure = Never

        /// What is delivered, if anything.
        public let output: Wrapped?

        /// A publisher that delivers `output`, or completes at once where that is nil.
        @inlinable
        public init(_ output: Wrapped?) {
            self.output = output
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Wrapped, S.Failure == Never {
            guard let output else {
                subscriber.receive(subscription: Subscriptions.empty)
                subscriber.receive(completion: .finished)
                return
            }
            ScalarSubscription("Optional", value: output, downstream: subscriber).handOver(to: subscriber)
        }
    }

    /// A publisher that delivers the value if there is one, and completes.
    @inlinable public var publisher: Publisher { Publisher(self) }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}
extension Optional.Publisher: Sendable where Wrapped: Sendable {}

// What there is to deliver is known, and so is what operators make of it: they are done where they are written. Where
// nothing is delivered, Combine leaves out the results of none (zero as the count, for example), and so do these.

extension Optional.Publisher {
    /// What ``Publisher/allSatisfy(_:)`` delivers, found out at once.
    @inlinable
    public func allSatisfy(_ predicate: (Output) -> Bool) -> Optional<Bool>.Publisher {
        .init(output.map(predicate))
    }

    /// What ``Publisher/contains(where:)`` delivers, found out at once.
    @inlinable
    public func contains(where predicate: (Output) -> Bool) -> Optional<Bool>.Publisher {
        .init(output.map(predicate))
    }

    /// What ``Publisher/collect()`` delivers, found out at once.
    @inlinable
    public func collect() -> Optional<[Output]>.Publisher {
        .init(output.map { [$0] } ?? [])
    }

    /// What ``Publisher/count()`` delivers, found out at once.
    @inlinable
    public func count() -> Optional<Int>.Publisher {
        .init(output.map { _ in 1 })
    }

    /// What ``Publisher/min(by:)`` delivers, found out at once.
    @inlinable
    public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Output>.Publisher {
        self
    }

    /// What ``Publisher/max(by:)`` delivers, found out at once.
    @inlinable
    public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Output>.Publisher {
        self
    }

    /// What ``Publisher/reduce(_:_:)`` delivers, found out at once.
    @inlinable
    public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Optional<T>.Publisher {
        .init(output.map { nextPartialResult(initialResult, $0) })
    }

    /// What ``Publisher/scan(_:_:)`` delivers, found out at once.
    @inlinable
    public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Optional<T>.Publisher {
        .init(output.map { nextPartialResult(initialResult, $0) })
    }

    /// What ``Publisher/map(_:)->Publishers.Map<Self,T>`` delivers, found out at once.
    @inlinable
    public func map<T>(_ transform: (Output) -> T) -> Optional<T>.Publisher {
        .init(output.map(transform))
    }

    /// What ``Publisher/compactMap(_:)`` delivers, found out at once.
    @inlinable
    public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
        .init(output.flatMap(transform))
    }

    /// What ``Publisher/replaceError(with:)`` delivers, found out at once.
    @inlinable
    public func replaceError(with output: Output) -> Optional<Output>.Publisher {
        self
    }

    /// What ``Publisher/replaceEmpty(with:)`` delivers, found out at once.
    @inlinable
    public func replaceEmpty(with output: Output) -> Just<Output> {
        Just(self.output ?? output)
    }

    /// What ``Publisher/retry(_:)`` delivers, found out at once.
    @inlinable
    public func retry(_ times: Int) -> Optional<Output>.Publisher {
        self
    }

    /// What ``Publisher/first()`` delivers, found out at once.
    @inlinable
    public func first() -> Optional<Output>.Publisher {
        self
    }

    /// What ``Publisher/last()`` delivers, found out at once.
    @inlinable
    public func last() -> Optional<Output>.Publisher {
        self
    }

    /// What ``Publisher/ignoreOutput()`` delivers, found out at once.
    @inlinable
    public func ignoreOutput() -> Empty<Output, Never> {
        Empty()
    }
}

extension Optional.Publisher {
    /// What ``Publisher/dropFirst(_:)`` delivers, found out at once.
    @inlinable
    public func dropFirst(_ count: Int = 1) -> Optional<Output>.Publisher {
        precondition(count >= 0, "a stream has no values before its first")
        return .init(count == 0 ? output : nil)
    }

    /// What ``Publisher/drop(while:)`` delivers, found out at once.
    @inlinable
    public func drop(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(output.flatMap { !predicate($0) ? $0 : nil })
    }

    /// What ``Publisher/first(where:)`` delivers, found out at once.
    @inlinable
    public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(output.flatMap { predicate($0) ? $0 : nil })
    }

    /// What ``Publisher/last(where:)`` delivers, found out at once.
    @inlinable
    public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(output.flatMap { predicate($0) ? $0 : nil })
    }

    /// What ``Publisher/filter(_:)`` delivers, found out at once.
    @inlinable
    public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(output.flatMap { isIncluded($0) ? $0 : nil })
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
        .init(output.flatMap { predicate($0) ? $0 : nil })
    }

    /// What ``Publisher/output(at:)`` delivers, found out at once.
    @inlinable
    public func output(at index: Int) -> Optional<Output>.Publisher {
        precondition(index >= 0, "a stream has no values before its first")
        return .init(index == 0 ? output : nil)
    }

    /// What ``Publisher/output(in:)`` delivers, found out at once.
    ///
    /// - Parameter range: The places. As in Combine it must end, before `Int.max - 1`: what is open, such as `0...`,
    ///   stops the program.
    @inlinable
    public func output<R: RangeExpression>(in range: R) -> Optional<Output>.Publisher where R.Bound == Int {
        let range = range.relative(to: 0..<Int.max)
        precondition(range.lowerBound >= 0, "a stream has no values before its first")
        precondition(range.upperBound < Int.max - 1, "the range for an optional's value has to end, as in Combine")
        return .init(range.contains(0) ? output : nil)
    }

    /// What ``Publisher/removeDuplicates(by:)`` delivers, found out at once.
    @inlinable
    public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Optional<Output>.Publisher {
        self
    }
}

extension Optional.Publisher where Wrapped: Equatable {
    /// What ``Publisher/contains(_:)`` delivers, found out at once.
    @inlinable
    public func contains(_ output: Output) -> Optional<Bool>.Publisher {
        .init(self.output.map { $0 == output })
    }

    /// What ``Publisher/removeDuplicates()`` delivers, found out at once.
    @inlinable
    public func removeDuplicates() -> Optional<Output>.Publisher {
        self
    }
}

extension Optional.Publisher where Wrapped: Comparable {
    /// What ``Publisher/min()`` delivers, found out at once.
    @inlinable
    public func min() -> Optional<Output>.Publisher {
        self
    }

    /// What ``Publisher/max()`` delivers, found out at once.
    @inlinable
    public func max() -> Optional<Output>.Publisher {
        self
    }
}
