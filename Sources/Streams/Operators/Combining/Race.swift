import Synchronization

extension Publisher {
    /// Delivers what this publisher or another one delivers, whichever of the two sends something first.
    ///
    /// ```
    /// ─────1──2──3──|
    ///   race(with: ──8──9──|)
    /// ──8──9──|
    /// ```
    ///
    /// Demand, completion, cancellation and threads: see ``Operators/Race``.
    @inlinable
    public func race<P: Publisher>(with other: P) -> Operators.Race<Self, P>
    where P.Output == Output, P.Failure == Failure {
        Operators.Race(self, other)
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
    /// Without publishers it completes at once. Demand, completion, cancellation and threads: see ``Operators/Race``.
    @inlinable
    public func race() -> Operators.RaceMany<Element> {
        Operators.RaceMany(self)
    }
}

extension Operators {
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
            RaceSubscription(entrantCount: 2).run(for: subscriber) { race, entrant in
                let racer = RaceSubscriber(race: race, entrant: entrant, downstream: subscriber)
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
            RaceSubscription(entrantCount: publishers.count).run(for: subscriber) { race, entrant in
                publishers[entrant].subscribe(RaceSubscriber(race: race, entrant: entrant, downstream: subscriber))
            }
        }

        /// Lets one more publisher of the same type take part, without a new level.
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

/// The subscription of a race: the links to all that take part, and which of them has won.
///
/// Who sends the first signal claims the race, in one atomic word, and cancels the others. Its own signals are serial,
/// so they need no signals. Only completions go through one, since they may come while the subscriber is being
/// handed its subscription; a value cannot, as nothing is asked for before that.
@usableFromInline
final class RaceSubscription: NamedSubscription, BackpressureTraits {
    /// Who has won: an entrant's index, or one of these.
    @usableFromInline
    enum Winner {
        @inlinable static var undecided: Int { -1 }
        /// The subscriber has not received its subscription yet.
        @inlinable static var unstarted: Int { -2 }
        @inlinable static var cancelled: Int { -3 }
    }

    @usableFromInline let entrants: [DeferredSubscription]
    @usableFromInline let winner = Atomic<Int>(Winner.unstarted)

    /// Each event is a completion to be passed on.
    @usableFromInline let completions = SerialDrain<() -> Void>()

    @usableFromInline
    init(entrantCount: Int) {
        entrants = (0..<entrantCount).map { _ in DeferredSubscription("Race") }
    }

    /// Starts the race, once.
    ///
    /// - Parameter subscribe: Subscribes to the publisher of an entrant.
    @inlinable
    func run(for downstream: some Subscriber, subscribe: (RaceSubscription, Int) -> Void) {
        // Nobody else knows the race yet, so this succeeds; from here on completions wait for the subscription.
        _ = completions.enter()
        for entrant in entrants.indices where !completions.isContended { subscribe(self, entrant) }
        downstream.receive(subscription: self)
        open()
        completions.leave { $0() }
        for entrant in entrants { entrant.open() }
    }

    @usableFromInline
    func open() {
        for entrant in entrants { entrant.noteHandOver() }
        _ = winner.compareExchange(
            expected: Winner.unstarted, desired: Winner.undecided, ordering: .acquiringAndReleasing)
    }

    /// Takes in the subscription of an entrant.
    @usableFromInline
    func attach(_ subscription: any Subscription, to entrant: Int) {
        let link = entrants[entrant]
        guard link.attach(subscription) else { return }
        link.open()
    }

    /// Whether an entrant's signal counts: it has won, or does so by this.
    @inlinable
    func admits(_ entrant: Int) -> Bool {
        winner.load(ordering: .relaxed) == entrant || claim(entrant)
    }

    @usableFromInline
    func claim(_ entrant: Int) -> Bool {
        let isFirst = winner.compareExchange(
            expected: Winner.undecided, desired: entrant, ordering: .acquiringAndReleasing
        ).exchanged
        guard isFirst else { return false }
        for (index, link) in entrants.enumerated() where index != entrant { link.cancel() }
        return true
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let winner = winner.load(ordering: .acquiring)
        if entrants.indices.contains(winner) {
            entrants[winner].request(demand)
        } else {
            for entrant in entrants { entrant.request(demand) }
        }
    }

    @usableFromInline
    func cancel() {
        winner.store(Winner.cancelled, ordering: .relaxed)
        for entrant in entrants { entrant.cancel() }
    }

    /// Those that drop values are asked for all of them by `keepUnrequestedValues()`, and those beside them for what is wanted.
    @usableFromInline var dropsUnrequestedValues: Bool { entrants.allSatisfy { $0.dropsUnrequestedValues } }

    @usableFromInline
    func keepUnrequestedValues() {
        for entrant in entrants { entrant.keepUnrequestedValues() }
    }

    @usableFromInline var description: String { "Race" }
}

/// The receiving half of an entrant.
@usableFromInline
struct RaceSubscriber<Downstream: Subscriber>: LinkedSubscriber {
    @usableFromInline let race: RaceSubscription
    @usableFromInline let entrant: Int
    @usableFromInline let downstream: Downstream
    @usableFromInline let link: DeferredSubscription

    @inlinable
    init(race: RaceSubscription, entrant: Int, downstream: Downstream) {
        self.race = race
        self.entrant = entrant
        self.downstream = downstream
        link = race.entrants[entrant]
    }

    @inlinable
    func receive(subscription: any Subscription) {
        race.attach(subscription, to: entrant)
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        link.isActive && race.admits(entrant) ? downstream.receive(input) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        guard link.complete() else { return }
        let (race, entrant, downstream) = (race, entrant, downstream)
        race.completions.submit({
            if race.admits(entrant) { downstream.receive(completion: completion) }
        }) { $0() }
    }
}
