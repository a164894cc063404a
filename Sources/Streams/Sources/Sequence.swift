extension Publishers {
    /// A publisher that delivers the elements of a sequence to each subscriber, as they are asked for, and completes.
    public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
        public typealias Output = Elements.Element

        /// What is delivered. Each subscription iterates over it anew.
        public let sequence: Elements

        /// A publisher that delivers the elements of `sequence`.
        @inlinable
        public init(sequence: Elements) {
            self.sequence = sequence
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var iterator = sequence.makeIterator()
            guard let first = iterator.next() else {
                subscriber.receive(subscription: Subscriptions.empty)
                subscriber.receive(completion: .finished)
                return
            }
            SequenceSubscription(
                sequence, remaining: .init(iterator: iterator, upcoming: first), downstream: subscriber
            ).handOver(to: subscriber)
        }
    }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}
extension Publishers.Sequence: Sendable where Elements: Sendable {}

extension Sequence {
    /// A publisher of the elements of this sequence.
    @inlinable public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

/// Iterates over a sequence for one subscriber.
@usableFromInline
class SequenceSubscription<Elements: Swift.Sequence, Downstream: Subscriber>: PullSubscription
where Downstream.Input == Elements.Element {
    /// Where the iteration stands. The next element is known, so that the completion can follow the last one at once.
    @usableFromInline
    struct Remaining {
        @usableFromInline var iterator: Elements.Iterator
        @usableFromInline var upcoming: Elements.Element

        @inlinable
        init(iterator: Elements.Iterator, upcoming: Elements.Element) {
            self.iterator = iterator
            self.upcoming = upcoming
        }
    }

    @usableFromInline
    struct Parts: ~Copyable {
        @usableFromInline var remaining: Remaining?
        @usableFromInline var downstream: Downstream?

        /// What is iterated over, to be shown. Nil once the subscription is over.
        @usableFromInline let elements: Locked<Elements?>

        /// What follows the last element.
        @usableFromInline let completion: Subscribers.Completion<Downstream.Failure>

        @inlinable
        init(
            remaining: Remaining,
            downstream: Downstream,
            elements: Elements,
            completion: Subscribers.Completion<Downstream.Failure>
        ) {
            self.completion = completion
            self.remaining = remaining
            self.downstream = downstream
            self.elements = Locked(elements)
        }
    }

    @inlinable final var parts: UnsafeMutablePointer<Parts> { storage.contents(as: Parts.self) }

    @inlinable
    init(
        _ elements: Elements,
        remaining: Remaining,
        downstream: Downstream,
        completion: Subscribers.Completion<Downstream.Failure> = .finished
    ) {
        let parts = Parts(remaining: remaining, downstream: downstream, elements: elements, completion: completion)
        super.init(ErasedStorage(parts)) { subscription, turn in
            let source = unsafeDowncast(subscription, to: SequenceSubscription<Elements, Downstream>.self)
            switch turn {
            case .emit: source.emit()
            case .release: source.release()
            }
        }
    }

    @inlinable
    final func emit() {
        guard let downstream = parts.pointee.downstream, var remaining = parts.pointee.remaining.take() else { return }
        var granted = demand.reading
        while true {
            let isExhausted =
                granted.isUnlimited
                ? deliverAll(&remaining, to: downstream) : deliver(&remaining, upTo: granted.count, to: downstream)
            if isExhausted {
                release()
                return downstream.receive(completion: parts.pointee.completion)
            }
            // Put back before the demand may become zero, and another thread the one that emits.
            parts.pointee.remaining = remaining
            granted = demand.subtract(granted.count)
            if granted.isCancelled { return release() }
            if granted.isIdle { return }
            guard let resumed = parts.pointee.remaining.take() else { return }
            remaining = resumed
        }
    }

    /// Delivers until the sequence ends or the subscriber cancels.
    ///
    /// - Returns: Whether the sequence ended.
    @inlinable
    final func deliverAll(_ remaining: inout Remaining, to downstream: Downstream) -> Bool {
        while !demand.reading.isCancelled {
            _ = downstream.receive(remaining.upcoming)
            guard let next = remaining.iterator.next() else { return !demand.reading.isCancelled }
            remaining.upcoming = next
        }
        return false
    }

    /// Delivers until as many elements are out as were asked for, in advance or in return for one, or as above.
    @inlinable
    final func deliver(_ remaining: inout Remaining, upTo granted: UInt, to downstream: Downstream) -> Bool {
        var budget = Subscribers.Demand(rawValue: granted)
        while budget > .none, !demand.reading.isCancelled {
            budget -= 1
            budget += downstream.receive(remaining.upcoming)
            guard let next = remaining.iterator.next() else { return !demand.reading.isCancelled }
            remaining.upcoming = next
        }
        return false
    }

    @inlinable
    final func release() {
        demand.end()
        parts.pointee.remaining = nil
        parts.pointee.downstream = nil
        let shown = parts.pointee.elements.withLock { $0.take() }
        withExtendedLifetime(shown) {}
    }

    /// What is iterated over. Nil once the subscription is over.
    @usableFromInline final var elements: Elements? { parts.pointee.elements.withLock { $0 } }

    /// Combine's: the elements, as `print()` writes them.
    @usableFromInline override var description: String { elements.map { String(describing: $0) } ?? "Sequence" }
}
