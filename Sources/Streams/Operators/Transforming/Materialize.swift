extension Publisher {
    /// Delivers every signal of this publisher as a value, the last one being its completion.
    ///
    /// ```
    /// ──1──2──✕
    ///   materialize()
    /// ──value(1)──value(2)──failure(✕)|
    /// ```
    ///
    /// So a stream that may fail can take part in one that must go on. ``Publisher/dematerialize()`` turns the events
    /// back.
    ///
    /// **Demand** and **cancellation** pass through.
    ///
    /// **Completion.** The event of the completion waits for demand like any other; the stream finishes after it, and
    /// never fails.
    ///
    /// **Threads.** Signals come on the thread that sends them, or on the one that asks for the last event late.
    @inlinable
    @_disfavoredOverload
    public func materialize() -> Operators.Materialization<Self> {
        Operators.Materialization(upstream: self)
    }
}

extension Operators {
    /// The publisher that ``Publisher/materialize()`` makes.
    public struct Materialization<Upstream: Publisher>: Publisher {
        public typealias Output = Subscribers.Event<Upstream.Output, Upstream.Failure>
        public typealias Failure = Never

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher; ``Publisher/materialize()`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            upstream.subscribe(Inner(downstream: subscriber))
        }
    }
}

extension Operators.Materialization: Equatable where Upstream: Equatable {}
extension Operators.Materialization: Sendable where Upstream: Sendable {}

extension Operators.Materialization {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Subscribers.Event<Upstream.Output, Upstream.Failure>, Downstream.Failure == Never {
        @usableFromInline let downstream: Downstream
        @usableFromInline let link = OperatorSubscription("Materialize")

        /// The event of the completion, and the end of the stream.
        @usableFromInline let last: OneShotSubscription<Downstream>
        @usableFromInline let subscription: LastEventSubscription

        @inlinable
        init(downstream: Downstream) {
            self.downstream = downstream
            last = OneShotSubscription("Materialize", downstream: downstream)
            subscription = LastEventSubscription(outcome: last, link: link)
        }

        @inlinable
        func receive(subscription upstream: any Subscription) {
            if link.attach(upstream) { downstream.receive(subscription: subscription) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            if !subscription.demand.reading.isUnlimited { _ = subscription.demand.takeOne() }
            let additional = downstream.receive(.value(input))
            if additional > .none { subscription.demand.add(additional) }
            return additional
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            switch completion {
            case .finished: last.resolve(.value(.finished))
            case .failure(let error): last.resolve(.value(.failure(error)))
            }
            subscription.end()
        }
    }
}

/// The subscription of an operator that passes values on and adds one at the end: as long as there are values demand is
/// counted and goes to the upstream; then it goes to the last one.
@usableFromInline
final class LastEventSubscription: OutcomeSubscription, BackpressureTraits {
    /// What has been asked for and not delivered. Held until the upstream has ended.
    @usableFromInline let demand = AtomicDemand(isHeld: true)

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        // Which of the two sides comes second sees the other, as both go through the one word.
        if self.demand.add(demand).isHeld {
            link.request(demand)
        } else {
            outcome.request(demand)
        }
    }

    /// Notes that the upstream has ended.
    @usableFromInline
    func end() {
        if demand.release().hasDemand { outcome.request(.max(1)) }
    }

    @usableFromInline var dropsUnrequestedValues: Bool { link.dropsUnrequestedValues }

    @usableFromInline
    func keepUnrequestedValues() {
        if dropsUnrequestedValues {
            request(.unlimited)
        } else {
            link.keepUnrequestedValues()
        }
    }
}

extension Subscribers {
    /// A signal of a stream as a value: what ``Publisher/materialize()`` makes of the signals, and
    /// ``Publisher/dematerialize()`` turns back into them.
    public enum Event<Output, Failure: Error> {
        /// A value was delivered.
        case value(Output)
        /// The stream failed.
        case failure(Failure)
        /// The stream finished.
        case finished
    }

    /// Something that stands for an ``Event``: what streams that ``Publisher/dematerialize()`` works on are made of.
    public protocol EventConvertible {
        /// The values of the stream.
        associatedtype Output
        /// How the stream may fail.
        associatedtype Failure: Error

        /// The signal that this stands for.
        var event: Event<Output, Failure> { get }
    }
}

extension Subscribers.Event: Equatable where Output: Equatable, Failure: Equatable {}
extension Subscribers.Event: Hashable where Output: Hashable, Failure: Hashable {}
extension Subscribers.Event: Sendable where Output: Sendable {}

extension Subscribers.Event: CustomStringConvertible {
    public var description: String {
        switch self {
        case .value(let value): "value(\(value))"
        case .failure(let error): "failure(\(error))"
        case .finished: "finished"
        }
    }
}

extension Subscribers.Event: Subscribers.EventConvertible {
    public var event: Subscribers.Event<Output, Failure> { self }
}
