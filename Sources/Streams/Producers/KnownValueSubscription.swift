/// The subscription of sources that know their one value from the start.
@usableFromInline
final class KnownValueSubscription<Downstream: Subscriber>: OneShotControl {
    @usableFromInline
    struct Parts {
        /// Nil after cancellation.
        @usableFromInline var value: Downstream.Input?
        @usableFromInline var downstream: Downstream?

        @inlinable
        init(value: Downstream.Input, downstream: Downstream) {
            self.value = value
            self.downstream = downstream
        }
    }

    /// Guards the value where that is shown and where it is let go of. Its delivery excludes the latter.
    @usableFromInline let showing = Locked(())

    @inlinable var parts: UnsafeMutablePointer<Parts> { compartment.contents(as: Parts.self) }

    /// The creator calls `handOver(to:)`.
    ///
    /// - Parameters:
    ///   - name: Combine's name for the publisher.
    ///   - value: Let go of on cancellation, and shown until then.
    ///   - downstream: Let go of on delivery or cancellation.
    @inlinable
    init(_ name: OperatorName, value: Downstream.Input, downstream: Downstream) {
        super.init(
            name,
            flags: Flag.resolved | Flag.held,
            compartment: Compartment(Parts(value: value, downstream: downstream))
        ) { control, turn in
            let subscription = unsafeDowncast(control, to: KnownValueSubscription<Downstream>.self)
            let downstream = subscription.parts.pointee.downstream.take()
            guard case .deliver = turn else { return subscription.release() }
            guard let downstream, let value = subscription.parts.pointee.value else { return }
            _ = downstream.receive(value)
            if !subscription.isCancelled { downstream.receive(completion: .finished) }
        }
    }

    @inlinable
    func release() {
        let released = showing.withLock { [parts] _ in parts.pointee.value.take() }
        withExtendedLifetime(released) {}
    }

    @usableFromInline override var customMirror: Mirror {
        let value = showing.withLock { [parts] _ in parts.pointee.value }
        return Mirror(self, unlabeledChildren: value.map { [$0] } ?? [], ancestorRepresentation: .suppressed)
    }
}
