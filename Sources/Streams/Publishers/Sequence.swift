extension Publishers {
    /// A publisher that delivers the elements of a sequence to each subscriber, and finishes.
    ///
    /// Elements are delivered on the thread that requests them. Each subscription iterates over the sequence anew.
    public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
        public typealias Output = Elements.Element

        /// The sequence whose elements are delivered.
        public let sequence: Elements

        /// Creates a publisher of the elements of a sequence.
        @inlinable
        public init(sequence: Elements) {
            self.sequence = sequence
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            SequenceSubscription<Elements, S>.start("Sequence", sequence, completion: .finished, to: subscriber)
        }
    }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}
extension Publishers.Sequence: Sendable where Elements: Sendable {}

extension Sequence {
    /// A publisher that delivers the elements of this sequence.
    @inlinable public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

/// The subscription of publishers that iterate over a sequence: `Publishers.Sequence` and ``Record``.
@usableFromInline
final class SequenceSubscription<Elements: Swift.Sequence, Downstream: Subscriber>: PullSubscription
where Downstream.Input == Elements.Element {
    /// The next element is read in advance, so that the completion can follow the last element at once.
    @usableFromInline typealias Remaining = (iterator: Elements.Iterator, next: Elements.Element)

    @usableFromInline
    struct Contents: ~Copyable {
        @usableFromInline var remaining: Remaining?
        @usableFromInline var downstream: Downstream?

        /// The completion that follows the last element.
        @usableFromInline let completion: Subscribers.Completion<Downstream.Failure>

        /// The sequence, for the description, which any thread may read. Nil after the end.
        @usableFromInline let elements: Locked<Elements?>

        @inlinable
        init(
            _ elements: Elements, _ remaining: Remaining, completion: Subscribers.Completion<Downstream.Failure>,
            downstream: Downstream
        ) {
            self.elements = Locked(elements)
            self.remaining = remaining
            self.completion = completion
            self.downstream = downstream
        }
    }

    @inlinable var contents: UnsafeMutablePointer<Contents> { storage.contents(as: Contents.self) }

    @inlinable
    init(_ name: String, _ contents: consuming Contents) {
        super.init(name, isReady: true, ErasedStorage(contents)) { subscription, action in
            let source = unsafeDowncast(subscription, to: SequenceSubscription<Elements, Downstream>.self)
            switch action {
            case .emit: source.emit()
            case .release: source.release()
            }
        }
    }

    /// Subscribes a subscriber. An empty sequence completes without demand.
    @inlinable
    @inline(__always)
    static func start(
        _ name: String, _ elements: Elements, completion: Subscribers.Completion<Downstream.Failure>,
        to subscriber: Downstream
    ) {
        var iterator = elements.makeIterator()
        guard let first = iterator.next() else {
            subscriber.receive(subscription: Subscriptions.empty)
            return subscriber.receive(completion: completion)
        }
        let contents = Contents(elements, (iterator, first), completion: completion, downstream: subscriber)
        SequenceSubscription(name, contents).handOver(to: subscriber)
    }

    @inlinable
    func emit() {
        guard let downstream = contents.pointee.downstream, var remaining = contents.pointee.remaining.take() else {
            return
        }
        var granted = demand.reading
        while true {
            let isExhausted =
                granted.isUnlimited
                ? deliverAll(&remaining, to: downstream) : deliver(&remaining, upTo: granted.count, to: downstream)
            if isExhausted {
                release()
                return downstream.receive(completion: contents.pointee.completion)
            }
            // Put back before the demand can become zero, as another thread may emit from then on.
            contents.pointee.remaining = remaining
            granted = demand.subtract(granted.count)
            if granted.isCancelled { return release() }
            if granted.isIdle { return }
            guard let resumed = contents.pointee.remaining.take() else { return }
            remaining = resumed
        }
    }

    /// Delivers elements until the sequence ends or the subscriber cancels.
    ///
    /// - Returns: Whether the sequence ended.
    @inlinable
    func deliverAll(_ remaining: inout Remaining, to downstream: Downstream) -> Bool {
        while !demand.reading.isCancelled {
            _ = downstream.receive(remaining.next)
            guard let next = remaining.iterator.next() else { return !demand.reading.isCancelled }
            remaining.next = next
        }
        return false
    }

    /// Delivers elements until the given demand, and what the subscriber returns for them, is used up.
    ///
    /// - Returns: Whether the sequence ended.
    @inlinable
    func deliver(_ remaining: inout Remaining, upTo granted: UInt, to downstream: Downstream) -> Bool {
        var budget = Subscribers.Demand(rawValue: granted)
        while budget > .none, !demand.reading.isCancelled {
            budget -= 1
            budget += downstream.receive(remaining.next)
            guard let next = remaining.iterator.next() else { return !demand.reading.isCancelled }
            remaining.next = next
        }
        return false
    }

    @inlinable
    func release() {
        demand.end()
        contents.pointee.remaining = nil
        contents.pointee.downstream = nil
        let released = contents.pointee.elements.withLock { $0.take() }
        withExtendedLifetime(released) {}
    }

    /// The elements, as Combine's `print()` writes them.
    @usableFromInline override var description: String {
        contents.pointee.elements.withLock { $0 }.map { String(describing: $0) } ?? name
    }
}
