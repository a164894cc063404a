import Synchronization

/// A counter that may be incremented on any thread.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .acquiring) }

    /// - Returns: The incremented value.
    @discardableResult
    func increment() -> Int {
        count.add(1, ordering: .acquiringAndReleasing).newValue
    }
}
