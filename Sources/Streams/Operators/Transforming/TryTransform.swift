extension Operators {
    /// The publisher that ``Publisher/tryMap(throwing:_:)`` and its like make.
    public struct TryTransform<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Transforms a value; nil drops it.
        public let transform: @Sendable (Upstream.Output) throws(Failure) -> Output?

        /// Makes the publisher; ``Publisher/tryMap(throwing:_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws(Failure) -> Output?
        ) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                FilteringSubscriber(
                    "TryTransform", downstream: subscriber, filter: TransformFilter(transform), ending: .keeping))
        }
    }
}

extension Operators.TryTransform: Sendable where Upstream: Sendable {}

/// Passes on what values are transformed into, where that is something.
@usableFromInline
struct TransformFilter<Input, Output, Thrown: Error>: ElementFilter {
    @usableFromInline let transform: (Input) throws(Thrown) -> Output?

    @inlinable
    init(_ transform: @escaping (Input) throws(Thrown) -> Output?) {
        self.transform = transform
    }

    @inlinable
    func decide(_ input: Input) throws(Thrown) -> Decision<Output> {
        guard let output = try transform(input) else { return .skip }
        return .pass(output)
    }
}
