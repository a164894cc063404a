/// A value of a subject, and how many came before it.
@usableFromInline
struct SubjectValue<Output> {
    @usableFromInline var value: Output
    @usableFromInline var version: UInt64

    @inlinable
    init(value: Output, version: UInt64) {
        self.value = value
        self.version = version
    }

    @inlinable
    func isNewer(than other: UInt64?) -> Bool {
        other.map { version > $0 } ?? true
    }
}

/// What a subject keeps for those who have no demand, or are not there yet.
@usableFromInline
protocol SubjectMemory<Output>: ~Copyable {
    associatedtype Output

    /// Whether there is always a value to deliver.
    static var hasValue: Bool { get }

    /// The value that was sent last, though its turn to be delivered may not have come yet.
    var newest: SubjectValue<Output>? { get }
}

/// Keeps nothing.
@usableFromInline
struct NoMemory<Output>: SubjectMemory {
    @inlinable
    init() {}

    @inlinable static var hasValue: Bool { false }
    @inlinable var newest: SubjectValue<Output>? { nil }
}

/// Keeps the newest value, readable and changeable on any thread.
@usableFromInline
struct NewestValue<Output>: ~Copyable, SubjectMemory {
    @usableFromInline
    struct State {
        @usableFromInline var newest: SubjectValue<Output>
        @usableFromInline var isFinished = false

        @inlinable
        init(newest: SubjectValue<Output>) {
            self.newest = newest
        }

        /// - Returns: The value's version.
        @inlinable
        mutating func keep(_ value: Output) -> UInt64 {
            newest = SubjectValue(value: value, version: newest.version + 1)
            return newest.version
        }
    }

    @usableFromInline let state: Locked<State>

    @inlinable
    init(_ value: Output) {
        state = Locked(State(newest: SubjectValue(value: value, version: 0)))
    }

    @inlinable static var hasValue: Bool { true }
    @inlinable var newest: SubjectValue<Output>? { state.withLock { $0.newest } }
}
