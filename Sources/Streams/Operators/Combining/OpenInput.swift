/// An input that is asked for everything, whatever the subscriber asks for, and keeps its newest value.
@usableFromInline
// Safe because what changes belongs to the owner of the junction's serialiser.
class OpenInput<Value>: JunctionLink, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline final var latest: Value?

    @inlinable
    final func accept(_ value: Value) {
        if latest == nil { tally.inputFilled() }
        latest = value
    }

    @usableFromInline
    override final func empty() {
        latest = nil
    }

    /// Asks here, not with the subscriber's first request: of two at once, the second one would overtake that.
    @usableFromInline
    override final func begin() {
        super.request(.unlimited)
    }

    @usableFromInline
    override final func request(_ demand: Subscribers.Demand) {}

    /// What would be lost was asked for at the beginning.
    @usableFromInline override final var dropsUnrequestedValues: Bool { false }
}
