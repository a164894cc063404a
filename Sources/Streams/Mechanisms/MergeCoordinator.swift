import Synchronization

/// The subscription of `flatMap`, `flatMapFirst`, `concatMap` and `merge`: merges the values of any number of inner
/// publishers, and buffers those for which there is no demand.
///
/// The signals of all publishers go through a queue-drain, which makes them serial. With unlimited demand a value costs
/// entering and leaving it, two atomic operations. With limited demand one value at a time is requested from each inner
/// publisher.
///
/// The draining thread does not request from publishers but defers requests until it has left the drain. A thread that
/// only enqueues leaves them to it. Any thread subscribes to publishers.
@usableFromInline
final class MergeCoordinator<Downstream: Subscriber>: NamedSubscription {
    @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

    @usableFromInline
    enum Event {
        case value(Downstream.Input, InnerLink)
        case innerCompletion(Completion, InnerLink)
        case outerCompletion(Completion)
        case demand
        case cancellation
    }

    /// The state of the draining thread.
    @usableFromInline
    struct State: ~Copyable {
        @usableFromInline var recipient: Recipient<Downstream>
        @usableFromInline var hasOuterCompleted = false
        /// The completion of the stream. If failures are delayed, the first of them.
        @usableFromInline var completion = Completion.finished
        @usableFromInline var buffer = RingBuffer<(value: Downstream.Input, inner: InnerLink)>()

        @inlinable
        init(downstream: Downstream) {
            recipient = .open(downstream)
        }

        /// Releases everything.
        ///
        /// - Returns: The subscriber, nil after the end.
        @inlinable
        mutating func release() -> Downstream? {
            buffer = RingBuffer()
            completion = .finished
            return recipient.release()
        }
    }

    /// The link to the publisher of values that inner publishers are created from. `merge` has none.
    @usableFromInline let outer = UpstreamLink()

    /// The maximum number of inner publishers at a time.
    @usableFromInline let maxPublishers: Subscribers.Demand

    /// Whether a failure waits until all publishers have completed.
    @usableFromInline let delaysErrors: Bool

    @usableFromInline let name: String

    /// Whether the subscriber buffers every value.
    @usableFromInline let needsEveryValue: Bool

    /// Delivers what a request allows. A closure is specialised where it is created, a dynamic method is not.
    @usableFromInline let onRequest: (MergeCoordinator, Subscribers.Demand) -> Void

    /// The downstream demand, and whether the stream has ended.
    @usableFromInline let demand = AtomicDemand()
    @usableFromInline let signals = SerialDrain<Event>()
    @usableFromInline let requests = DeferredRequests<(upstream: UpstreamLink, demand: Subscribers.Demand)>()

    /// The inner publishers that have not completed or of which values are buffered.
    @usableFromInline let inners = Locked<[InnerLink]>([])

    /// Set before the demand is found empty, and read after demand was added, so one of the two sides sees the other.
    @usableFromInline let hasBufferedValues = Atomic<Bool>(false)

    @exclusivity(unchecked) @usableFromInline var state: State

    @inlinable
    init(
        _ name: String, maxPublishers: Subscribers.Demand = .unlimited, delaysErrors: Bool = false,
        downstream: Downstream
    ) {
        self.name = name
        self.maxPublishers = maxPublishers
        self.delaysErrors = delaysErrors
        state = State(downstream: downstream)
        needsEveryValue = downstream.needsEveryValue
        onRequest = { $0.receive(demand: $1) }
    }

    /// Whether there are inner publishers that have not completed or of which values are buffered.
    @usableFromInline var hasInners: Bool { inners.withLock { !$0.isEmpty } }

    /// Subscribes to an inner publisher, unless the stream has ended.
    @inlinable
    func subscribe<P: Publisher>(to publisher: P) where P.Output == Downstream.Input, P.Failure == Downstream.Failure {
        let inner = InnerLink()
        let isAdded = inners.withLock { inners in
            // Either this sees the end, or `cancelAll()` sees the link.
            guard !demand.reading.isCancelled else { return false }
            inner.index = inners.count
            inners.append(inner)
            return true
        }
        guard isAdded else { return }
        publisher.subscribe(InnerSubscriber(inner: inner, coordinator: self))
    }

    /// Delivers or buffers a value.
    ///
    /// - Returns: The demand to return to the inner publisher.
    @inlinable
    func receive(_ value: Downstream.Input, from inner: InnerLink) -> Subscribers.Demand {
        signals.perform({ deliver(value, from: inner) }, orEnqueue: .value(value, inner)) {
            handle($0)
        } whenLeft: {
            sendRequests()
        } ?? .none
    }

    /// Delivers all that an inner publisher delivers, without a subscription to it, unless something has to wait: demand
    /// is limited, values are buffered, or another call is delivering.
    ///
    /// - Returns: Whether it was delivered. If not, the inner publisher is to be subscribed to.
    @inlinable
    func deliver(_ outcome: Result<Downstream.Input?, Downstream.Failure>) -> Bool {
        guard demand.reading == .flowing, signals.enter() else { return false }
        let isDelivered = state.buffer.isEmpty
        if isDelivered {
            switch outcome {
            case .success(let value?): _ = state.recipient.receive(value)
            case .success(nil): break
            case .failure(let error): _ = continues(after: .failure(error))
            }
        }
        signals.leave { handle($0) }
        sendRequests()
        return isDelivered
    }

    @inlinable
    func submit(_ event: Event) {
        signals.submit(event, { handle($0) }, whenLeft: { sendRequests() })
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        if demand > .none { onRequest(self, demand) }
    }

    /// Passes demand on, or delivers buffered values for it.
    @inlinable
    func receive(demand: Subscribers.Demand) {
        let hasRequests = add(demand)
        if hasRequests || hasBufferedValues.load(ordering: .acquiring) { submit(.demand) }
    }

    @usableFromInline
    func cancel() {
        guard !demand.cancel().isCancelled else { return }
        cancelAll()
        submit(.cancellation)
    }

    @usableFromInline var description: String { name }
}

/// The draining thread's part.
extension MergeCoordinator {
    @inlinable
    func deliver(_ value: Downstream.Input, from inner: InnerLink) -> Subscribers.Demand {
        guard demand.reading == .flowing, state.buffer.isEmpty else { return deliverOrBuffer(value, from: inner) }
        _ = state.recipient.receive(value)
        return .none
    }

    @inlinable
    func deliverOrBuffer(_ value: Downstream.Input, from inner: InnerLink) -> Subscribers.Demand {
        if state.buffer.isEmpty, demand.takeOne() {
            add(state.recipient.receive(value))
            return demand.reading.isUnlimited ? .none : .max(1)
        }
        if demand.reading.isCancelled { return .none }
        state.buffer.append((value, inner))
        inner.bufferedCount += 1
        hasBufferedValues.store(true, ordering: .relaxed)
        deliverBuffer()
        return .none
    }

    /// Delivers buffered values while there is demand, and requests another value for each of them.
    @inlinable
    func deliverBuffer() {
        while !state.buffer.isEmpty, demand.takeOne() {
            guard let (value, inner) = state.buffer.popFirst() else { break }
            inner.bufferedCount -= 1
            add(state.recipient.receive(value))
            if inner.hasCompleted {
                if inner.bufferedCount == 0 { remove(inner) }
            } else if !demand.reading.isUnlimited,
                // A publisher may have sent more than was requested to a subscriber that buffers everything.
                inner.bufferedCount == 0 || !needsEveryValue
            {
                requests.add((inner, .max(1)))
            }
        }
        if state.buffer.isEmpty { hasBufferedValues.store(false, ordering: .relaxed) }
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .value(let value, let inner):
            let additional = deliver(value, from: inner)
            if additional > .none { requests.add((inner, additional)) }
        case .innerCompletion(let completion, let inner):
            guard continues(after: completion) else { return }
            inner.hasCompleted = true
            if inner.bufferedCount == 0 { remove(inner) }
        case .outerCompletion(let completion):
            guard continues(after: completion) else { return }
            state.hasOuterCompleted = true
            if !hasInners { finish(state.completion) }
        case .demand:
            deliverBuffer()
        case .cancellation:
            _ = state.release()
        }
    }

    /// Handles the completion of a publisher, and ends the stream at a failure that is not delayed.
    ///
    /// - Returns: Whether the stream continues.
    @inlinable
    func continues(after completion: Completion) -> Bool {
        guard case .failure = completion else { return true }
        if !delaysErrors {
            finish(completion)
        } else if case .finished = state.completion {
            state.completion = completion
        }
        return delaysErrors
    }

    @inlinable
    func remove(_ inner: InnerLink) {
        let (isRemoved, isLast) = inners.withLock { (inner.remove(from: &$0), $0.isEmpty) }
        guard isRemoved else { return }
        // No inner publisher is added any more if the outer one has completed.
        if isLast, state.hasOuterCompleted { finish(state.completion) }
        if maxPublishers != .unlimited { requests.add((outer, .max(1))) }
    }

    @inlinable
    func finish(_ completion: Completion) {
        guard !demand.cancel().isCancelled else { return }
        cancelAll()
        state.release()?.receive(completion: completion)
    }
}

/// Any thread's part.
extension MergeCoordinator {
    /// Adds downstream demand. When it becomes unlimited, all values of all inner publishers are requested.
    ///
    /// - Returns: Whether there are requests to send now.
    @inlinable
    @discardableResult
    func add(_ additional: Subscribers.Demand) -> Bool {
        guard additional > .none else { return false }
        let change = demand.update { $0.adding(additional) }
        guard change.new.isUnlimited, !change.old.isUnlimited, !change.new.isCancelled else { return false }
        let inners = inners.withLock { $0 }
        for inner in inners { requests.add((inner, .unlimited)) }
        return !inners.isEmpty
    }

    /// Requests values of an inner publisher: at once, or when a delivery under way has ended, in which it may have been
    /// subscribed to.
    @inlinable
    func request(_ demand: Subscribers.Demand, from inner: InnerLink) {
        if signals.isIdle { return inner.request(demand) }
        requests.add((inner, demand))
        signals.afterwards({ sendRequests() }, { handle($0) })
    }

    @inlinable
    func sendRequests() {
        if requests.arePending { requests.send { $0.upstream.request($0.demand) } }
    }

    /// Cancels all publishers, the inner ones first, as Combine does.
    @inlinable
    func cancelAll() {
        for inner in inners.withLock({ exchange(&$0, with: []) }) { inner.cancel() }
        outer.cancel()
    }
}

/// The link to an inner publisher, and the coordinator's state of it.
@usableFromInline
// Safe because the index is guarded by the coordinator's lock, and the rest belongs to its draining thread.
final class InnerLink: UpstreamLink, @unchecked Sendable {
    /// The index among the coordinator's links.
    @exclusivity(unchecked) @usableFromInline var index = 0
    @exclusivity(unchecked) @usableFromInline var bufferedCount = 0
    @exclusivity(unchecked) @usableFromInline var hasCompleted = false

    /// Removes the link from an array in constant time: the last one takes its index.
    ///
    /// - Returns: Whether the array contained it.
    @usableFromInline
    func remove(from inners: inout [InnerLink]) -> Bool {
        guard inners.indices.contains(index), inners[index] === self, let last = inners.popLast() else { return false }
        if last !== self {
            last.index = index
            inners[index] = last
        }
        return true
    }
}

/// The subscriber of an inner publisher.
@usableFromInline
struct InnerSubscriber<Downstream: Subscriber>: Subscriber {
    @usableFromInline let inner: InnerLink
    @usableFromInline let coordinator: MergeCoordinator<Downstream>

    @inlinable
    init(inner: InnerLink, coordinator: MergeCoordinator<Downstream>) {
        self.inner = inner
        self.coordinator = coordinator
    }

    @inlinable var combineIdentifier: CombineIdentifier { inner.combineIdentifier }

    @inlinable var needsEveryValue: Bool { coordinator.needsEveryValue }

    @inlinable
    func receive(subscription: any Subscription) {
        guard inner.attach(subscription) else { return }
        coordinator.request(coordinator.demand.reading.isUnlimited ? .unlimited : .max(1), from: inner)
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        inner.isActive ? coordinator.receive(input, from: inner) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if inner.complete() { coordinator.submit(.innerCompletion(completion, inner)) }
    }
}
