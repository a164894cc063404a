import Synchronization

/// Keeps an activity going as long as it exists: it cancels when it is released.
///
/// Chains of these of any length are cancelled and released on a stack of any size.
// Safe because only the thread whose exchange clears `isPending`, or the last one to hold the object, touches `canceller`,
// and what it holds may be cancelled from any thread by contract (rule 4).
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
    private let isPending = Atomic<Bool>(true)
    @exclusivity(unchecked) private var canceller: (any Cancellable)?

    /// - Parameter cancel: Called once, by ``cancel()`` or on release, on whichever thread that happens.
    @preconcurrency
    public init(_ cancel: @escaping @Sendable () -> Void) {
        canceller = ClosureCancellable(action: cancel)
    }

    /// - Parameter canceller: Cancelled once, by ``cancel()`` or on release, and then let go of.
    public init<C: Cancellable>(_ canceller: C) {
        self.canceller = canceller
    }

    deinit {
        cancel()
    }

    public func cancel() {
        guard isPending.exchange(false, ordering: .acquiringAndReleasing) else { return }
        FlatRelease.cancel(&canceller)
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

private struct ClosureCancellable: Cancellable {
    let action: @Sendable () -> Void

    func cancel() {
        action()
    }
}
