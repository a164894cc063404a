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

    /// Notes that an input has a value that had none.
    ///
    /// - Returns: Whether all have one now.
    @inlinable
    @discardableResult
    func inputFilled() -> Bool {
        missing -= 1
        return missing == 0
    }

    /// Notes that an input has given its only value away.
    @inlinable
    func inputEmptied() {
        missing += 1
        isDue = false
    }

    /// Whether every input has a value apart from the one that asks, and that is never noted to have one.
    @inlinable var isMissingAskerOnly: Bool { missing == 1 }
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
