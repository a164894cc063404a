extension Publishers {
    /// The strategy of a buffer for a value for which it has no room.
    @preconcurrency
    public enum BufferingStrategy<Failure: Error>: Sendable {
        /// Drops the value.
        case dropNewest

        /// Drops the oldest buffered value and buffers the new one.
        case dropOldest

        /// Cancels the upstream, and fails with the closure's error after the next request and the values delivered for it.
        case customError(@Sendable () -> Failure)
    }
}

/// A queue of values that wait for demand, with a limit and a strategy for overflow.
@usableFromInline
struct BoundedBuffer<Value, Failure: Error> {
    /// The result of appending a value.
    @usableFromInline
    enum Overflow {
        case buffered
        case dropped
        /// The value was dropped, and the stream is to fail with the error that the closure makes.
        case failed(@Sendable () -> Failure)
    }

    @usableFromInline let limit: Int
    @usableFromInline var whenFull: Publishers.BufferingStrategy<Failure>
    @usableFromInline var values = RingBuffer<Value>()

    @inlinable
    init(limit: Int, whenFull: Publishers.BufferingStrategy<Failure>) {
        self.limit = limit
        self.whenFull = whenFull
    }

    @inlinable var isEmpty: Bool { values.isEmpty }

    @inlinable
    mutating func popFirst() -> Value? {
        values.popFirst()
    }

    /// Appends a value if there is room, and applies the strategy otherwise.
    ///
    /// - Parameter isUnlimited: Whether there is room beyond the limit.
    @inlinable
    mutating func append(_ value: Value, isUnlimited: Bool = false) -> Overflow {
        if values.count >= limit, !isUnlimited {
            switch whenFull {
            case .dropNewest: return .dropped
            case .dropOldest: if values.popFirst() == nil { return .dropped }
            case .customError(let makeError): return .failed(makeError)
            }
        }
        values.append(value)
        return .buffered
    }

    /// Releases the values and the strategy's closure. Values that follow are dropped.
    @inlinable
    mutating func close() {
        values = RingBuffer()
        whenFull = .dropNewest
    }
}
