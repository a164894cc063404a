import Dispatch
import Synchronization

/// Counts the calls of a closure, and stops the program if one comes on the main queue.
nonisolated final class Tally: Sendable {
    private let calls = Atomic(0)

    var count: Int { calls.load(ordering: .acquiring) }

    /// Called from inside the closure under test with what that returns.
    @discardableResult
    func mark<Value>(_ value: Value) -> Value {
        dispatchPrecondition(condition: .notOnQueue(.main))
        calls.add(1, ordering: .acquiringAndReleasing)
        return value
    }

    /// Called from inside a closure that may run on the main queue.
    func markAnywhere() {
        calls.add(1, ordering: .acquiringAndReleasing)
    }
}
