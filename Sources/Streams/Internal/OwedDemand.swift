/// Demand that is to be passed on to upstreams, but not by the owner of a serialiser while it owns it: a source that
/// emits from inside `request` would only fill the backlog.
///
/// Any thread adds to it, and whoever has left the serialiser takes all there is.
@usableFromInline
struct OwedDemand: ~Copyable, Sendable {
    @usableFromInline let word = DemandWord()

    @inlinable
    init() {}

    @inlinable
    func add(_ demand: Subscribers.Demand) {
        word.add(demand)
    }

    /// Takes all of it. Costs one plain load if there is none.
    @inlinable
    func take() -> Subscribers.Demand {
        guard word.reading.hasDemand else { return .none }
        let taken = word.update { _ in DemandWord.Reading(rawValue: 0) }.old
        return taken.isUnlimited ? .unlimited : .max(Int(taken.count))
    }
}
