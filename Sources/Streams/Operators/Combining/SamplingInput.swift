/// An input each of whose values brings about a combination, once the others have one. Until then its values come to nothing.
@usableFromInline
// Safe because it belongs to the owner of the junction's serialiser.
final class SamplingInput<Value>: JunctionLink, JunctionInput, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var values = RingBuffer<Value>()

    @inlinable
    func accept(_ value: Value) {
        guard tally.isMissingAskerOnly else {
            tally.wasted += 1
            return
        }
        values.append(value)
        tally.isDue = true
    }

    @usableFromInline
    func end() {
        tally.isEnding = true
    }

    @inlinable
    func take() -> Value {
        guard let value = values.popFirst() else { preconditionFailure("a combination is taken that is not due") }
        tally.isDue = !values.isEmpty
        return value
    }

    @usableFromInline
    override func empty() {
        values = RingBuffer()
    }
}
