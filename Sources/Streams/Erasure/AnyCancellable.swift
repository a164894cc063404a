import Synchronization

/// A cancellable that cancels an activity when it is released.
///
/// Chains of any length are cancelled and released on a small stack (rule 5): where a cancellation inside others finds less
/// than 256 KiB of it left, or a release is 64 levels deep inside others, it waits for the outermost to return.
// Safe because the link is taken by an atomic exchange, and may be cancelled from any thread (rule 4).
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
    /// The retained ``UpstreamLink``, nil once it was cancelled.
    private let link: Atomic<UnsafeMutableRawPointer?>

    /// Creates a cancellable from a closure.
    ///
    /// - Parameter cancel: A closure called once, by ``cancel()`` or on release, on the thread of that.
    @preconcurrency
    public convenience init(_ cancel: @escaping @Sendable () -> Void) {
        self.init(taking: CancellableLink(ClosureCancellable(action: cancel)))
    }

    /// Creates a cancellable from another one.
    ///
    /// - Parameter canceller: The activity, cancelled once by ``cancel()`` or on release, and then released.
    public convenience init<C: Cancellable>(_ canceller: C) {
        self.init(taking: CancellableLink(canceller))
    }

    @usableFromInline
    init(taking link: UpstreamLink) {
        self.link = Atomic(Unmanaged.passRetained(link).toOpaque())
    }

    deinit {
        // No other thread can take the link any more, so it is read without an exchange.
        if let link = link.load(ordering: .acquiring) { IterativeRelease.cancelOnRelease(.fromOpaque(link)) }
    }

    public func cancel() {
        if let link = takeLink() { IterativeRelease.cancel(link) }
    }

    private func takeLink() -> Unmanaged<UpstreamLink>? {
        link.exchange(nil, ordering: .acquiringAndReleasing).map { Unmanaged.fromOpaque($0) }
    }

    public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension AnyCancellable {
    /// Stores this activity in a collection. Removing it from there, or releasing the collection, cancels it.
    public func store<C>(in collection: inout C) where C: RangeReplaceableCollection, C.Element == AnyCancellable {
        collection.append(self)
    }

    /// Stores this activity in a set. Removing it from there, or releasing the set, cancels it.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }
}

extension Cancellable {
    /// Stores this activity in a collection. Removing it from there, or releasing the collection, cancels it.
    public func store<C>(in collection: inout C) where C: RangeReplaceableCollection, C.Element == AnyCancellable {
        AnyCancellable(self).store(in: &collection)
    }

    /// Stores this activity in a set. Removing it from there, or releasing the set, cancels it.
    public func store(in set: inout Set<AnyCancellable>) { AnyCancellable(self).store(in: &set) }
}

/// A link that cancels an activity other than an upstream, so that an ``AnyCancellable`` holds one kind of object.
private final class CancellableLink<Target: Cancellable>: UpstreamLink {
    private let target: Target

    init(_ target: Target) {
        self.target = target
        super.init()
    }

    override func cancel() { target.cancel() }
}

private struct ClosureCancellable: Cancellable {
    let action: @Sendable () -> Void

    func cancel() { action() }
}
