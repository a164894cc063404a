import Synchronization

/// A loop for work that can cause itself to run again, so that the stack does not grow with the runs (rule 5).
///
/// A call of ``run(_:)`` runs its closure if no other call is running. Any other call, from inside the closure or from
/// another thread, returns at once, and the running call runs its own closure once more. So runs are serial, a run sees
/// what the call that caused it has written, and every call has to pass a closure that does the same work.
///
/// A run costs two atomic operations.
@usableFromInline
struct Trampoline: ~Copyable {
    /// The number of runs that are due. The call that makes it one runs until it is zero again.
    @usableFromInline let due = Atomic<Int>(0)

    @inlinable
    init() {}

    /// Whether a call is running.
    @inlinable var isRunning: Bool { due.load(ordering: .acquiring) > 0 }

    /// Runs a closure, now or, while another call is running, from there.
    @inlinable
    func run(_ body: () -> Void) {
        guard due.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
        repeat {
            body()
        } while due.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
    }
}
