import Synchronization

extension Publisher {
    /// Mirrors this publisher or another one, whichever sends a signal first. See ``Operators/Race``.
    ///
    /// ```
    /// ─────1──2──3──|
    ///   race(with: ──8──9──|)
    /// ──8──9──|
    /// ```
    ///
    /// - Parameter other: The other publisher.
    @inlinable
    public func race<P: Publisher>(with other: P) -> Operators.Race<Self, P>
    where P.Output == Output, P.Failure == Failure {
        Operators.Race(self, other)
    }
}

extension Collection where Element: Publisher {
    /// Mirrors the publisher of the collection that sends a signal first. See ``Operators/Race``.
    ///
    /// ```
    /// [─────1──2──3──|, ──8──9──|, ────✕].race()
    /// ──8──9──|
    /// ```
    ///
    /// Without publishers the stream finishes at once.
    @inlinable
    public func race() -> Operators.RaceMany<Element> {
        Operators.RaceMany(self)
    }
}

extension Operators {
    /// A publisher that mirrors the publisher that sends a signal first, a value or a completion. Also known as `amb`.
    ///
    /// The other publisher is cancelled before the first signal is delivered. A failure wins as well: to prevent that, let
    /// each publisher continue after a failure, by `catch` with `Empty(completeImmediately: false)`.
    ///
    /// **Demand.** A request goes to both publishers until one has won, and then to that one alone. Both are subscribed to
    /// before values are requested. A publisher that follows one that completes at once is not subscribed to.
    ///
    /// **Completion.** Passes through from the publisher that has won.
    ///
    /// **Cancellation.** Cancels both publishers.
    ///
    /// **Threads.** Signals are delivered on the thread on which the winning publisher sends them.
    public struct Race<A: Publisher, B: Publisher>: Publisher where A.Output == B.Output, A.Failure == B.Failure {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B

        /// Creates a publisher that subscribes to the publishers in this order.
        @inlinable
        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            RaceSubscription(publisherCount: 2).start(for: subscriber) { race, index in
                let racer = RaceSubscriber(race: race, index: index, downstream: subscriber)
                if index == 0 { a.subscribe(racer) } else { b.subscribe(racer) }
            }
        }
    }

    /// A publisher that mirrors the one of any number of publishers that sends a signal first. See ``Race``.
    public struct RaceMany<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publishers, in the order in which they are subscribed to.
        public let publishers: [Upstream]

        /// Creates a publisher that subscribes to the publishers in their order.
        @inlinable
        public init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream {
            self.publishers = Array(publishers)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            if publishers.isEmpty { return Empty().subscribe(subscriber) }
            RaceSubscription(publisherCount: publishers.count).start(for: subscriber) { race, index in
                publishers[index].subscribe(RaceSubscriber(race: race, index: index, downstream: subscriber))
            }
        }

        /// Returns a publisher that mirrors one of these publishers or another one, without nesting.
        @inlinable
        public func race(with other: Upstream) -> RaceMany<Upstream> {
            RaceMany(publishers + [other])
        }
    }
}

extension Operators.Race: Equatable where A: Equatable, B: Equatable {}
extension Operators.Race: Sendable where A: Sendable, B: Sendable {}
extension Operators.RaceMany: Equatable where Upstream: Equatable {}
extension Operators.RaceMany: Sendable where Upstream: Sendable {}

/// The subscription of a race: the links to all publishers, and the winner.
///
/// The first signal sets the winner, an atomic word, and cancels the other publishers. The winner's signals are serial.
/// Completions go through a queue-drain, since they may come while the publishers are being subscribed to. So may a value
/// for a subscriber that needs every value; all others are requested afterwards.
@usableFromInline
final class RaceSubscription: NamedSubscription {
    @usableFromInline let links: [DeferredLink]

    /// The winner's index, or a negative state.
    @usableFromInline let winner = Atomic<Int>(undecided)

    @inlinable static var undecided: Int { -1 }
    @inlinable static var cancelled: Int { -2 }

    /// Each event delivers a completion.
    @usableFromInline let completions = SerialDrain<() -> Void>()

    @usableFromInline
    init(publisherCount: Int) {
        links = (0..<publisherCount).map { _ in DeferredLink("Race", isWithheld: true) }
    }

    /// Delivers this subscription and subscribes to the publishers. Called once.
    ///
    /// - Parameter subscribe: Subscribes to the publisher with an index.
    @inlinable
    func start(for downstream: some Subscriber, subscribe: (RaceSubscription, Int) -> Void) {
        downstream.receive(subscription: self)
        // The drain is idle: nothing else uses it yet. While it is draining, completions wait for the last publisher.
        _ = completions.perform(
            {
                for index in links.indices where isUndecided { subscribe(self, index) }
            }, orEnqueue: {}
        ) { $0() }
        for link in links { link.release() }
    }

    /// Whether no publisher has sent a signal, and the subscriber has not cancelled. For the draining thread.
    @inlinable var isUndecided: Bool {
        winner.load(ordering: .relaxed) == Self.undecided && !completions.isContended
    }

    /// Returns whether a publisher's signal is delivered: it has won, or wins by this signal.
    @inlinable
    func isWon(by index: Int) -> Bool {
        winner.load(ordering: .relaxed) == index || claim(index)
    }

    @usableFromInline
    func claim(_ index: Int) -> Bool {
        let isFirst = winner.compareExchange(
            expected: Self.undecided, desired: index, ordering: .acquiringAndReleasing
        ).exchanged
        guard isFirst else { return false }
        for other in links.indices where other != index { links[other].cancel() }
        return true
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        let winner = winner.load(ordering: .acquiring)
        if winner >= 0 {
            links[winner].request(demand)
        } else {
            for link in links { link.request(demand) }
        }
    }

    @usableFromInline
    func cancel() {
        winner.store(Self.cancelled, ordering: .relaxed)
        for link in links { link.cancel() }
    }

    @usableFromInline var description: String { "Race" }
}

/// The subscriber to one of the publishers of a race.
@usableFromInline
struct RaceSubscriber<Downstream: Subscriber>: LinkedSubscriber {
    @usableFromInline let race: RaceSubscription
    @usableFromInline let index: Int
    @usableFromInline let downstream: Downstream
    @usableFromInline let link: DeferredLink

    @inlinable
    init(race: RaceSubscription, index: Int, downstream: Downstream) {
        self.race = race
        self.index = index
        self.downstream = downstream
        link = race.links[index]
    }

    @inlinable
    func receive(subscription: any Subscription) {
        link.start(subscription)
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        link.isActive && race.isWon(by: index) ? downstream.receive(input) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        guard link.complete() else { return }
        let (race, index, downstream) = (race, index, downstream)
        race.completions.submit({
            if race.isWon(by: index) { downstream.receive(completion: completion) }
        }) { $0() }
    }
}
