import Dispatch
import Synchronization

/// A one-shot event that one thread waits for and another thread signals.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    /// Establishes the happens-before relation for Thread Sanitizer, which does not know the semaphore.
    private let ordering = Atomic<Int>(0)

    func open() {
        ordering.add(1, ordering: .releasing)
        semaphore.signal()
    }

    /// - Returns: Whether the gate was opened within the timeout.
    func wait(seconds: Int = 60) -> Bool {
        let isOpen = semaphore.wait(timeout: .now() + .seconds(seconds)) == .success
        _ = ordering.load(ordering: .acquiring)
        return isOpen
    }
}
