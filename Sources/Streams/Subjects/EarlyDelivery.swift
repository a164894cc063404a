/// What comes for a subscriber while it is held back, because it has not received its subscription yet.
///
/// It is behind the conduit's lock, and gone as soon as the subscriber is held back no more.
@usableFromInline
final class EarlyDelivery<Output> {
    /// The current value at the time of the first request.
    @exclusivity(unchecked) @usableFromInline var initial: SubjectValue<Output>?

    /// The version of that value once it is being delivered.
    @exclusivity(unchecked) @usableFromInline var deliveredVersion: UInt64?

    /// The values that came.
    @exclusivity(unchecked) @usableFromInline var values: [SubjectValue<Output>] = []

    @inlinable
    init() {}
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
