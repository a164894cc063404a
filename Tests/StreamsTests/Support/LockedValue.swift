import Streams

/// A value that may be read and changed on any thread.
final class LockedValue<Value>: @unchecked Sendable {
    // Safe because the lock guards the value.
    private let state: Locked<Value>

    init(_ value: Value) {
        state = Locked(value)
    }

    var value: Value { state.withLock { $0 } }

    func update(_ change: (inout Value) -> Void) {
        state.withLock { change(&$0) }
    }
}
