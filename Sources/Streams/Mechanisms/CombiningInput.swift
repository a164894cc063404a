import Synchronization

/// The state that the inputs of a combination share. It belongs to the coordinator's draining thread.
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

/// The link to the publisher of an input, and the state of the requests to it.
///
/// A source that emits from inside `request` may be endless, and keeps other inputs from being requested meanwhile. It
/// is recognised by what it does: by the values that come on the thread that is passing it a request.
@usableFromInline
final class CombiningLink: UpstreamLink {
    /// The number of values that are requested at a time from a source that emits them from inside `request`.
    @inlinable static var batchSize: Int { 64 }

    /// The thread that is passing a request to the source.
    @usableFromInline let requestingThread = Atomic<ThreadIdentity>(.none)
    /// The number of values that the source has emitted from inside `request`.
    @usableFromInline let insideCount = Atomic<Int>(0)
    /// Whether a batch is requested at a time, although all values are wanted.
    @usableFromInline let isBatched = Atomic<Bool>(false)

    // These belong to the coordinator's draining thread.
    /// The demand that is requested when the values make combinations, which other inputs have none for yet.
    @exclusivity(unchecked) @usableFromInline var withheld = Subscribers.Demand.none
    /// The number of values that made no combination, so that others were requested at once.
    @exclusivity(unchecked) @usableFromInline var replacedCount = 0

    /// Whether the source has emitted a batch of values from inside `request`.
    @inlinable var emitsInsideRequest: Bool { insideCount.load(ordering: .relaxed) >= Self.batchSize }

    /// Records that a value has come.
    ///
    /// - Returns: The demand to return for it. A batch that is being requested is for values from inside the request:
    ///   one that comes on another thread is replaced, so that none is dropped before all are requested.
    @inlinable
    func noteValue() -> Subscribers.Demand {
        let thread = requestingThread.load(ordering: .relaxed)
        if thread == .none { return .none }
        guard thread == .current else { return isBatched.load(ordering: .relaxed) ? .max(1) : .none }
        insideCount.store(insideCount.load(ordering: .relaxed) + 1, ordering: .relaxed)
        return .none
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        requestingThread.store(.current, ordering: .relaxed)
        super.request(demand)
        requestingThread.store(.none, ordering: .relaxed)
    }

    /// Requests a batch of values, and all others unless the source emits the batch from inside `request`. Of a source
    /// that would drop the others, all are requested at once.
    @usableFromInline
    func requestAll() {
        if dropsUnrequestedValues {
            super.request(.unlimited)
            return isBatched.store(false, ordering: .relaxed)
        }
        isBatched.store(true, ordering: .relaxed)
        insideCount.store(0, ordering: .relaxed)
        requestingThread.store(.current, ordering: .relaxed)
        super.request(.max(Self.batchSize))
        if !emitsInsideRequest {
            super.request(.unlimited)
            isBatched.store(false, ordering: .relaxed)
        }
        requestingThread.store(.none, ordering: .relaxed)
    }
}

/// The values of one publisher that are yet to be combined.
@usableFromInline
// Safe because the values belong to the coordinator's draining thread.
final class CombiningInput<Value>: @unchecked Sendable {
    @usableFromInline
    enum Retention {
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
    }

    @usableFromInline let link = CombiningLink()
    @usableFromInline let retention: Retention
    @exclusivity(unchecked) @usableFromInline var isFinished = false

    /// The value of the next combination, and the queue of those after it.
    @exclusivity(unchecked) @usableFromInline var value: Value?
    @exclusivity(unchecked) @usableFromInline var queue = RingBuffer<Value>()

    @inlinable
    init(_ retention: Retention) {
        self.retention = retention
    }

    /// Stores a value.
    ///
    /// - Returns: Whether the value makes no combination, so that another one is requested.
    @inlinable
    @inline(__always)
    func store(_ newValue: Value, _ state: inout CombiningState) -> Bool {
        if value == nil {
            if retention == .trigger, state.missingInputs > 1 { return true }
            state.missingInputs -= 1
        } else if retention == .queue {
            queue.append(newValue)
            return false
        }
        value = newValue
        state.isDue = state.missingInputs == 0
        return retention == .latest && !state.isDue
    }

    /// Takes the value for a combination that is due, for which every input has one.
    @inlinable
    @inline(__always)
    func take(_ state: inout CombiningState) -> Value {
        guard let taken = value else { preconditionFailure("a combination is due without a value") }
        if retention == .latest { state.isDue = false }
        guard retention != .latest, retention != .sampled else { return taken }
        value = queue.popFirst()
        if value == nil {
            state.missingInputs += 1
            state.isDue = false
            if isFinished { state.isEnding = true }
        }
        return taken
    }

    /// Handles the end of the values.
    @inlinable
    func finish(_ state: inout CombiningState) {
        isFinished = true
        state.runningInputs -= 1
        switch retention {
        case .queue, .sampled: if value == nil { state.isEnding = true }
        case .latest: if state.runningInputs == 0 { state.isEnding = true }
        case .trigger: state.isEnding = true
        case .sampledOnce:
            state.isEnding = true
            state.isDue = value != nil
        }
    }
}
