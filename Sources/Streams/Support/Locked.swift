import Synchronization

/// A value guarded by a mutex. The value need not be `Sendable`.
@usableFromInline
package struct Locked<State: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Guarded<State>>
    #if DEBUG
    /// Orders one holder of the mutex after another for Thread Sanitizer, which cannot see the mutex itself on Linux.
    @usableFromInline let turn = Atomic<UInt8>(0)
    #endif

    @inlinable
    package init(_ state: consuming State) {
        mutex = Mutex(Guarded(value: state))
    }

    /// Runs a closure with the value.
    ///
    /// The closure must not call a subscriber or a closure of the user, or release an object of the user (rule 3). It
    /// returns what is to be released, and the caller releases it.
    @inlinable
    package borrowing func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        mutex.withLock { state in
            #if DEBUG
            _ = turn.load(ordering: .acquiring)
            defer { turn.store(0, ordering: .releasing) }
            #endif
            return Guarded(value: body(&state.value))
        }.value
    }
}

/// The value inside the mutex, whose interface requires sending where exclusive access is enough.
@usableFromInline
// Safe because the mutex gives one thread at a time access.
package struct Guarded<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline var value: Value

    @inlinable
    init(value: consuming Value) {
        self.value = value
    }
}

extension Guarded: Copyable where Value: Copyable {}
