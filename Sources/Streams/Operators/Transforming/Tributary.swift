import Synchronization

/// One of the streams that flow together in a `Confluence`: the link to its source, and what the confluence notes about
/// it.
@usableFromInline
// Safe because each part of it belongs to a lock or to the owner of a serialiser, as noted there.
final class Tributary: UpstreamLink, OrderedMember, @unchecked Sendable {

    /// Its place among the open ones. It is behind the confluence's lock.
    @exclusivity(unchecked) @usableFromInline var place = -1

    /// How many of its values are kept, and whether it has completed. They belong to the owner of the confluence's
    /// serialiser.
    @exclusivity(unchecked) @usableFromInline var keptValues = 0
    @exclusivity(unchecked) @usableFromInline var isExhausted = false
}

/// The receiving half of a tributary.
@usableFromInline
struct TributarySubscriber<Downstream: Subscriber>: LinkedSubscriber {
    @usableFromInline let tributary: Tributary
    @usableFromInline let confluence: Confluence<Downstream>

    @inlinable
    init(tributary: Tributary, confluence: Confluence<Downstream>) {
        self.tributary = tributary
        self.confluence = confluence
    }

    @inlinable var link: Tributary { tributary }

    @usableFromInline var customMirror: Mirror {
        Mirror(self, children: ["parentSubscription": confluence.outer.combineIdentifier])
    }

    @inlinable
    func receive(subscription: any Subscription) {
        guard tributary.attach(subscription) else { return }
        tributary.request(confluence.demand.reading.isUnlimited ? .unlimited : .max(1))
        if confluence.losesNothing.load(ordering: .sequentiallyConsistent) { tributary.loseNothing() }
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        tributary.isActive ? confluence.accept(input, from: tributary) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if tributary.finish() { confluence.submit(.end(completion, tributary)) }
    }
}

/// The tributaries that are open. It does not depend on what flows, so that nobody has to look its layout up.
@usableFromInline
// Safe because it is only touched under a lock, apart from members taken out of it.
struct OpenTributaries: ~Copyable, @unchecked Sendable {
    // Safe because it carries links, which may be used from any thread, out of the lock.
    @usableFromInline
    struct Taken: @unchecked Sendable {
        @usableFromInline var tributaries: [Tributary] = []
    }

    @usableFromInline var tributaries = OrderedMembers<Tributary>()
    @usableFromInline var isOver = false

    @usableFromInline
    init() {}

    /// Those that are open now.
    @usableFromInline var current: Taken {
        var taken = Taken()
        tributaries.forEach { taken.tributaries.append($0) }
        return taken
    }

    /// Closes all, and opens no more.
    @usableFromInline
    mutating func end() -> Taken {
        isOver = true
        return Taken(tributaries: tributaries.removeAll())
    }
}

/// What is asked of a source.
@usableFromInline
struct Inquiry {
    @usableFromInline let source: UpstreamLink
    @usableFromInline let demand: Subscribers.Demand

    @inlinable
    init(source: UpstreamLink, demand: Subscribers.Demand) {
        self.source = source
        self.demand = demand
    }
}
