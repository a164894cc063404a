/// Who works with an engine's loop: its thread, or a caller while nothing is under way and the thread sleeps.
///
/// There is no lock to wait for: a caller who does not find the loop free leaves what there is to do to the thread.
struct CurlTenancy {
    private enum Tenant {
        case thread
        /// The thread, which waits for sockets.
        case watchingThread
        /// The thread sleeps, and nothing is under way.
        case nobody
        case caller
        /// A caller, after whom the thread wants it.
        case awaitedCaller
        /// A caller who has been told so.
        case calledCaller
    }

    /// How it is told that there is something to see.
    enum Call: Equatable {
        /// Not at all: whoever has the loop will look.
        case none
        /// By the signal that sockets are watched with.
        case signal
        /// By waking the thread.
        case wake
    }

    private var tenant = Tenant.thread

    /// Notes that there is something to see.
    mutating func announce() -> Call {
        switch tenant {
        case .thread, .calledCaller:
            return .none
        case .watchingThread:
            // As good as awake.
            tenant = .thread
            return .signal
        case .nobody:
            tenant = .thread
            return .wake
        case .caller, .awaitedCaller:
            tenant = .calledCaller
            return .signal
        }
    }

    /// Has the thread wait for sockets.
    mutating func watch() {
        tenant = .watchingThread
    }

    /// Ends that wait.
    mutating func endWatch() {
        tenant = .thread
    }

    /// Leaves the loop alone until the thread is woken, or takes it again.
    mutating func leave() {
        tenant = .nobody
    }

    /// Takes the loop for the thread again, which has slept for long enough.
    ///
    /// - Returns: Whether the thread has it. Otherwise it is woken, or about to be.
    mutating func reclaim() -> Bool {
        switch tenant {
        case .nobody:
            tenant = .thread
            return true
        case .caller:
            tenant = .awaitedCaller
            return false
        case .thread, .watchingThread, .awaitedCaller, .calledCaller:
            return false
        }
    }

    /// Takes the loop for a caller.
    ///
    /// - Returns: Whether it is free.
    mutating func borrow() -> Bool {
        guard case .nobody = tenant else { return false }
        tenant = .caller
        return true
    }

    /// Takes the loop back from the caller.
    ///
    /// - Parameter isIdle: Whether there is nothing left to do.
    /// - Returns: Whether the thread must be woken.
    mutating func giveBack(isIdle: Bool) -> Bool {
        if isIdle, case .caller = tenant {
            tenant = .nobody
            return false
        }
        tenant = .thread
        return true
    }
}
