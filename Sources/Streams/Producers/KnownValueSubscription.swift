/// The subscription of sources that know their one value from the start.
@usableFromInline
final class KnownValueSubscription<Downstream: Subscriber>: OneShotControl {
    @usableFromInline
    struct Parts {
        @usableFromInline let value: Downstream.Input
        @usableFromInline var downstream: Downstream?

        @inlinable
        init(value: Downstream.Input, downstream: Downstream) {
            self.value = value
            self.downstream = downstream
        }
    }

    @inlinable var parts: UnsafeMutablePointer<Parts> { compartment.contents(as: Parts.self) }

    /// The creator calls `handOver(to:)`.
    ///
    /// - Parameters:
    ///   - name: Combine's name for the publisher.
    ///   - value: Kept as long as this is, to be shown.
    ///   - downstream: Let go of on delivery or cancellation.
    @inlinable
    init(_ name: StaticString, value: Downstream.Input, downstream: Downstream) {
        super.init(
            name,
            flags: Flag.resolved | Flag.held,
            compartment: Compartment(Parts(value: value, downstream: downstream))
        ) { control, turn in
            let subscription = unsafeDowncast(control, to: KnownValueSubscription<Downstream>.self)
            guard let downstream = subscription.parts.pointee.downstream.take(), case .deliver = turn else { return }
            _ = downstream.receive(subscription.parts.pointee.value)
            if !subscription.isCancelled { downstream.receive(completion: .finished) }
        }
    }

    @usableFromInline override var customMirror: Mirror {
        Mirror(self, unlabeledChildren: CollectionOfOne(parts.pointee.value), ancestorRepresentation: .suppressed)
    }
}
