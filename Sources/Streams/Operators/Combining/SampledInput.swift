/// An input whose newest value goes into the combinations that a `SamplingInput` brings about.
@usableFromInline
// Safe because it belongs to the owner of the junction's serialiser.
final class SampledInput<Value>: OpenInput<Value>, JunctionInput, @unchecked Sendable {
    @usableFromInline
    func end() {
        if latest == nil { tally.isEnding = true }
    }

    @inlinable
    func take() -> Value {
        guard let latest else { preconditionFailure("a combination is taken that is not due") }
        return latest
    }
}
