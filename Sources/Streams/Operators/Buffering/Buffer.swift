import Synchronization

extension Publisher {
    /// Keeps values that there is no demand for yet, up to a number.
    ///
    /// ```
    /// ──1──2──3──4──────|
    ///   buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)    (demand comes late)
    /// ───────────────3──4|
    /// ```
    ///
    /// The upstream is asked at once, before the subscriber is: for as many values as the buffer holds, and one more
    /// for each delivered, or for all there are. A failure of the upstream is delivered at once, and what was kept is
    /// dropped; after a normal completion what was kept is delivered first. Cancellation drops what was kept. Values
    /// are delivered on the thread that brings them or that asks for them, one after the other.
    ///
    /// To ``Publisher/values-156lz`` it delivers everything there is, also before a failure. Of an upstream that does
    /// not wait for demand it keeps more than `size` values then.
    ///
    /// - Parameters:
    ///   - size: How many values are kept at most.
    ///   - prefetch: How much the upstream is asked for.
    ///   - whenFull: What becomes of a value for which there is no room.
    @inlinable
    public func buffer(
        size: Int,
        prefetch: Publishers.PrefetchStrategy,
        whenFull: Publishers.BufferingStrategy<Failure>
    ) -> Publishers.Buffer<Self> {
        Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
    }
}

extension Publishers {
    /// How much a buffer asks its upstream for.
    public enum PrefetchStrategy: Hashable, Sendable {
        /// As many values as the buffer holds, and one more for each that is delivered.
        case keepFull

        /// All there are.
        case byRequest
    }

    /// What a buffer does with a value for which it has no room.
    @preconcurrency
    public enum BufferingStrategy<Failure: Error>: Sendable {
        /// Drops the value.
        case dropNewest

        /// Drops the value that has been kept longest, and keeps the new one.
        case dropOldest

        /// Cancels the upstream, and ends with the error that the closure makes, once the subscriber asks for values
        /// again and has received what it asked for.
        case customError(@Sendable () -> Failure)
    }

    /// The publisher that ``Publisher/buffer(size:prefetch:whenFull:)`` makes.
    public struct Buffer<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How many values are kept at most.
        public let size: Int

        /// How much the upstream is asked for.
        public let prefetch: PrefetchStrategy

        /// What becomes of a value for which there is no room.
        public let whenFull: BufferingStrategy<Failure>

        /// Makes the publisher; ``Publisher/buffer(size:prefetch:whenFull:)`` is the usual way to it.
        @inlinable
        public init(
            upstream: Upstream, size: Int, prefetch: PrefetchStrategy, whenFull: BufferingStrategy<Failure>
        ) {
            self.upstream = upstream
            self.size = size
            self.prefetch = prefetch
            self.whenFull = whenFull
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                BufferSubscription(downstream: subscriber, size: size, prefetch: prefetch, whenFull: whenFull))
        }
    }
}

extension Publishers.Buffer: Sendable where Upstream: Sendable {}

/// Both halves of a buffer. Signals and requests go through a signals, whose owner alone touches the kept values.
@usableFromInline
final class BufferSubscription<Downstream: Subscriber>: UpstreamLink, Subscriber {
    @usableFromInline
    enum Event {
        case start
        case value(Downstream.Input)
        case completion(Subscribers.Completion<Downstream.Failure>)
        case demand
        case cancellation
    }

    @usableFromInline let prefetch: Publishers.PrefetchStrategy
    @usableFromInline let demand = AtomicDemand()
    @usableFromInline let deferredDemand = DeferredDemand()
    @usableFromInline let signals = SerialDrain<Event>()

    /// Whether values are kept beyond the size, because the upstream may send more than it is asked for, and come
    /// before a failure.
    @usableFromInline let keepsUnrequestedValues = Atomic<Bool>(false)

    // These belong to the owner of the signals.
    @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
    @exclusivity(unchecked) @usableFromInline var kept: BoundedBuffer<Downstream.Input, Downstream.Failure>
    @exclusivity(unchecked) @usableFromInline var isStarted = false
    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Downstream.Failure>?

    @usableFromInline
    init(
        downstream: Downstream, size: Int, prefetch: Publishers.PrefetchStrategy,
        whenFull: Publishers.BufferingStrategy<Downstream.Failure>
    ) {
        self.downstream = downstream
        self.prefetch = prefetch
        kept = BoundedBuffer(limit: size, whenFull: whenFull)
        super.init()
    }

    @usableFromInline override var description: String { "Buffer" }

    @usableFromInline
    func receive(subscription: any Subscription) {
        guard attach(subscription) else { return }
        let prefetched = prefetch == .keepFull ? Subscribers.Demand.max(kept.limit) : .unlimited
        if prefetched > .none { subscription.request(prefetched) }
        submit(.start)
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard isActive else { return .none }
        if signals.enter() {
            accept(input)
            signals.leave { handle($0) }
        } else if signals.enqueue(.value(input)) {
            signals.drain { handle($0) }
        }
        return deferredDemand.take()
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if complete() { submit(.completion(completion)) }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        self.demand.add(demand)
        submit(.demand)
    }

    @usableFromInline
    override func cancel() {
        guard !demand.cancel().isCancelled else { return }
        super.cancel()
        submit(.cancellation)
    }

    @usableFromInline override var dropsUnrequestedValues: Bool {
        prefetch == .byRequest || super.dropsUnrequestedValues
    }

    @usableFromInline
    override func keepUnrequestedValues() {
        keepsUnrequestedValues.store(true, ordering: .relaxed)
        super.keepUnrequestedValues()
    }

    private func submit(_ event: Event) {
        signals.submit(event) { handle($0) }
        let more = deferredDemand.take()
        if more > .none { super.request(more) }
    }
}

/// What only the owner of the signals does.
extension BufferSubscription {
    @inlinable
    func accept(_ value: Downstream.Input) {
        guard isStarted, kept.isEmpty, ending == nil, kept.limit > 0, let downstream, demand.takeOne() else {
            keep(value)
            return
        }
        deliver(value, to: downstream)
        replace()
    }

    @inlinable
    func deliver(_ value: Downstream.Input, to downstream: Downstream) {
        let additional = downstream.receive(value)
        if additional > .none { demand.add(additional) }
    }

    /// Notes that another value may come in place of one that was delivered.
    @inlinable
    func replace() {
        if prefetch == .keepFull { deferredDemand.add(.max(1)) }
    }

    @usableFromInline
    func keep(_ value: Downstream.Input) {
        guard downstream != nil, ending == nil else { return }
        switch kept.append(value, isUnlimited: keepsUnrequestedValues.load(ordering: .relaxed)) {
        case .kept: deliverKept()
        case .dropped: break
        case .fatal(let makeError): if complete(cancellingUpstream: true) { ending = .failure(makeError()) }
        }
    }

    /// Delivers what is kept as far as there is demand, and the completion when it is its turn.
    private func deliverKept() {
        guard isStarted else { return }
        while let downstream, !kept.isEmpty, demand.takeOne() {
            guard let value = kept.popFirst() else { break }
            deliver(value, to: downstream)
            if kept.values.count < kept.limit { replace() }
        }
        switch ending {
        case .failure? where !keepsUnrequestedValues.load(ordering: .relaxed): release(delivering: ending)
        case .failure?, .finished?: if kept.isEmpty { release(delivering: ending) }
        case nil: break
        }
    }

    @usableFromInline
    func handle(_ event: Event) {
        switch event {
        case .start:
            downstream?.receive(subscription: self)
            isStarted = true
            deliverKept()
        case .value(let value):
            accept(value)
        case .completion(let completion):
            if ending == nil { ending = completion }
            deliverKept()
        case .demand:
            deliverKept()
        case .cancellation:
            release(delivering: nil)
        }
    }

    /// Lets go of everything, and delivers the completion, if there is one and nobody has cancelled.
    private func release(delivering completion: Subscribers.Completion<Downstream.Failure>?) {
        kept.close()
        let finished = downstream.take()
        if let completion, !demand.cancel().isCancelled { finished?.receive(completion: completion) }
    }
}
