/// Values that wait for demand, the oldest first, and what becomes of one for which there is no room.
@usableFromInline
struct KeptValues<Value, Failure: Error> {
    /// What has become of a value.
    @usableFromInline
    enum Fate {
        case kept
        case dropped
        /// It is dropped, and the stream is to end with the error that this makes.
        case fatal(@Sendable () -> Failure)
    }

    /// How many there are at most.
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

    /// Keeps a value if there is room, or else does what the strategy says.
    ///
    /// - Parameter isUnlimited: Whether there is always room.
    @usableFromInline
    mutating func append(_ value: Value, isUnlimited: Bool = false) -> Fate {
        if values.count >= limit, !isUnlimited {
            switch whenFull {
            case .dropNewest: return .dropped
            case .dropOldest: if values.popFirst() == nil { return .dropped }
            case .customError(let makeError): return .fatal(makeError)
            }
        }
        values.append(value)
        return .kept
    }

    /// Lets go of the values and of the strategy's closure. What comes after that is dropped.
    @usableFromInline
    mutating func close() {
        values = RingBuffer()
        whenFull = .dropNewest
    }
}
