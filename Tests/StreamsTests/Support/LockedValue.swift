import Streams

/// A value that subscribers of a test change, on any thread.
final class LockedValue<Value>: @unchecked Sendable {
    // Safe because the value is behind the lock.
    private let state: Locked<Value>

    init(_ value: Value) {
        state = Locked(value)
    }

    var value: Value { state.withLock { $0 } }

    func update(_ change: (inout Value) -> Void) {
        state.withLock { change(&$0) }
    }
}
