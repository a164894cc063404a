extension Publisher {
    /// Delivers what this publisher or another one delivers, whichever of the two sends something first.
    ///
    /// ```
    /// ─────1──2──3──|
    ///   race(with: ──8──9──|)
    /// ──8──9──|
    /// ```
    ///
    /// Demand, completion, cancellation and threads: see ``Publishers/Race``.
    @inlinable
    public func race<P: Publisher>(with other: P) -> Publishers.Race<Self, P>
    where P.Output == Output, P.Failure == Failure {
        Publishers.Race(self, other)
    }
}

extension Collection where Element: Publisher {
    /// Delivers what that one of the publishers delivers which sends something first.
    ///
    /// ```
    /// [─────1──2──3──|, ──8──9──|, ────✕].race()
    /// ──8──9──|
    /// ```
    ///
    /// Without publishers it completes at once. Demand, completion, cancellation and threads: see ``Publishers/Race``.
    @inlinable
    public func race() -> Publishers.RaceMany<Element> {
        Publishers.RaceMany(self)
    }
}

extension Publishers {
    /// A publisher that delivers what one of two publishers delivers: the one that sends something first, be it a value
    /// or a completion. Elsewhere this is known as `amb`.
    ///
    /// The first signal decides; the other publisher is cancelled right before that is passed on. So the same request
    /// sent to two servers is answered by the faster one, and a failure counts as an answer: where it should not, give
    /// each publisher a `catch` that goes on with `Empty(completeImmediately: false)`.
    ///
    /// **Demand.** Both are asked for all that is asked for, until it is decided, and from then on the one alone. They
    /// are subscribed to in their order, and asked once both are; if one has completed before, those after it are not
    /// subscribed to.
    ///
    /// **Completion** and failure are those of the publisher that was first.
    ///
    /// **Cancellation** reaches both, on the thread that cancels.
    ///
    /// **Threads.** Signals come on the thread that sends them. Once it is decided, a value costs one plain load.
    public struct Race<A: Publisher, B: Publisher>: Publisher where A.Output == B.Output, A.Failure == B.Failure {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B

        /// Makes a publisher that subscribes to these in this order.
        @inlinable
        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            RaceLink(entrantCount: 2).run(for: subscriber) { race, entrant in
                let racer = Racer(race: race, entrant: entrant, downstream: subscriber)
                if entrant == 0 { a.subscribe(racer) } else { b.subscribe(racer) }
            }
        }
    }

    /// A publisher that delivers what one of any number of publishers of one type delivers: the one that sends
    /// something first. See ``Race`` for how.
    public struct RaceMany<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publishers, in the order in which they are subscribed to.
        public let publishers: [Upstream]

        /// Makes a publisher that subscribes to these in this order.
        @inlinable
        public init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream {
            self.publishers = Array(publishers)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            if publishers.isEmpty { return Empty().subscribe(subscriber) }
            RaceLink(entrantCount: publishers.count).run(for: subscriber) { race, entrant in
                publishers[entrant].subscribe(Racer(race: race, entrant: entrant, downstream: subscriber))
            }
        }

        /// Lets one more publisher of the same type take part, without a new level.
        @inlinable
        public func race(with other: Upstream) -> RaceMany<Upstream> {
            RaceMany(publishers + [other])
        }
    }
}

extension Publishers.Race: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Race: Sendable where A: Sendable, B: Sendable {}
extension Publishers.RaceMany: Equatable where Upstream: Equatable {}
extension Publishers.RaceMany: Sendable where Upstream: Sendable {}
