/// What the inputs of a junction tell it, and each other. It belongs to the owner of the junction's serialiser.
@usableFromInline
final class JunctionTally {
    /// How many inputs have no value to combine.
    @exclusivity(unchecked) @usableFromInline var missing: Int

    /// How many inputs have not completed.
    @exclusivity(unchecked) @usableFromInline var running: Int

    /// Whether a combination can be taken.
    @exclusivity(unchecked) @usableFromInline var isDue = false

    /// How many values have come to nothing, so that others are to be asked for in their place.
    @exclusivity(unchecked) @usableFromInline var wasted: UInt = 0

    /// Whether no further combination will become due.
    @exclusivity(unchecked) @usableFromInline var isEnding: Bool

    @inlinable
    init(inputCount: Int) {
        missing = inputCount
        running = inputCount
        isEnding = inputCount == 0
    }
}

/// An input of a junction, as far as its type of value does not matter.
// Safe because what is added to the link belongs to the owner of the junction's serialiser.
@usableFromInline
class JunctionLink: UpstreamLink, @unchecked Sendable {
    @usableFromInline final let tally: JunctionTally

    @inlinable
    init(_ name: OperatorName, _ tally: JunctionTally) {
        self.tally = tally
        super.init(name)
    }

    /// Called once, when all inputs have their subscriptions, before the subscriber has its own.
    @usableFromInline
    func begin() {}

    /// Lets go of all values.
    @inlinable
    func empty() {}

    /// Whether it keeps all values that are not combined yet, in their order.
    @usableFromInline var isQueue: Bool { false }
}

/// An input of a junction. Except for what it inherits, it is the serialiser's owner's.
@usableFromInline
protocol JunctionInput: JunctionLink {
    associatedtype Value

    /// Takes in a value.
    func accept(_ value: Value)

    /// Takes in the end of the values.
    func end()

    /// Gives out the value that goes into a combination.
    func take() -> Value
}

/// An input that keeps its values until there is one of every other input to go with each.
// Safe because these belong to the owner of the junction's serialiser.
@usableFromInline
final class ZippedInput<Value>: JunctionLink, JunctionInput, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var values = RingBuffer<Value>()
    @exclusivity(unchecked) @usableFromInline var isExhausted = false

    @inlinable
    func accept(_ value: Value) {
        if values.isEmpty {
            tally.missing -= 1
            tally.isDue = tally.missing == 0
        }
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
            tally.missing += 1
            tally.isDue = false
            if isExhausted { tally.isEnding = true }
        }
        return value
    }

    @inlinable
    override func empty() {
        values = RingBuffer()
    }

    @usableFromInline override var isQueue: Bool { true }
}

/// An input that keeps its newest value, which goes into every combination until the next one comes.
// Safe because it belongs to the owner of the junction's serialiser.
@usableFromInline
final class LatestInput<Value>: JunctionLink, JunctionInput, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var latest: Value?

    @inlinable
    func accept(_ value: Value) {
        if latest == nil { tally.missing -= 1 }
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
