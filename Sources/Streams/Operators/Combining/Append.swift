extension Publisher {
    /// Publishes values after this publisher has finished.
    ///
    /// ```
    /// ──1──2──|
    ///   append(8, 9)
    /// ──1──2──8──9|
    /// ```
    ///
    /// Otherwise like `append(_:)` with a publisher.
    ///
    /// - Parameter elements: The values.
    @inlinable
    public func append(_ elements: Output...) -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>> {
        append(elements)
    }

    /// Publishes the elements of a sequence after this publisher has finished.
    ///
    /// Otherwise like `append(_:)` with a publisher.
    ///
    /// - Parameter elements: The sequence.
    @inlinable
    public func append<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> where Output == S.Element {
        append(Publishers.Sequence(sequence: elements))
    }

    /// Publishes the values of another publisher after this one has finished.
    ///
    /// ```
    /// ──1──2──|
    ///   append(──8──9──|)
    /// ──1──2────8──9──|
    /// ```
    ///
    /// The other publisher is subscribed to when this one has finished. Appending to an erased publisher that was itself
    /// appended to, or appending a publisher that appends again, does not deepen the stack.
    ///
    /// **Demand.** The demand that this publisher leaves unanswered is requested from the other one.
    ///
    /// **Completion.** The completion of the other publisher is delivered, and a failure of this one at once.
    ///
    /// **Cancellation.** Cancels the current publisher.
    ///
    /// **Threads.** The other publisher is subscribed to on the thread on which this one finishes.
    ///
    /// - Parameter publisher: The other publisher.
    @inlinable
    public func append<P: Publisher>(
        _ publisher: P
    ) -> Publishers.Concatenate<Self, P> where Failure == P.Failure, Output == P.Output {
        Publishers.Concatenate(prefix: self, suffix: publisher)
    }
}

extension Publishers {
    /// A publisher that publishes the values of one publisher and then those of another.
    public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
    where Prefix.Failure == Suffix.Failure, Prefix.Output == Suffix.Output {
        public typealias Output = Suffix.Output
        public typealias Failure = Suffix.Failure

        /// The publisher that is subscribed to first.
        public let prefix: Prefix

        /// The publisher that is subscribed to after the first one has finished.
        public let suffix: Suffix

        /// Creates a publisher that concatenates two publishers.
        @inlinable
        public init(prefix: Prefix, suffix: Suffix) {
            self.prefix = prefix
            self.suffix = suffix
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            if let (arbiter, downstream) = subscriber.takeSharedArbiter() {
                subscribe(downstream, through: arbiter)
            } else {
                let arbiter = SubscriptionArbiter("Concatenate", needsEveryValue: subscriber.needsEveryValue)
                subscribe(subscriber, through: arbiter)
            }
        }

        @inlinable
        func subscribe<Downstream: Subscriber>(_ downstream: Downstream, through arbiter: SubscriptionArbiter)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            arbiter.push { [suffix] arbiter in
                suffix.subscribe(SuccessiveSubscriber(downstream: downstream, arbiter: arbiter))
            }
            arbiter.subscribe(SuccessiveSubscriber(downstream: downstream, arbiter: arbiter), to: prefix)
        }
    }
}

extension Publishers.Concatenate: Equatable where Prefix: Equatable, Suffix: Equatable {}
extension Publishers.Concatenate: Sendable where Prefix: Sendable, Suffix: Sendable {}
