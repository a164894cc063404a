/// Who works with an engine's loop: its thread, or, while that one waits, a caller for the length of one call.
///
/// There is no lock to wait for: a caller who does not find the loop free leaves what there is to do to the thread.
struct CurlTenancy {
    private enum Tenant {
        case thread
        /// The thread waits, and would not see what has changed.
        case nobody
        case caller
        /// A caller, for whom the thread waits by now.
        case awaitedCaller
    }

    /// What a caller does who is done.
    enum Return: Equatable {
        /// Nothing: the thread has nothing to see.
        case leave
        /// Has the thread look.
        case wake
        /// Lets the thread go on, which waits for this.
        case resume
    }

    private var tenant = Tenant.thread

    /// Notes that there is something for the thread to see.
    ///
    /// - Returns: Whether it must be woken.
    mutating func announce() -> Bool {
        guard case .nobody = tenant else { return false }
        // As good as awake.
        tenant = .thread
        return true
    }

    /// Leaves the loop alone until the thread comes back.
    mutating func sleep() {
        tenant = .nobody
    }

    /// Takes the loop for the thread again.
    ///
    /// - Returns: Whether it must wait for a caller first.
    mutating func reclaim() -> Bool {
        switch tenant {
        case .thread, .nobody:
            tenant = .thread
            return false
        case .caller, .awaitedCaller:
            tenant = .awaitedCaller
            return true
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

    /// Takes it back from the caller.
    ///
    /// - Parameter hasNews: Whether there is something for the thread to see.
    mutating func giveBack(hasNews: Bool) -> Return {
        if case .awaitedCaller = tenant {
            tenant = .thread
            return .resume
        }
        tenant = hasNews ? .thread : .nobody
        return hasNews ? .wake : .leave
    }
}
