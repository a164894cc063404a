import Synchronization

/// The link to the publisher of an input, and the state of the requests to it.
///
/// A source that emits from inside `request` may be endless, and keeps other inputs from being requested meanwhile. It
/// is recognised by what it does: by the values that come on the thread that is passing it a request.
@usableFromInline
final class CombiningLink: UpstreamLink {
    /// The number of values that are requested at a time from a source that emits them from inside `request`.
    @inlinable static var batchSize: Int { 64 }

    @usableFromInline let policy: CombiningPolicy
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

    @inlinable
    init(_ policy: CombiningPolicy) {
        self.policy = policy
        super.init()
    }

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
    override func send(_ demand: Subscribers.Demand) {
        if demand == .unlimited, isBatched.load(ordering: .relaxed) { return requestAll() }
        requestingThread.store(.current, ordering: .relaxed)
        super.send(demand)
        requestingThread.store(.none, ordering: .relaxed)
    }

    /// Requests a batch of values, and all others unless the source emits the batch from inside `request`. Of a source
    /// that would drop the others, all are requested at once.
    @usableFromInline
    func requestAll() {
        if dropsUnrequestedValues {
            super.send(.unlimited)
            return isBatched.store(false, ordering: .relaxed)
        }
        insideCount.store(0, ordering: .relaxed)
        requestingThread.store(.current, ordering: .relaxed)
        super.send(.max(Self.batchSize))
        if !emitsInsideRequest {
            super.send(.unlimited)
            isBatched.store(false, ordering: .relaxed)
        }
        requestingThread.store(.none, ordering: .relaxed)
    }
}

/// The link to one publisher, and its values.
@usableFromInline
// Safe because the values belong to the coordinator's draining thread.
final class CombiningInput<Value>: @unchecked Sendable {
    @usableFromInline let link: CombiningLink
    @exclusivity(unchecked) @usableFromInline var values: CombiningValues<Value>

    @inlinable
    init(_ policy: CombiningPolicy) {
        link = CombiningLink(policy)
        values = CombiningValues(policy)
    }
}
