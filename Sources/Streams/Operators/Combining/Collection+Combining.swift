extension Collection where Element: Publisher {
    /// Delivers what all the publishers deliver, as it comes. See ``Publishers/Merge``.
    @inlinable
    @_disfavoredOverload
    public func merge() -> Publishers.MergeMany<Element> {
        Publishers.MergeMany(self)
    }

    /// Waits for a value of each of the publishers, and delivers them as an array, in the order of the publishers.
    ///
    /// ```
    /// [──1──2─────3──|, ─────8──9──|].zipMany()
    /// ───────[1,8][2,9]|
    /// ```
    ///
    /// Demand, completion, cancellation and threads are those of `zip`. Without publishers it completes at once.
    @inlinable
    @_disfavoredOverload
    public func zipMany() -> Publishers.ZipMany<Element> {
        Publishers.ZipMany(self)
    }

    /// Delivers the newest values of all the publishers as an array, in the order of the publishers, whenever one has a
    /// new one.
    ///
    /// ```
    /// [──1──────2──────|, ─────8──────9──|].combineLatest()
    /// ───────[1,8][2,8][2,9]─|
    /// ```
    ///
    /// Demand, completion, cancellation and threads are those of `combineLatest`. Without publishers it completes at
    /// once.
    @inlinable
    @_disfavoredOverload
    public func combineLatest() -> Publishers.CombineLatestMany<Element> {
        Publishers.CombineLatestMany(self)
    }
}

extension Publishers {
    /// The publisher that `zipMany()` of a collection makes.
    public struct ZipMany<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The publishers, in the order in which they are subscribed to.
        public let publishers: [Upstream]

        /// Makes the publisher; `zipMany()` is the usual way to it.
        @inlinable
        public init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream {
            self.publishers = Array(publishers)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let tally = JunctionTally(inputCount: publishers.count)
            let inputs = publishers.map { _ in ZippedInput<Upstream.Output>(.zip, tally) }
            let junction = Junction(
                .zip, inputs: inputs, tally: tally, unrequested: .waits, downstream: subscriber
            ) { inputs.map { $0.take() } }
            junction.join(publishers, as: inputs)
        }
    }

    /// The publisher that `combineLatest()` of a collection makes.
    public struct CombineLatestMany<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The publishers, in the order in which they are subscribed to.
        public let publishers: [Upstream]

        /// Makes the publisher; `combineLatest()` is the usual way to it.
        @inlinable
        public init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream {
            self.publishers = Array(publishers)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let tally = JunctionTally(inputCount: publishers.count)
            let inputs = publishers.map { _ in LatestInput<Upstream.Output>(.combineLatest, tally) }
            let junction = Junction(
                .combineLatest, inputs: inputs, tally: tally, unrequested: .isReplaced, downstream: subscriber
            ) { inputs.map { $0.take() } }
            junction.join(publishers, as: inputs)
        }
    }
}

extension Publishers.ZipMany: Equatable where Upstream: Equatable {}
extension Publishers.ZipMany: Sendable where Upstream: Sendable {}
extension Publishers.CombineLatestMany: Equatable where Upstream: Equatable {}
extension Publishers.CombineLatestMany: Sendable where Upstream: Sendable {}

extension Junction {
    /// Subscribes all inputs to their publishers, or begins at once if there are none.
    @inlinable
    func join<P: Publisher, Link: JunctionInput>(_ publishers: [P], as links: [Link])
    where P.Output == Link.Value, P.Failure == Downstream.Failure {
        if links.isEmpty { start() }
        for (publisher, link) in Swift.zip(publishers, links) { join(publisher, as: link) }
    }
}
