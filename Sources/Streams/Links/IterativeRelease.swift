/// Releases chains of objects iteratively: the depth of the stack does not depend on the length of the chain.
///
/// The release of one link of a chain releases the next link from inside itself. Releases that go through here nest up
/// to `ReleasingThread.maximumDepth`. Deeper ones are added to a list of their thread, which the outermost release
/// drains before it returns.
///
/// The compiler may release a variable anywhere between its last use and the end of its scope, also before the depth is
/// increased. So no variable here owns what is released. Functions that are never inlined take a pointer and release
/// what it refers to; to the optimizer such a call has unknown effects, and stays between the changes of the depth.
@usableFromInline
enum IterativeRelease {
    /// Cancels and releases a retained object. As the caller relies on it, this waits for the outermost call on this
    /// thread only if the stack is about to be used up.
    static func cancel(_ link: Unmanaged<UpstreamLink>) {
        cancel(link, isDeferred: { $0.isStackUsedUp })
    }

    /// Cancels and releases a retained object, now or when the outermost call on this thread is about to return.
    static func cancelOnRelease(_ link: Unmanaged<UpstreamLink>) {
        cancel(link, isDeferred: { $0.isAtMaximumDepth })
    }

    private static func cancel(_ link: Unmanaged<UpstreamLink>, isDeferred: (ReleasingThread) -> Bool) {
        let thread = ReleasingThread.current
        if isDeferred(thread) {
            thread.pending.append(.cancellation(link))
        } else {
            thread.nest { cancelAndRelease(link) }
        }
    }

    /// Replaces a value with nil and releases it, now or when the outermost call on this thread is about to return.
    @usableFromInline
    static func release<Value>(_ value: UnsafeMutablePointer<Value?>) {
        let thread = ReleasingThread.current
        if thread.isAtMaximumDepth {
            thread.pending.append(.release(Unmanaged.passRetained(DeferredValue(value.pointee.take()))))
        } else {
            thread.nest { clear(value) }
        }
    }

    @inline(never)
    fileprivate static func cancelAndRelease(_ link: Unmanaged<UpstreamLink>) { link.takeRetainedValue().cancel() }

    @inline(never)
    fileprivate static func release(_ object: Unmanaged<AnyObject>) { object.release() }

    @inline(never)
    private static func clear<Value>(_ value: UnsafeMutablePointer<Value?>) {
        value.deinitialize(count: 1)
        value.initialize(to: nil)
    }
}

/// The releases in progress on one thread, and those that wait for them.
private final class ReleasingThread {
    /// A step that waits for the outermost release.
    enum Step {
        case cancellation(Unmanaged<UpstreamLink>)
        case release(Unmanaged<AnyObject>)
    }

    /// Exceeds the length of usual chains, and takes at most a few tens of kilobytes of stack.
    static let maximumDepth = 64

    /// The part of the stack, in bytes, that stays free for the code that a cancellation calls: half of the 512 KiB of
    /// rule 5.
    static let reservedStackSize = 256 * 1024

    private static let local = ThreadLocal<ReleasingThread>()

    static var current: ReleasingThread { local.object { ReleasingThread() } }

    // Safe because only this thread accesses them, and no access contains another.
    @exclusivity(unchecked) private var depth = 0
    @exclusivity(unchecked) var pending: [Step] = []

    var isAtMaximumDepth: Bool { depth >= Self.maximumDepth }

    /// Whether too little is left of the stack for another call of the program's code.
    var isStackUsedUp: Bool {
        guard isAtMaximumDepth else { return false }
        return availableStackSize().map { $0 < Self.reservedStackSize } ?? (depth >= 2 * Self.maximumDepth)
    }

    /// Runs one release. If it is the outermost one, also runs those that were deferred meanwhile.
    func nest(_ release: () -> Void) {
        depth += 1
        release()
        depth -= 1
        if depth == 0 { drain() }
    }

    private func drain() {
        while let step = pending.popLast() {
            depth = 1
            switch step {
            case .cancellation(let link): IterativeRelease.cancelAndRelease(link)
            case .release(let object): IterativeRelease.release(object)
            }
            depth = 0
        }
    }
}

/// A value that waits for its release.
private final class DeferredValue<Value> {
    private let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
