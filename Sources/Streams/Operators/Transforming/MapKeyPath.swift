extension Publisher {
    /// Publishes the value of a property of each value.
    ///
    /// ```
    /// ──"a"──"bcd"──|
    ///   map(\.count)
    /// ──1────3──────|
    /// ```
    ///
    /// Demand, the completion and the cancellation pass through. All signals stay on the upstream's threads.
    ///
    /// - Parameter keyPath: The key path of the property.
    @inlinable
    public func map<T>(_ keyPath: KeyPath<Output, T>) -> Publishers.MapKeyPath<Self, T> {
        Publishers.MapKeyPath(upstream: self, keyPath: keyPath)
    }

    /// Publishes the values of two properties of each value, as a tuple.
    ///
    /// ```
    /// ──"a"──"bcd"──|
    ///   map(\.count, \.first)
    /// ──(1, a)──(3, b)──|
    /// ```
    ///
    /// Demand, the completion and the cancellation pass through. All signals stay on the upstream's threads.
    ///
    /// - Parameters:
    ///   - keyPath0: The key path of the first property.
    ///   - keyPath1: The key path of the second property.
    @inlinable
    public func map<T0, T1>(
        _ keyPath0: KeyPath<Output, T0>, _ keyPath1: KeyPath<Output, T1>
    ) -> Publishers.MapKeyPath2<Self, T0, T1> {
        Publishers.MapKeyPath2(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1)
    }

    /// Publishes the values of three properties of each value, as a tuple.
    ///
    /// Like the form with two properties.
    ///
    /// - Parameters:
    ///   - keyPath0: The key path of the first property.
    ///   - keyPath1: The key path of the second property.
    ///   - keyPath2: The key path of the third property.
    @inlinable
    public func map<T0, T1, T2>(
        _ keyPath0: KeyPath<Output, T0>, _ keyPath1: KeyPath<Output, T1>, _ keyPath2: KeyPath<Output, T2>
    ) -> Publishers.MapKeyPath3<Self, T0, T1, T2> {
        Publishers.MapKeyPath3(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1, keyPath2: keyPath2)
    }
}

extension Publishers {
    /// A publisher of the value of a property of each value of its upstream.
    public struct MapKeyPath<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The key path of the property.
        public let keyPath: KeyPath<Upstream.Output, Output>

        @inlinable
        init(upstream: Upstream, keyPath: KeyPath<Upstream.Output, Output>) {
            self.upstream = upstream
            self.keyPath = keyPath
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(MapSubscriber(downstream: subscriber) { [keyPath] in $0[keyPath: keyPath] })
        }
    }

    /// A publisher of the values of two properties of each value of its upstream.
    public struct MapKeyPath2<Upstream: Publisher, Output0, Output1>: Publisher {
        public typealias Output = (Output0, Output1)
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The key path of the first property.
        public let keyPath0: KeyPath<Upstream.Output, Output0>

        /// The key path of the second property.
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
            upstream.subscribe(
                MapSubscriber(downstream: subscriber) { [keyPath0, keyPath1] in
                    ($0[keyPath: keyPath0], $0[keyPath: keyPath1])
                })
        }
    }

    /// A publisher of the values of three properties of each value of its upstream.
    public struct MapKeyPath3<Upstream: Publisher, Output0, Output1, Output2>: Publisher {
        public typealias Output = (Output0, Output1, Output2)
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The key path of the first property.
        public let keyPath0: KeyPath<Upstream.Output, Output0>

        /// The key path of the second property.
        public let keyPath1: KeyPath<Upstream.Output, Output1>

        /// The key path of the third property.
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
                MapSubscriber(downstream: subscriber) { [keyPath0, keyPath1, keyPath2] in
                    ($0[keyPath: keyPath0], $0[keyPath: keyPath1], $0[keyPath: keyPath2])
                })
        }
    }
}
