/// What the inputs of a coordinator tell it, and each other. It belongs to the owner of the coordinator's signals.
@usableFromInline
final class CombiningState {
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

/// An input of a coordinator, as far as its type of value does not matter.
// Safe because what is added to the link belongs to the owner of the coordinator's signals.
@usableFromInline
class CombiningLink: UpstreamLink, @unchecked Sendable {
    @usableFromInline final let state: CombiningState

    @inlinable
    init(_ state: CombiningState) {
        self.state = state
        super.init()
    }

    /// Called once, when all inputs have their subscriptions, before the subscriber has its own.
    @usableFromInline
    func begin() {}

    /// Lets go of all values.
    @inlinable
    func empty() {}
}

/// An input of a coordinator. Except for what it inherits, it is the signals's owner's.
@usableFromInline
protocol CombiningInput: CombiningLink {
    associatedtype Value

    /// Takes in a value.
    func accept(_ value: Value)

    /// Takes in the end of the values.
    func end()

    /// Gives out the value that goes into a combination.
    func take() -> Value
}

/// An input that keeps its values until there is one of every other input to go with each.
// Safe because these belong to the owner of the coordinator's signals.
@usableFromInline
final class QueuedInput<Value>: CombiningLink, CombiningInput, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var values = RingBuffer<Value>()
    @exclusivity(unchecked) @usableFromInline var isExhausted = false

    @inlinable
    func accept(_ value: Value) {
        if values.isEmpty { state.isDue = state.inputFilled() }
        values.append(value)
    }

    @inlinable
    func end() {
        isExhausted = true
        if values.isEmpty { state.isEnding = true }
    }

    @inlinable
    func take() -> Value {
        guard let value = values.popFirst() else { preconditionFailure("a combination is taken that is not due") }
        if values.isEmpty {
            state.inputEmptied()
            if isExhausted { state.isEnding = true }
        }
        return value
    }

    @inlinable
    override func empty() {
        values = RingBuffer()
    }
}

/// An input that keeps its newest value, which goes into every combination until the next one comes.
// Safe because it belongs to the owner of the coordinator's signals.
@usableFromInline
final class LatestInput<Value>: CombiningLink, CombiningInput, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var latest: Value?

    @inlinable
    func accept(_ value: Value) {
        if latest == nil { state.inputFilled() }
        latest = value
        state.isDue = state.missing == 0
    }

    @inlinable
    func end() {
        state.running -= 1
        if state.running == 0 { state.isEnding = true }
    }

    @inlinable
    func take() -> Value {
        guard let latest else { preconditionFailure("a combination is taken that is not due") }
        state.isDue = false
        return latest
    }

    @inlinable
    override func empty() {
        latest = nil
    }
}

/// An input that is asked for everything, whatever the subscriber asks for, and keeps its newest value.
@usableFromInline
// Safe because what changes belongs to the owner of the coordinator's signals.
class UnlimitedInput<Value>: CombiningLink, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline final var latest: Value?

    @inlinable
    final func accept(_ value: Value) {
        if latest == nil { state.inputFilled() }
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

/// An input whose newest value goes out once, when a `TriggeringInput` or the end of the values brings it about.
@usableFromInline
// Safe because it belongs to the owner of the coordinator's signals.
final class UndeliveredInput<Value>: UnlimitedInput<Value>, CombiningInput, @unchecked Sendable {
    @usableFromInline
    func end() {
        state.isEnding = true
        if latest != nil { state.isDue = true }
    }

    @inlinable
    func take() -> Value {
        guard let value = latest.take() else { preconditionFailure("a combination is taken that is not due") }
        state.inputEmptied()
        return value
    }
}

/// An input whose newest value goes into the combinations that a `TriggeringInput` brings about.
@usableFromInline
// Safe because it belongs to the owner of the coordinator's signals.
final class SampledInput<Value>: UnlimitedInput<Value>, CombiningInput, @unchecked Sendable {
    @usableFromInline
    func end() {
        if latest == nil { state.isEnding = true }
    }

    @inlinable
    func take() -> Value {
        guard let latest else { preconditionFailure("a combination is taken that is not due") }
        return latest
    }
}

/// An input each of whose values brings about a combination, once the others have one. Until then its values come to nothing.
@usableFromInline
// Safe because it belongs to the owner of the coordinator's signals.
final class TriggeringInput<Value>: CombiningLink, CombiningInput, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var values = RingBuffer<Value>()

    @inlinable
    func accept(_ value: Value) {
        guard state.isMissingAskerOnly else {
            state.wasted += 1
            return
        }
        values.append(value)
        state.isDue = true
    }

    @usableFromInline
    func end() {
        state.isEnding = true
    }

    @inlinable
    func take() -> Value {
        guard let value = values.popFirst() else { preconditionFailure("a combination is taken that is not due") }
        state.isDue = !values.isEmpty
        return value
    }

    @usableFromInline
    override func empty() {
        values = RingBuffer()
    }
}
