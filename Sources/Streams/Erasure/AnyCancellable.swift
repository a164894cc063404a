import Synchronization

/// Keeps an activity going as long as it exists: it cancels when it is released.
///
/// Chains of these of any length are cancelled and released on a stack of any size.
// Safe because what it holds is behind an atomic exchange, and may be cancelled from any thread by contract (rule 4).
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
    /// What is cancelled, until it is: the one reference to a `Canceller`. Whoever takes it out has it.
    private let pending: Atomic<UnsafeMutableRawPointer?>

    /// - Parameter cancel: Called once, by ``cancel()`` or on release, on whichever thread that happens.
    @preconcurrency
    public convenience init(_ cancel: @escaping @Sendable () -> Void) {
        self.init(taking: CancellerOf(ClosureCancellable(action: cancel)))
    }

    /// - Parameter canceller: Cancelled once, by ``cancel()`` or on release, and then let go of.
    public convenience init<C: Cancellable>(_ canceller: C) {
        self.init(taking: CancellerOf(canceller))
    }

    /// - Parameter canceller: Cancelled as above.
    @usableFromInline
    init(taking canceller: Canceller) {
        pending = Atomic(Unmanaged.passRetained(canceller).toOpaque())
    }

    deinit {
        cancel()
    }

    public func cancel() {
        guard let taken = pending.exchange(nil, ordering: .acquiringAndReleasing) else { return }
        IterativeRelease.cancel(Unmanaged<Canceller>.fromOpaque(taken))
    }

    public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool {
        lhs === rhs
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension AnyCancellable {
    /// Keeps this activity going in a collection; removing it from there, or releasing the collection, cancels it.
    public func store<C>(in collection: inout C) where C: RangeReplaceableCollection, C.Element == AnyCancellable {
        collection.append(self)
    }

    /// Keeps this activity going in a set; removing it from there, or releasing the set, cancels it.
    public func store(in set: inout Set<AnyCancellable>) {
        set.insert(self)
    }
}

/// What an `AnyCancellable` holds, whatever that is: one word. Those that this library makes itself are cancellers
/// already.
@usableFromInline
class Canceller: Cancellable {
    @usableFromInline
    init() {}

    @usableFromInline
    func cancel() {
        preconditionFailure("overridden")
    }
}

/// A canceller of something else.
private final class CancellerOf<Target: Cancellable>: Canceller {
    private let target: Target

    init(_ target: Target) {
        self.target = target
    }

    override func cancel() {
        target.cancel()
    }
}

private struct ClosureCancellable: Cancellable {
    let action: @Sendable () -> Void

    func cancel() {
        action()
    }
}
