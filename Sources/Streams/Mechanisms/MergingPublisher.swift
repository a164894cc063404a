extension Operators {
    /// A publisher that merges the values of others: that of `merge`, `flatMap` or `concatMap`, in all their forms.
    public protocol MergingPublisher: Publisher {
        /// Attaches a subscriber, as `receive(subscriber:)` does.
        ///
        /// - Parameters:
        ///   - subscriber: The subscriber.
        ///   - delayingErrors: Whether a failure waits until all publishers have completed.
        func _merge<S: Subscriber>(into subscriber: S, delayingErrors: Bool)
        where S.Input == Output, S.Failure == Failure
    }
}

extension Operators.MergingPublisher {
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        _merge(into: subscriber, delayingErrors: false)
    }
}
