import Dispatch
import Synchronization

/// Something that one thread waits for and another one brings about.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    /// Says in a way that Thread Sanitizer understands that one side comes after the other.
    private let turn = Atomic<Int>(0)

    func open() {
        turn.add(1, ordering: .releasing)
        semaphore.signal()
    }

    /// - Returns: Whether it was opened before the watchdog lost patience.
    func wait(seconds: Int = 60) -> Bool {
        let isOpen = semaphore.wait(timeout: .now() + .seconds(seconds)) == .success
        _ = turn.load(ordering: .acquiring)
        return isOpen
    }
}
