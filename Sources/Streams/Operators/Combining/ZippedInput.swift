/// An input that keeps its values until there is one of every other input to go with each.
// Safe because these belong to the owner of the junction's serialiser.
@usableFromInline
final class ZippedInput<Value>: JunctionLink, JunctionInput, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var values = RingBuffer<Value>()
    @exclusivity(unchecked) @usableFromInline var isExhausted = false

    @inlinable
    func accept(_ value: Value) {
        if values.isEmpty { tally.isDue = tally.inputFilled() }
        values.append(value)
    }

    @inlinable
    func end() {
        isExhausted = true
        if values.isEmpty { tally.isEnding = true }
    }

    @inlinable
    func take() -> Value {
        guard let value = values.popFirst() else { preconditionFailure("a combination is taken that is not due") }
        if values.isEmpty {
            tally.inputEmptied()
            if isExhausted { tally.isEnding = true }
        }
        return value
    }

    @inlinable
    override func empty() {
        values = RingBuffer()
    }
}
