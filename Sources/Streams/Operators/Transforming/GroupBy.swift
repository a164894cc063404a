extension Publisher {
    /// Divides the values by a key, and publishes a publisher of the values of each key.
    ///
    /// ```
    /// ──a1──b1──a2──c1──b2──|
    ///   group(by: { $0.name })
    /// ──A───B───────C───────|
    ///   A a1────a2──────────|
    ///       B b1────────b2──|
    ///               C c1────|
    /// ```
    ///
    /// So each key has a pipeline of its own: a debounce, a limit of rate, an order.
    ///
    /// ```swift
    /// events.group(by: \.sensor).flatMap { $0.throttle(for: .seconds(1), scheduler: queue, latest: true) }
    /// ```
    ///
    /// A group has one subscriber; a second one finishes at once. Its values wait for its subscriber in a buffer that all
    /// groups share. At most `maxGroups` groups are open: for another key, the one whose last value is the oldest
    /// finishes, and a later value of its key opens a new group. A group that was cancelled is not open.
    ///
    /// **Demand.** `bufferSize` values are requested at the start, and another one for each that a group's subscriber has
    /// received. So a group that is kept and not consumed holds up the others once the buffer is full. A group that is
    /// released without a subscriber drops its values.
    ///
    /// **Completion** follows the values in all groups, and then in the stream of groups. A failure too.
    ///
    /// **Cancellation** of a group drops its values; the next value of its key opens a new group. Cancellation of the
    /// stream of groups opens no more of them, and cancels the upstream when the open groups are cancelled too.
    ///
    /// **Threads.** A value is delivered on the upstream's thread or on the one that requests it.
    ///
    /// - Parameters:
    ///   - key: A closure that returns the key of a value.
    ///   - maxGroups: The largest number of open groups, at least one.
    ///   - bufferSize: The largest number of values that wait, at least one.
    @preconcurrency
    public func group<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Output) -> Key, maxGroups: Int = 256, bufferSize: Int = 256
    ) -> Operators.GroupBy<Self, Key> {
        Operators.GroupBy(upstream: self, maxGroups: maxGroups, bufferSize: bufferSize, key: key)
    }
}

extension Operators {
    /// A publisher of the groups of values that have the same key.
    public struct GroupBy<Upstream: Publisher, Key: Hashable & Sendable>: Publisher {
        public typealias Output = Group<Key, Upstream.Output, Upstream.Failure>
        public typealias Failure = Upstream.Failure

        /// The publisher of the values.
        public let upstream: Upstream

        /// The largest number of open groups.
        public let maxGroups: Int

        /// The largest number of values that wait for their groups' subscribers.
        public let bufferSize: Int

        /// The closure that returns the key of a value.
        public let key: @Sendable (Upstream.Output) -> Key

        /// Creates the publisher of ``Publisher/group(by:maxGroups:bufferSize:)``.
        @preconcurrency
        public init(
            upstream: Upstream, maxGroups: Int, bufferSize: Int, key: @escaping @Sendable (Upstream.Output) -> Key
        ) {
            precondition(maxGroups > 0 && bufferSize > 0, "maxGroups and bufferSize must be at least one")
            self.upstream = upstream
            self.maxGroups = maxGroups
            self.bufferSize = bufferSize
            self.key = key
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            subscribe(DemandBuffer("GroupBy", downstream: subscriber))
        }

        /// Subscribes to the upstream. The buffer alone depends on the subscriber, and is specialised for it.
        @usableFromInline
        func subscribe(_ groups: any BufferingReceiver<Output, Failure>) {
            let link = GroupByLink(maxGroups: maxGroups, bufferSize: bufferSize, groups: groups)
            upstream.subscribe(Inner(link: link, key: key))
        }
    }

    /// A publisher of some values of another one, for one subscriber: those of a key, of
    /// ``Publisher/group(by:maxGroups:bufferSize:)``, or those of a window.
    public struct Group<Key, Output, Failure: Error>: Publisher {
        /// The key of the values, or the number of the window.
        public let key: Key

        @usableFromInline let source: GroupSource<Output, Failure>
        /// Drops the values when the last copy of this group is released without a subscriber.
        private let claim: GroupClaim<Output, Failure>

        init(key: Key, source: GroupSource<Output, Failure>) {
            self.key = key
            self.source = source
            claim = GroupClaim(source)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            if !source.subscribe(DemandBuffer("Group", downstream: subscriber, passesDemand: true)) {
                Empty().receive(subscriber: subscriber)
            }
        }
    }
}

extension Operators.GroupBy: Sendable where Upstream: Sendable {}

// Safe because a drain makes all access to the source serial. Values may go to any thread where they are Sendable.
extension Operators.Group: @unchecked Sendable where Key: Sendable, Output: Sendable {}

extension Operators.GroupBy {
    private struct Inner: Subscriber {
        let link: GroupByLink<Key, Upstream.Output, Upstream.Failure>
        let key: @Sendable (Upstream.Output) -> Key

        var combineIdentifier: CombineIdentifier { link.combineIdentifier }

        func receive(subscription: any Subscription) {
            if link.attach(subscription) { link.start() }
        }

        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            if link.isActive { link.send(input, to: key(input)) }
            return .none
        }

        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { link.finish(completion) }
        }
    }
}

/// The open groups of one subscription to a `group(by:)`, and its link to the upstream.
///
/// The upstream's thread opens groups and sends values. Any thread may cancel a group or the stream of groups.
private final class GroupByLink<Key: Hashable & Sendable, Output, Failure: Error>: UpstreamLink {
    private typealias Source = GroupSource<Output, Failure>

    /// A group that has not finished.
    private struct OpenGroup {
        let key: Key
        let source: Source
    }

    private struct SharedState {
        /// The open groups that are not cancelled.
        var live: [ObjectIdentifier: OpenGroup] = [:]
        /// The groups that were cancelled and that the upstream's thread has yet to remove.
        var cancelled: [OpenGroup] = []
        /// Whether the subscriber of the groups has cancelled, so that no group is opened any more.
        var isClosed = false

        /// Whether no more values are needed.
        var isUnused: Bool { isClosed && live.isEmpty }
    }

    private let groups: any BufferingReceiver<Operators.Group<Key, Output, Failure>, Failure>
    private let maxGroups: Int
    private let bufferSize: Int
    private let shared = Locked(SharedState())

    /// The open groups, which belong to the upstream's serial signals.
    @exclusivity(unchecked) private var open = LRUDictionary<Key, OpenGroup>()

    init(
        maxGroups: Int, bufferSize: Int, groups: any BufferingReceiver<Operators.Group<Key, Output, Failure>, Failure>
    ) {
        self.maxGroups = maxGroups
        self.bufferSize = bufferSize
        self.groups = groups
    }

    func start() {
        guard groups.link.attach(DividingSubscription { [self] in close() }) else { return }
        groups.start()
        request(.max(bufferSize))
    }

    func send(_ value: Output, to key: Key) {
        for group in shared.withLock({ exchange(&$0.cancelled, with: []) }) { open.removeValue(forKey: group.key) }
        if let group = open.use(key) ?? openGroup(key) {
            group.source.send(value)
        } else {
            request(.max(1))
        }
    }

    /// Opens a group, unless the subscriber of the groups has cancelled. Another one may have to finish for it.
    private func openGroup(_ key: Key) -> OpenGroup? {
        let source = Source(
            upstream: self, onCancel: { [weak self] in self?.remove($0) })
        let group = OpenGroup(key: key, source: source)
        let isOpen = shared.withLock { state in
            if !state.isClosed { state.live[ObjectIdentifier(source)] = group }
            return !state.isClosed
        }
        guard isOpen else { return nil }
        if open.count == maxGroups, let oldest = open.removeLeastRecentlyUsed() {
            shared.withLock { _ = $0.live.removeValue(forKey: ObjectIdentifier(oldest.source)) }
            oldest.source.finish(.finished)
        }
        open.insert(group, for: key)
        groups.send(Operators.Group(key: key, source: source))
        return group
    }

    func finish(_ completion: Subscribers.Completion<Failure>) {
        let ended = shared.withLock { state in
            (exchange(&state.live, with: [:]), exchange(&state.cancelled, with: []))
        }
        withExtendedLifetime(ended) {}
        for group in exchange(&open, with: LRUDictionary()).values { group.source.finish(completion) }
        groups.finish(completion)
    }

    /// Opens no more groups, because their subscriber has cancelled.
    private func close() {
        let isUnused = shared.withLock { state in
            state.isClosed = true
            return state.isUnused
        }
        if isUnused { cancel() }
    }

    /// Removes a group whose subscriber has cancelled.
    private func remove(_ source: Source) {
        let isUnused = shared.withLock { state in
            if let group = state.live.removeValue(forKey: ObjectIdentifier(source)) { state.cancelled.append(group) }
            return state.isUnused
        }
        if isUnused { cancel() }
    }
}
