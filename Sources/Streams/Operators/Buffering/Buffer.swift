import Synchronization

extension Publisher {
    /// Buffers a limited number of values for which there is no demand yet.
    ///
    /// ```
    /// ──1──2──3──4──────|
    ///   buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)    (the request comes late)
    /// ───────────────3──4|
    /// ```
    ///
    /// **Demand.** Values are requested before the subscription is handed down: as many as the buffer holds, and one
    /// more after each delivery, or all of them.
    ///
    /// **Completion.** A normal completion follows the buffered values. A failure comes at once and drops them. To
    /// ``Publisher/values-156lz`` all values are delivered, also before a failure, and the buffer may exceed its size.
    ///
    /// **Cancellation** drops the buffered values.
    ///
    /// **Threads.** A value is delivered on the thread that sends it or on the one that requests it.
    ///
    /// - Parameters:
    ///   - size: The largest number of buffered values.
    ///   - prefetch: The demand that the buffer sends to the upstream.
    ///   - whenFull: The strategy for a value for which there is no room.
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
    /// The demand that a buffer sends to its upstream.
    public enum PrefetchStrategy: Hashable, Sendable {
        /// As many values as the buffer holds, and one more after each delivery.
        case keepFull

        /// All values.
        case byRequest
    }

    /// A publisher that buffers values of its upstream.
    public struct Buffer<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The largest number of buffered values.
        public let size: Int

        /// The demand that the buffer sends to the upstream.
        public let prefetch: PrefetchStrategy

        /// The strategy for a value for which there is no room.
        public let whenFull: BufferingStrategy<Failure>

        /// Creates the publisher of ``Publisher/buffer(size:prefetch:whenFull:)``.
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
                BufferLink(downstream: subscriber, size: size, prefetch: prefetch, whenFull: whenFull))
        }
    }
}

extension Publishers.Buffer: Sendable where Upstream: Sendable {}

/// The subscriber of `buffer` and the subscription that it hands downstream.
///
/// It differs from a ``DemandBuffer`` in what Combine documents of `buffer`: no more values may be requested than there
/// is room for, and a failure overtakes the buffered values.
@usableFromInline
final class BufferLink<Downstream: Subscriber>: UpstreamLink, Subscriber {
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

    /// Whether values are buffered beyond the size and delivered before a failure, because of rule 8.
    @usableFromInline let needsEveryValue: Bool

    /// Delivers what a request allows. A closure is specialised where it is created, a dynamic method is not.
    @usableFromInline let onRequest: (BufferLink) -> Void

    @exclusivity(unchecked) @usableFromInline var state: BufferState<Downstream>

    @inlinable
    init(
        downstream: Downstream, size: Int, prefetch: Publishers.PrefetchStrategy,
        whenFull: Publishers.BufferingStrategy<Downstream.Failure>
    ) {
        self.prefetch = prefetch
        needsEveryValue = downstream.needsEveryValue
        state = BufferState(downstream: downstream, limit: size, whenFull: whenFull)
        onRequest = { $0.submit(.demand) }
        if prefetch == .byRequest, needsEveryValue { demand.add(.unlimited) }
        super.init("Buffer")
    }

    @inlinable
    func receive(subscription: any Subscription) {
        guard attach(subscription) else { return }
        // Before the subscription is handed down, as in Combine. Until then nothing is delivered.
        // Of a source that emits from inside `request`, which may be endless, a few values first. One that sends values
        // at other times sends none before its subscription has been received.
        super.request(.max(prefetch == .keepFull ? state.buffer.limit : 64))
        submit(.start)
        if prefetch == .byRequest { super.request(.unlimited) }
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard isActive else { return .none }
        signals.perform({ accept(input) }, orEnqueue: .value(input)) { handle($0) }
        return deferredDemand.take()
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if complete() { submit(.completion(completion)) }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        self.demand.add(demand)
        onRequest(self)
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

    @inlinable
    func submit(_ event: Event) {
        signals.submit(event) { handle($0) }
        super.request(deferredDemand.take())
    }
}

/// The part of the draining thread.
extension BufferLink {
    @inlinable
    func accept(_ value: Downstream.Input) {
        guard state.passesValues, demand.takeOne() else { return append(value) }
        deliver(value)
        requestReplacement()
    }

    @inlinable
    func deliver(_ value: Downstream.Input) {
        let additional = state.recipient.receive(value)
        if additional > .none { demand.add(additional) }
    }

    /// Requests a value in place of one that was delivered.
    @inlinable
    func requestReplacement() {
        if prefetch == .keepFull { deferredDemand.add(.max(1)) }
    }

    @inlinable
    func append(_ value: Downstream.Input) {
        guard !demand.reading.isCancelled, state.completion == nil else { return }
        switch state.buffer.append(value, isUnlimited: needsEveryValue) {
        case .buffered: deliverBuffered()
        case .dropped: break
        case .failed(let makeError): if complete(cancellingUpstream: true) { state.completion = .failure(makeError()) }
        }
    }

    /// Delivers buffered values as far as there is demand, and the completion after them.
    @inlinable
    func deliverBuffered() {
        guard state.isStarted else { return }
        while !state.buffer.isEmpty, demand.takeOne() {
            guard let value = state.buffer.popFirst() else { break }
            deliver(value)
            if state.buffer.values.count < state.buffer.limit { requestReplacement() }
        }
        if let completion = state.dueCompletion(failureOvertakes: !needsEveryValue) { release(delivering: completion) }
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .start:
            state.recipient.receive(subscription: self)
            state.isStarted = true
            deliverBuffered()
        case .value(let value):
            accept(value)
        case .completion(let completion):
            if state.completion == nil { state.completion = completion }
            deliverBuffered()
        case .demand:
            deliverBuffered()
        case .cancellation:
            release(delivering: nil)
        }
    }

    /// Releases everything, and delivers the completion if there is one and the subscriber has not cancelled.
    @inlinable
    func release(delivering completion: Subscribers.Completion<Downstream.Failure>?) {
        let released = state.release()
        if let completion, !demand.cancel().isCancelled { released?.receive(completion: completion) }
    }
}
