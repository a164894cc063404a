/// An input that keeps its newest value, which goes into every combination until the next one comes.
// Safe because it belongs to the owner of the junction's serialiser.
@usableFromInline
final class LatestInput<Value>: JunctionLink, JunctionInput, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var latest: Value?

    @inlinable
    func accept(_ value: Value) {
        if latest == nil { tally.inputFilled() }
        latest = value
        tally.isDue = tally.missing == 0
    }

    @inlinable
    func end() {
        tally.running -= 1
        if tally.running == 0 { tally.isEnding = true }
    }

    @inlinable
    func take() -> Value {
        guard let latest else { preconditionFailure("a combination is taken that is not due") }
        tally.isDue = false
        return latest
    }

    @inlinable
    override func empty() {
        latest = nil
    }
}
