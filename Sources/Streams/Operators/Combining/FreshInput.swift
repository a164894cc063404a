/// An input whose newest value goes out once, when a `SamplingInput` or the end of the values brings it about.
@usableFromInline
// Safe because it belongs to the owner of the junction's serialiser.
final class FreshInput<Value>: OpenInput<Value>, JunctionInput, @unchecked Sendable {
    @usableFromInline
    func end() {
        tally.isEnding = true
        if latest != nil { tally.isDue = true }
    }

    @inlinable
    func take() -> Value {
        guard let value = latest.take() else { preconditionFailure("a combination is taken that is not due") }
        tally.inputEmptied()
        return value
    }
}
