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
    struct Inner<Downstream: Subscriber>: ForwardingSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let keyPath: KeyPath<Upstream.Output, Output>

        @inlinable
        init(downstream: Downstream, keyPath: KeyPath<Upstream.Output, Output>) {
            self.downstream = downstream
            self.keyPath = keyPath
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

extension Publisher {
    /// Delivers the values of two properties of each value, as a pair.
    ///
    /// ```
    /// ──"a"──"bcd"──|
    ///   map(\.count, \.first)
    /// ──(1, a)──(3, b)──|
    /// ```
    ///
    /// Demand, cancellation and the completion pass through, and values come on the thread that brings them.
    ///
    /// - Parameters:
    ///   - keyPath0: The first property.
    ///   - keyPath1: The second property.
    @inlinable
    public func map<Result0, Result1>(
        _ keyPath0: KeyPath<Output, Result0>, _ keyPath1: KeyPath<Output, Result1>
    ) -> Publishers.MapKeyPath2<Self, Result0, Result1> {
        Publishers.MapKeyPath2(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/map(_:_:)`` with key paths makes.
    public struct MapKeyPath2<Upstream: Publisher, Output0, Output1>: Publisher {
        public typealias Output = (Output0, Output1)
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The first property of each value that is delivered.
        public let keyPath0: KeyPath<Upstream.Output, Output0>

        /// The second property of each value that is delivered.
        public let keyPath1: KeyPath<Upstream.Output, Output1>

        @inlinable
        init(
            upstream: Upstream, keyPath0: KeyPath<Upstream.Output, Output0>, keyPath1: KeyPath<Upstream.Output, Output1>
        ) {
            self.upstream = upstream
            self.keyPath0 = keyPath0
            self.keyPath1 = keyPath1
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, keyPath0: keyPath0, keyPath1: keyPath1))
        }
    }
}

extension Publishers.MapKeyPath2 {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: ForwardingSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let keyPath0: KeyPath<Upstream.Output, Output0>
        @usableFromInline let keyPath1: KeyPath<Upstream.Output, Output1>

        @inlinable
        init(
            downstream: Downstream, keyPath0: KeyPath<Upstream.Output, Output0>,
            keyPath1: KeyPath<Upstream.Output, Output1>
        ) {
            self.downstream = downstream
            self.keyPath0 = keyPath0
            self.keyPath1 = keyPath1
        }

        @inlinable
        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            downstream.receive((input[keyPath: keyPath0], input[keyPath: keyPath1]))
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            downstream.receive(completion: completion)
        }
    }
}

extension Publisher {
    /// Delivers the values of three properties of each value, as a triple.
    ///
    /// ```
    /// ──"a"──"bcd"──|
    ///   map(\.count, \.first, \.last)
    /// ──(1, a, a)──(3, b, d)──|
    /// ```
    ///
    /// Demand, cancellation and the completion pass through, and values come on the thread that brings them.
    ///
    /// - Parameters:
    ///   - keyPath0: The first property.
    ///   - keyPath1: The second property.
    ///   - keyPath2: The third property.
    @inlinable
    public func map<Result0, Result1, Result2>(
        _ keyPath0: KeyPath<Output, Result0>, _ keyPath1: KeyPath<Output, Result1>, _ keyPath2: KeyPath<Output, Result2>
    ) -> Publishers.MapKeyPath3<Self, Result0, Result1, Result2> {
        Publishers.MapKeyPath3(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1, keyPath2: keyPath2)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/map(_:_:_:)`` with key paths makes.
    public struct MapKeyPath3<Upstream: Publisher, Output0, Output1, Output2>: Publisher {
        public typealias Output = (Output0, Output1, Output2)
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The first property of each value that is delivered.
        public let keyPath0: KeyPath<Upstream.Output, Output0>

        /// The second property of each value that is delivered.
        public let keyPath1: KeyPath<Upstream.Output, Output1>

        /// The third property of each value that is delivered.
        public let keyPath2: KeyPath<Upstream.Output, Output2>

        @inlinable
        init(
            upstream: Upstream, keyPath0: KeyPath<Upstream.Output, Output0>,
            keyPath1: KeyPath<Upstream.Output, Output1>, keyPath2: KeyPath<Upstream.Output, Output2>
        ) {
            self.upstream = upstream
            self.keyPath0 = keyPath0
            self.keyPath1 = keyPath1
            self.keyPath2 = keyPath2
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                Inner(downstream: subscriber, keyPath0: keyPath0, keyPath1: keyPath1, keyPath2: keyPath2))
        }
    }
}

extension Publishers.MapKeyPath3 {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: ForwardingSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let keyPath0: KeyPath<Upstream.Output, Output0>
        @usableFromInline let keyPath1: KeyPath<Upstream.Output, Output1>
        @usableFromInline let keyPath2: KeyPath<Upstream.Output, Output2>

        @inlinable
        init(
            downstream: Downstream, keyPath0: KeyPath<Upstream.Output, Output0>,
            keyPath1: KeyPath<Upstream.Output, Output1>, keyPath2: KeyPath<Upstream.Output, Output2>
        ) {
            self.downstream = downstream
            self.keyPath0 = keyPath0
            self.keyPath1 = keyPath1
            self.keyPath2 = keyPath2
        }

        @inlinable
        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            downstream.receive((input[keyPath: keyPath0], input[keyPath: keyPath1], input[keyPath: keyPath2]))
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            downstream.receive(completion: completion)
        }
    }
}
