extension Result {
    /// Delivers the success and completes, or fails with the failure at once.
    public struct Publisher: Streams.Publisher {
        public typealias Output = Success

        /// What is delivered.
        public let result: Result<Success, Failure>

        /// A publisher that delivers the success, or fails with the failure.
        @inlinable
        public init(_ result: Result<Success, Failure>) {
            self.result = result
        }

        /// A publisher that delivers a value.
        @inlinable
        public init(_ output: Success) {
            self.init(.success(output))
        }

        /// A publisher that fails.
        @inlinable
        public init(_ failure: Failure) {
            self.init(.failure(failure))
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Success, S.Failure == Failure {
            switch result {
            case .success(let output):
                ScalarSubscription("Once", value: output, downstream: subscriber).handOver(to: subscriber)
            case .failure(let error):
                subscriber.receive(subscription: Subscriptions.empty)
                subscriber.receive(completion: .failure(error))
            }
        }
    }

    /// A publisher that delivers the success and completes, or fails with the failure.
    @inlinable public var publisher: Publisher { Publisher(self) }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}
extension Result.Publisher: Sendable where Success: Sendable {}

// The result is known, and so is what operators make of it: they are done where they are written, with the same result.

extension Result.Publisher {
    /// What ``Publisher/allSatisfy(_:)`` delivers, found out at once.
    @inlinable
    public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
        .init(result.map(predicate))
    }

    /// What ``Publisher/tryAllSatisfy(_:)`` delivers, found out at once.
    @inlinable
    public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        tryMap(predicate)
    }

    /// What ``Publisher/contains(where:)`` delivers, found out at once.
    @inlinable
    public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
        .init(result.map(predicate))
    }

    /// What ``Publisher/tryContains(where:)`` delivers, found out at once.
    @inlinable
    public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        tryMap(predicate)
    }

    /// What ``Publisher/collect()`` delivers, found out at once.
    @inlinable
    public func collect() -> Result<[Output], Failure>.Publisher {
        .init(result.map { [$0] })
    }

    /// What ``Publisher/count()`` delivers, found out at once.
    @inlinable
    public func count() -> Result<Int, Failure>.Publisher {
        .init(result.map { _ in 1 })
    }

    /// What ``Publisher/min(by:)`` delivers, found out at once.
    @inlinable
    public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher {
        self
    }

    /// The value alone. Unlike ``Publisher/tryMin(by:)`` this calls the closure, as in Combine.
    @inlinable
    public func tryMin(
        by areInIncreasingOrder: (Output, Output) throws -> Bool
    ) -> Result<Output, any Error>.Publisher {
        tryMap { output in
            _ = try areInIncreasingOrder(output, output)
            return output
        }
    }

    /// What ``Publisher/max(by:)`` delivers, found out at once.
    @inlinable
    public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher {
        self
    }

    /// The value alone. Unlike ``Publisher/tryMax(by:)`` this calls the closure, as in Combine.
    @inlinable
    public func tryMax(
        by areInIncreasingOrder: (Output, Output) throws -> Bool
    ) -> Result<Output, any Error>.Publisher {
        tryMap { output in
            _ = try areInIncreasingOrder(output, output)
            return output
        }
    }

    /// What ``Publisher/reduce(_:_:)`` delivers, found out at once.
    @inlinable
    public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Failure>.Publisher {
        .init(result.map { nextPartialResult(initialResult, $0) })
    }

    /// What ``Publisher/tryReduce(_:_:)`` delivers, found out at once.
    @inlinable
    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        tryMap { try nextPartialResult(initialResult, $0) }
    }

    /// What ``Publisher/scan(_:_:)`` delivers, found out at once.
    @inlinable
    public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Failure>.Publisher {
        .init(result.map { nextPartialResult(initialResult, $0) })
    }

    /// What ``Publisher/tryScan(_:_:)`` delivers, found out at once.
    @inlinable
    public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        tryMap { try nextPartialResult(initialResult, $0) }
    }
}

extension Result.Publisher {
    /// What ``Publisher/map(_:)->Publishers.Map<Self,T>`` delivers, found out at once.
    @inlinable
    public func map<T>(_ transform: (Output) -> T) -> Result<T, Failure>.Publisher {
        .init(result.map(transform))
    }

    /// What ``Publisher/tryMap(_:)`` delivers, found out at once.
    @inlinable
    public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
        .init(Result<T, any Error> { try transform(result.get()) })
    }

    /// What ``Publisher/mapError(_:)`` delivers, found out at once.
    @inlinable
    public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Output, E>.Publisher {
        .init(result.mapError(transform))
    }

    /// What ``Publisher/replaceError(with:)`` delivers, found out at once.
    @inlinable
    public func replaceError(with output: Output) -> Result<Output, Never>.Publisher {
        .init(result.flatMapError { _ in .success(output) })
    }

    /// What ``Publisher/replaceEmpty(with:)`` delivers, found out at once.
    @inlinable
    public func replaceEmpty(with output: Output) -> Result<Output, Failure>.Publisher {
        self
    }

    /// What ``Publisher/retry(_:)`` delivers, found out at once.
    @inlinable
    public func retry(_ times: Int) -> Result<Output, Failure>.Publisher {
        self
    }

    /// What ``Publisher/first()`` delivers, found out at once.
    @inlinable
    public func first() -> Result<Output, Failure>.Publisher {
        self
    }

    /// What ``Publisher/last()`` delivers, found out at once.
    @inlinable
    public func last() -> Result<Output, Failure>.Publisher {
        self
    }

    /// The end of a stream without values, and as in Combine that even in place of a failure.
    @inlinable
    public func ignoreOutput() -> Empty<Output, Failure> {
        Empty()
    }

    /// What ``Publisher/removeDuplicates(by:)`` delivers, found out at once.
    @inlinable
    public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher {
        self
    }

    /// The value alone. Unlike ``Publisher/tryRemoveDuplicates(by:)`` this calls the closure, as in Combine.
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
    /// What ``Publisher/setFailureType(to:)`` delivers, found out at once.
    @inlinable
    public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
        .init(result.get())
    }
}

extension Result.Publisher where Success: Equatable {
    /// What ``Publisher/contains(_:)`` delivers, found out at once.
    @inlinable
    public func contains(_ output: Output) -> Result<Bool, Failure>.Publisher {
        .init(result.map { $0 == output })
    }

    /// What ``Publisher/removeDuplicates()`` delivers, found out at once.
    @inlinable
    public func removeDuplicates() -> Result<Output, Failure>.Publisher {
        self
    }
}

extension Result.Publisher where Success: Comparable {
    /// What ``Publisher/min()`` delivers, found out at once.
    @inlinable
    public func min() -> Result<Output, Failure>.Publisher {
        self
    }

    /// What ``Publisher/max()`` delivers, found out at once.
    @inlinable
    public func max() -> Result<Output, Failure>.Publisher {
        self
    }
}
