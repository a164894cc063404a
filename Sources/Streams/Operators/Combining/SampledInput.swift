/// An input that is asked for everything, whatever the subscriber asks for, and keeps its newest value.
@usableFromInline
// Safe because what changes belongs to the owner of the junction's serialiser.
class OpenInput<Value>: JunctionLink, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline final var latest: Value?

    @inlinable
    final func accept(_ value: Value) {
        if latest == nil { tally.missing -= 1 }
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
}

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
        tally.missing += 1
        tally.isDue = false
        return value
    }
}

/// An input each of whose values brings about a combination, once the others have one. Until then its values come to nothing.
@usableFromInline
// Safe because it belongs to the owner of the junction's serialiser.
final class SamplingInput<Value>: JunctionLink, JunctionInput, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var values = RingBuffer<Value>()

    @inlinable
    func accept(_ value: Value) {
        // Its own place among the missing inputs is the one left.
        guard tally.missing == 1 else {
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
