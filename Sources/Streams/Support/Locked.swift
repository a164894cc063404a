import Synchronization

/// A value behind a mutex, also one that may not leave its thread otherwise.
@usableFromInline
package struct Locked<State: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Guarded<State>>
    /// Says once more, in a way that Thread Sanitizer understands, that one holder comes after another: on Linux the
    /// mutex itself is out of its sight. On most machines it costs two plain moves.
    @usableFromInline let turn = Atomic<UInt8>(0)

    @inlinable
    package init(_ state: consuming State) {
        mutex = Mutex(Guarded(value: state))
    }

    /// Runs a closure with the value. It must be short and call nothing but code of ours: no subscriber, no closure
    /// of a user's, no release of a user's object. What it takes out of the value is released by the caller (rule 3).
    @inlinable
    package borrowing func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        mutex.withLock { state in
            _ = turn.load(ordering: .acquiring)
            defer { turn.store(0, ordering: .releasing) }
            return Guarded(value: body(&state.value))
        }.value
    }
}

/// What a mutex guards, on its way through the mutex's interface, which asks for more than a guard needs.
@usableFromInline
// Safe because the mutex lets one thread at a time at it.
package struct Guarded<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline var value: Value

    @inlinable
    init(value: consuming Value) {
        self.value = value
    }
}

extension Guarded: Copyable where Value: Copyable {}
