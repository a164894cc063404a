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
    /// more after each delivery, or all of them. With `byRequest`, a source that emits from inside `request` and never
    /// ends delivers nothing.
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
    @usableFromInline typealias State = BufferState<Downstream>

    @usableFromInline
    enum Event {
        case start
        case value(Downstream.Input)
        case completion(Subscribers.Completion<Downstream.Failure>)
        case demand(Subscribers.Demand)
        case cancellation
    }

    @usableFromInline let size: Int
    @usableFromInline let prefetch: Publishers.PrefetchStrategy

    /// Whether values are buffered beyond the size and delivered before a failure, because of rule 8.
    @usableFromInline let needsEveryValue: Bool

    /// Submits a request. A closure is specialised where it is created, a dynamic method is not.
    @usableFromInline let onRequest: (BufferLink, Subscribers.Demand) -> Void

    @usableFromInline let end = EndFlag()
    @usableFromInline let drain: StateDrain<State, Event>

    @inlinable
    init(
        downstream: Downstream, size: Int, prefetch: Publishers.PrefetchStrategy,
        whenFull: Publishers.BufferingStrategy<Downstream.Failure>
    ) {
        self.size = size
        self.prefetch = prefetch
        needsEveryValue = downstream.needsEveryValue
        var state = State(downstream: downstream, limit: size, whenFull: whenFull)
        if prefetch == .byRequest, needsEveryValue { state.demand = .unlimited }
        drain = StateDrain(state)
        onRequest = { $0.submit(.demand($1)) }
        super.init("Buffer")
    }

    @inlinable
    func receive(subscription: any Subscription) {
        guard attach(subscription) else { return }
        // Before the subscription is handed down, as in Combine. Until then nothing is delivered.
        super.request(prefetch == .keepFull ? .max(size) : .unlimited)
        submit(.start)
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard isActive else { return .none }
        return drain.perform({ accept(input, &$0) }, orEnqueue: .value(input), returningTo: self, for: self) {
            $0.handle($1, &$2)
        }
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if complete() { submit(.completion(completion)) }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        if demand > .none { onRequest(self, demand) }
    }

    @usableFromInline
    override func cancel() {
        guard end.set() else { return }
        super.cancel()
        submit(.cancellation)
    }

    @usableFromInline override var dropsUnrequestedValues: Bool {
        prefetch == .byRequest || super.dropsUnrequestedValues
    }

    @inlinable
    func submit(_ event: Event) {
        drain.submit(event, for: self) { $0.handle($1, &$2) }
    }
}

// The turns of the drain.
extension BufferLink {
    @inlinable
    func handle(_ event: Event, _ state: inout State) {
        switch event {
        case .start:
            state.recipient.receive(subscription: self)
            state.isStarted = true
            deliverBuffered(&state)
        case .value(let value):
            accept(value, &state)
        case .completion(let completion):
            if state.completion == nil { state.completion = completion }
            deliverBuffered(&state)
        case .demand(let demand):
            state.demand += demand
            deliverBuffered(&state)
        case .cancellation:
            _ = state.release()
        }
    }

    @inlinable
    func accept(_ value: Downstream.Input, _ state: inout State) {
        guard !end.isSet, state.completion == nil else { return }
        if state.passesValues, state.takeDemand() {
            state.demand += state.recipient.receive(value)
            return requestReplacement(&state)
        }
        switch state.buffer.append(value, isUnlimited: needsEveryValue) {
        case .buffered: deliverBuffered(&state)
        case .dropped: break
        case .failed(let makeError): if complete(cancellingUpstream: true) { state.completion = .failure(makeError()) }
        }
    }

    /// Requests a value in place of one that was delivered.
    @inlinable
    func requestReplacement(_ state: inout State) {
        if prefetch == .keepFull { state.requests.add(.max(1), to: self) }
    }

    /// Delivers buffered values as far as there is demand, and the completion after them.
    @inlinable
    func deliverBuffered(_ state: inout State) {
        guard state.isStarted else { return }
        while !state.buffer.isEmpty, !end.isSet, state.takeDemand() {
            guard let value = state.buffer.popFirst() else { break }
            state.demand += state.recipient.receive(value)
            if state.buffer.values.count < size { requestReplacement(&state) }
        }
        guard let completion = state.dueCompletion(failureOvertakes: !needsEveryValue), end.set() else { return }
        state.release()?.receive(completion: completion)
    }
}
