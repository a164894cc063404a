/// The subscription of `flatMap`, `flatMapFirst`, `concatMap` and `merge`: merges the values of any number of inner
/// publishers, and buffers those for which there is no demand.
///
/// The signals of all publishers are events of a ``StateDrain``, which makes them serial. With unlimited demand a value
/// costs a turn. With limited demand one value at a time is requested from each inner publisher. Any thread subscribes to
/// publishers.
@usableFromInline
final class MergeCoordinator<Downstream: Subscriber>: NamedSubscription {
    @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

    @usableFromInline
    enum Event {
        case demand(Subscribers.Demand)
        case innerStart(InnerLink)
        case value(Downstream.Input, InnerLink)
        case innerCompletion(Completion, InnerLink)
        case outerCompletion(Completion)
        case cancellation
    }

    @usableFromInline
    struct State: ~Copyable, DrainState {
        @usableFromInline var recipient: Recipient<Downstream>
        @usableFromInline var demand = Subscribers.Demand.none
        @usableFromInline var buffer = RingBuffer<(value: Downstream.Input, inner: InnerLink)>()
        @usableFromInline var requests = LinkRequests()
        @usableFromInline var hasOuterCompleted = false
        /// The completion of the stream. If failures are delayed, the first of them.
        @usableFromInline var completion = Completion.finished

        @inlinable
        init(downstream: Downstream) {
            recipient = .open(downstream)
        }

        /// Whether values are delivered as they come.
        @inlinable var isFlowing: Bool { demand == .unlimited && buffer.isEmpty }

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

    /// Submits a request. A closure is specialised where it is created, a dynamic method is not.
    @usableFromInline let onRequest: (MergeCoordinator, Subscribers.Demand) -> Void

    /// The inner publishers that have not completed or of which values are buffered.
    @usableFromInline let inners = Locked<[InnerLink]>([])

    @usableFromInline let end = EndFlag()
    @usableFromInline let drain: StateDrain<State, Event>

    @inlinable
    init(
        _ name: String, maxPublishers: Subscribers.Demand = .unlimited, delaysErrors: Bool = false,
        downstream: Downstream
    ) {
        self.name = name
        self.maxPublishers = maxPublishers
        self.delaysErrors = delaysErrors
        drain = StateDrain(State(downstream: downstream))
        needsEveryValue = downstream.needsEveryValue
        onRequest = { $0.submit(.demand($1)) }
    }

    /// Whether there are inner publishers that have not completed or of which values are buffered.
    @usableFromInline var hasInners: Bool { inners.withLock { !$0.isEmpty } }

    /// Subscribes to an inner publisher, unless the stream has ended.
    @inlinable
    @inline(__always)
    func subscribe<P: Publisher>(to publisher: P) where P.Output == Downstream.Input, P.Failure == Downstream.Failure {
        let inner = InnerLink()
        let isAdded = inners.withLock { inners in
            // Either this sees the end, or `cancelAll()` sees the link.
            guard !end.isSet else { return false }
            inner.index = inners.count
            inners.append(inner)
            return true
        }
        // A cancellation cancels the inner publishers first. A cancelled group of `group(by:)` requests values, which open
        // further groups: without end if the source is endless and this publisher is not cancelled.
        guard isAdded else { return outer.cancel() }
        publisher.subscribe(InnerSubscriber(inner: inner, coordinator: self))
    }

    /// Requests the first values of an inner publisher, on the thread that subscribes to it: what one thread sends keeps
    /// its order, and an endless or slow publisher of another thread holds nothing up.
    @inlinable
    func start(_ inner: InnerLink) {
        if drain.performIfIdle({ $0.demand == .unlimited }, for: self, { $0.handle($1, &$2) }) ?? false {
            inner.request(.unlimited)
        } else {
            // One value, as this thread may be draining: the queue would take in all that an endless source has.
            inner.request(.max(1))
            if inner.isActive { submit(.innerStart(inner)) }
        }
    }

    /// Delivers or buffers a value.
    ///
    /// - Returns: The demand to return to the inner publisher.
    @inlinable
    func receive(_ value: Downstream.Input, from inner: InnerLink) -> Subscribers.Demand {
        drain.perform(
            { deliver(value, from: inner, &$0) }, orEnqueue: .value(value, inner), returningTo: inner, for: self
        ) {
            $0.handle($1, &$2)
        }
    }

    /// Delivers all that an inner publisher delivers, without a subscription to it, unless something has to wait: demand
    /// is limited, values are buffered, or another call is delivering.
    ///
    /// - Returns: Whether it was delivered. If not, the inner publisher is to be subscribed to.
    @inlinable
    func deliver(_ outcome: Result<Downstream.Input?, Downstream.Failure>) -> Bool {
        let isDelivered = drain.performIfIdle(
            { state in
                guard state.isFlowing, !end.isSet else { return false }
                switch outcome {
                case .success(let value?): _ = state.recipient.receive(value)
                case .success(nil): break
                case .failure(let error): _ = continues(after: .failure(error), &state)
                }
                return true
            }, for: self
        ) { $0.handle($1, &$2) }
        return isDelivered ?? false
    }

    @inlinable
    func submit(_ event: Event) {
        drain.submit(event, for: self) { $0.handle($1, &$2) }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        if demand > .none { onRequest(self, demand) }
    }

    @usableFromInline
    func cancel() {
        guard end.set() else { return }
        cancelAll()
        submit(.cancellation)
    }

    /// Cancels all publishers, the inner ones first, as Combine does.
    @inlinable
    func cancelAll() {
        for inner in inners.withLock({ exchange(&$0, with: []) }) { inner.cancel() }
        outer.cancel()
    }

    @usableFromInline var description: String { name }
}

// The turns of the drain.
extension MergeCoordinator {
    @inlinable
    func handle(_ event: Event, _ state: inout State) {
        switch event {
        case .value(let value, let inner):
            deliver(value, from: inner, &state)
        case .demand(let demand):
            add(demand, &state)
            deliverBuffer(&state)
        case .innerStart(let inner):
            inner.hasStarted = true
            if state.demand == .unlimited { state.requests.add(.unlimited, to: inner) }
        case .innerCompletion(let completion, let inner):
            guard continues(after: completion, &state) else { return }
            inner.hasCompleted = true
            if inner.bufferedCount == 0 { remove(inner, &state) }
        case .outerCompletion(let completion):
            guard continues(after: completion, &state) else { return }
            state.hasOuterCompleted = true
            if !hasInners { finish(state.completion, &state) }
        case .cancellation:
            _ = state.release()
        }
    }

    @inlinable
    func deliver(_ value: Downstream.Input, from inner: InnerLink, _ state: inout State) {
        guard !end.isSet else { return }
        if state.isFlowing {
            _ = state.recipient.receive(value)
        } else if state.buffer.isEmpty, state.demand > .none {
            state.demand -= .max(1)
            add(state.recipient.receive(value), &state)
            if state.demand < .unlimited { state.requests.add(.max(1), to: inner) }
        } else {
            state.buffer.append((value, inner))
            inner.bufferedCount += 1
        }
    }

    /// Adds demand of the subscriber. When it becomes unlimited, all values of all inner publishers are requested.
    @inlinable
    func add(_ demand: Subscribers.Demand, _ state: inout State) {
        guard demand > .none, state.demand < .unlimited else { return }
        state.demand += demand
        guard state.demand == .unlimited else { return }
        for inner in inners.withLock({ $0 }) where inner.hasStarted { state.requests.add(.unlimited, to: inner) }
    }

    /// Delivers buffered values while there is demand, and requests another value for each of them.
    @inlinable
    func deliverBuffer(_ state: inout State) {
        while state.demand > .none, !end.isSet, let (value, inner) = state.buffer.popFirst() {
            state.demand -= .max(1)
            inner.bufferedCount -= 1
            add(state.recipient.receive(value), &state)
            if inner.hasCompleted {
                if inner.bufferedCount == 0 { remove(inner, &state) }
            } else if state.demand < .unlimited,
                // A publisher may have sent more than was requested to a subscriber that buffers everything.
                inner.bufferedCount == 0 || !needsEveryValue
            {
                state.requests.add(.max(1), to: inner)
            }
        }
    }

    /// Handles the completion of a publisher, and ends the stream at a failure that is not delayed.
    ///
    /// - Returns: Whether the stream continues.
    @inlinable
    func continues(after completion: Completion, _ state: inout State) -> Bool {
        guard case .failure = completion else { return true }
        if !delaysErrors {
            finish(completion, &state)
        } else if case .finished = state.completion {
            state.completion = completion
        }
        return delaysErrors
    }

    @inlinable
    func remove(_ inner: InnerLink, _ state: inout State) {
        let (isRemoved, isLast) = inners.withLock { (inner.remove(from: &$0), $0.isEmpty) }
        guard isRemoved else { return }
        // No inner publisher is added any more if the outer one has completed.
        if isLast, state.hasOuterCompleted { finish(state.completion, &state) }
        if maxPublishers != .unlimited { state.requests.add(.max(1), to: outer) }
    }

    @inlinable
    func finish(_ completion: Completion, _ state: inout State) {
        guard end.set() else { return }
        cancelAll()
        state.release()?.receive(completion: completion)
    }
}

/// The link to an inner publisher, and the coordinator's state of it.
@usableFromInline
// Safe because the index is guarded by the coordinator's lock, and the rest belongs to its draining thread.
final class InnerLink: UpstreamLink, @unchecked Sendable {
    /// The index among the coordinator's links.
    @exclusivity(unchecked) @usableFromInline var index = 0
    /// Whether its first value has been requested, so that another thread may request more.
    @exclusivity(unchecked) @usableFromInline var hasStarted = false
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
        if inner.attach(subscription) { coordinator.start(inner) }
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
