extension Publisher {
    /// Delivers the value of a property of each value.
    ///
    /// ```
    /// ──"a"──"bcd"──|
    ///   map(\.count)
    /// ──1────3──────|
    /// ```
    ///
    /// Demand, cancellation and the completion pass through, and values come on the thread that brings them.
    ///
    /// - Parameter keyPath: The property.
    @inlinable
    public func map<Result>(
        _ keyPath: KeyPath<Output, Result>
    ) -> Publishers.MapKeyPath<Self, Result> {
        Publishers.MapKeyPath(upstream: self, keyPath: keyPath)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/map(_:)->Publishers.MapKeyPath<Self,Result>`` with a key path makes.
    public struct MapKeyPath<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The property of each value that is delivered.
        public let keyPath: KeyPath<Upstream.Output, Output>

        @inlinable
        init(upstream: Upstream, keyPath: KeyPath<Upstream.Output, Output>) {
            self.upstream = upstream
            self.keyPath = keyPath
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, keyPath: keyPath))
        }
    }
}

extension Publishers.MapKeyPath {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: PassingSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let keyPath: KeyPath<Upstream.Output, Output>

        @inlinable
        init(downstream: Downstream, keyPath: KeyPath<Upstream.Output, Output>) {
            self.downstream = downstream
            self.keyPath = keyPath
        }

        @usableFromInline var name: OperatorName { .valueForKey }
        @usableFromInline var customMirror: Mirror {
            Mirror(self, children: ["keyPath": keyPath])
        }

        @inlinable
        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            downstream.receive(input[keyPath: keyPath])
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            downstream.receive(completion: completion)
        }
    }
}
