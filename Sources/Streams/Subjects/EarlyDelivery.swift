/// What comes for a subscriber while it is held back, because it has not received its subscription yet.
///
/// It is behind the conduit's lock, and gone as soon as the subscriber is held back no more.
@usableFromInline
final class EarlyDelivery<Output> {
    /// The value that was current as the subscriber asked.
    @exclusivity(unchecked) @usableFromInline var initial: SubjectValue<Output>?

    /// The version of the one that the subscribing thread delivers.
    @exclusivity(unchecked) @usableFromInline var deliveredVersion: UInt64?

    /// The values that came.
    @exclusivity(unchecked) @usableFromInline var values: [SubjectValue<Output>] = []

    @inlinable
    init() {}

    /// Takes the value out that was current as the subscriber asked, to be delivered.
    @inlinable
    func takeInitial() -> SubjectValue<Output>? {
        guard let taken = initial.take() else { return nil }
        deliveredVersion = taken.version
        return taken
    }
}

extension AnySubjectConduit.State {
    @inlinable
    func earlyDelivery<Output>(of type: Output.Type) -> EarlyDelivery<Output>? {
        early.map { unsafeDowncast($0, to: EarlyDelivery<Output>.self) }
    }

    /// The same, made if there is none.
    @inlinable
    mutating func makeEarlyDelivery<Output>(of type: Output.Type) -> EarlyDelivery<Output> {
        if let early = earlyDelivery(of: type) { return early }
        let early = EarlyDelivery<Output>()
        self.early = early
        return early
    }
}
