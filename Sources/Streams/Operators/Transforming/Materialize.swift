extension Publisher {
    /// Publishes the upstream's values and its completion as events.
    ///
    /// ```
    /// ──1──2──✕
    ///   materialize()
    /// ──value(1)──value(2)──failure(✕)|
    /// ```
    ///
    /// A stream that fails can thus be part of one that goes on. ``Publisher/dematerialize()`` is the inverse.
    ///
    /// **Demand.** Passes through. The event of the completion needs demand like any other.
    ///
    /// **Completion.** The stream finishes after the event of the upstream's completion. It never fails.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** The last event is delivered on the thread that completes the upstream or requests the event.
    @inlinable
    @_disfavoredOverload
    public func materialize() -> Operators.Materialization<Self> {
        Operators.Materialization(upstream: self)
    }
}

extension Operators {
    /// A publisher that delivers the upstream's signals as events.
    public struct Materialization<Upstream: Publisher>: Publisher {
        public typealias Output = Subscribers.Event<Upstream.Output, Upstream.Failure>
        public typealias Failure = Never

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// Creates a publisher of events. Usually created with ``Publisher/materialize()``.
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
        @usableFromInline let delivery: TrailingValueDelivery<Downstream>

        @inlinable var downstream: Downstream { delivery.downstream }
        @inlinable var link: ScalarLink { delivery.link }

        @inlinable
        init(downstream: Downstream) {
            delivery = TrailingValueDelivery("Materialize", downstream: downstream)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            return delivery.deliver(.value(input))
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            switch completion {
            case .finished: delivery.finish(after: .finished)
            case .failure(let error): delivery.finish(after: .failure(error))
            }
        }
    }
}

extension Subscribers {
    /// A signal of a stream as a value. ``Publisher/materialize()`` creates events from signals, and
    /// ``Publisher/dematerialize()`` signals from events.
    public enum Event<Output, Failure: Error> {
        /// A value was delivered.
        case value(Output)
        /// The stream failed.
        case failure(Failure)
        /// The stream finished.
        case finished
    }

    /// A type that can be converted to an ``Event``. ``Publisher/dematerialize()`` accepts streams of such values.
    public protocol EventConvertible {
        /// The type of the stream's values.
        associatedtype Output
        /// The type of the stream's failure.
        associatedtype Failure: Error

        /// The signal that this value represents.
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
