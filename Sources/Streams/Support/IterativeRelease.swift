/// Tears chains down without a stack as deep as they are long.
///
/// The release of one link of a chain releases the next one from inside itself. Links that go through here recurse to a
/// small depth only; further ones are set aside and dealt with, on the same thread, before the outermost call returns.
@usableFromInline
enum IterativeRelease {
    /// Cancels what a variable holds and releases it, now or when the outermost call on this thread is about to return.
    ///
    /// It goes by the variable, because a parameter or a closure's copy of it may outlive the part of a call that
    /// counts.
    @usableFromInline
    static func cancel(_ canceller: inout Canceller?) {
        let thread = ReleasingThread.current
        guard thread.depth < ReleasingThread.maximumDepth else {
            if let deferred = canceller.take() { thread.pending.append(deferred) }
            return
        }
        thread.depth += 1
        canceller?.cancel()
        canceller = nil
        thread.depth -= 1
        if thread.depth == 0 { drain(thread) }
    }

    /// Releases what a variable holds, now or when the outermost call on this thread is about to return.
    @usableFromInline
    static func release<Value>(_ value: inout Value?) {
        let thread = ReleasingThread.current
        guard thread.depth < ReleasingThread.maximumDepth else {
            thread.pending.append(DeferredRelease(value: value.take()))
            return
        }
        thread.depth += 1
        value = nil
        thread.depth -= 1
        if thread.depth == 0 { drain(thread) }
    }

    private static func drain(_ thread: ReleasingThread) {
        while !thread.pending.isEmpty {
            var next = thread.pending.popLast()
            thread.depth = 1
            next?.cancel()
            next = nil
            thread.depth = 0
        }
    }
}

/// A value whose release is set aside.
private final class DeferredRelease<Value>: Canceller {
    private let value: Value?

    init(value: Value?) {
        self.value = value
    }

    override func cancel() {}
}

/// What `IterativeRelease` knows about one thread.
private final class ReleasingThread {
    /// Enough for the chains that occur, and a few tens of kilobytes of stack at most.
    static let maximumDepth = 64

    var depth = 0
    var pending: [Canceller] = []

    private static let local = ThreadLocal<ReleasingThread>()

    static var current: ReleasingThread { local.object { ReleasingThread() } }
}
