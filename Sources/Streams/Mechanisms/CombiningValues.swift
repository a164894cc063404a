/// The policy of an input: which values it keeps and requests, when they are combined, and what its end means.
@usableFromInline
enum CombiningPolicy: Sendable {
    /// Every value is kept until it goes into a combination.
    case queue
    /// The latest value is kept. Each new one makes a combination.
    case latest
    /// The latest value is kept for the combinations that a trigger makes.
    case sampled
    /// The latest value is kept for one combination, which a trigger or the end makes.
    case sampledOnce
    /// Each value makes a combination if the other inputs have one.
    case trigger

    /// Whether all values are requested, instead of as many as the subscriber requests.
    @inlinable var isSampled: Bool { self == .sampled || self == .sampledOnce }

    /// Whether a value that makes no combination is replaced by requesting another one.
    @inlinable var replacesValues: Bool { self == .latest || self == .trigger }

    /// Whether a combination that was not requested waits, and a newer one replaces it. Otherwise it is delivered:
    /// there are no more than were requested from the inputs, or the subscriber buffers them.
    @inlinable var dropsUnrequestedValues: Bool { self == .latest || self == .sampledOnce }
}

/// The values of an input that are yet to be combined, which change the state that the inputs share.
@usableFromInline
struct CombiningValues<Value> {
    @usableFromInline let policy: CombiningPolicy
    /// The value of the next combination, and the queue of those after it.
    @usableFromInline var next: Value?
    @usableFromInline var queue = RingBuffer<Value>()
    @usableFromInline var isFinished = false

    @inlinable
    init(_ policy: CombiningPolicy) {
        self.policy = policy
    }

    @inlinable
    @inline(__always)
    mutating func store(_ value: Value, _ state: inout CombiningState) {
        if next == nil {
            if policy == .trigger, state.missingInputs > 1 { return }
            state.missingInputs -= 1
        } else if policy == .queue {
            return queue.append(value)
        }
        next = value
        state.isDue = state.missingInputs == 0
    }

    /// Takes the value for a combination that is due, for which every input has one.
    @inlinable
    @inline(__always)
    mutating func take(_ state: inout CombiningState) -> Value {
        guard let taken = next else { preconditionFailure("a combination is due without a value") }
        if policy == .latest { state.isDue = false }
        guard policy != .latest, policy != .sampled else { return taken }
        next = queue.popFirst()
        if next == nil {
            state.missingInputs += 1
            state.isDue = false
            if isFinished { state.isEnding = true }
        }
        return taken
    }

    /// Handles the end of the values.
    @inlinable
    mutating func finish(_ state: inout CombiningState) {
        isFinished = true
        state.runningInputs -= 1
        switch policy {
        case .queue, .sampled: if next == nil { state.isEnding = true }
        case .latest: if state.runningInputs == 0 { state.isEnding = true }
        case .trigger: state.isEnding = true
        case .sampledOnce:
            state.isEnding = true
            state.isDue = next != nil
        }
    }
}

/// The state that the inputs of a coordinator share.
@usableFromInline
struct CombiningState {
    /// The number of inputs that have no value to combine.
    @usableFromInline var missingInputs: Int
    /// The number of inputs that have not completed.
    @usableFromInline var runningInputs: Int
    /// Whether a combination can be taken.
    @usableFromInline var isDue = false
    /// Whether no further combination becomes due.
    @usableFromInline var isEnding: Bool

    @inlinable
    init(inputCount: Int) {
        missingInputs = inputCount
        runningInputs = inputCount
        isEnding = inputCount == 0
    }
}
