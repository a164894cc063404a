import Synchronization

/// The subscription of a race: the links to all that take part, and which of them has won.
///
/// Who sends the first signal claims the race, in one atomic word, and cancels the others. Its own signals are serial,
/// so they need no serialiser. Only completions go through one, since they may come while the subscriber is being
/// handed its subscription; a value cannot, as nothing is asked for before that.
@usableFromInline
final class RaceLink: Subscription, UnrequestedValuePolicy, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    /// Who has won: an entrant's index, or one of these.
    @usableFromInline
    enum Winner {
        @inlinable static var undecided: Int { -1 }
        /// The subscriber has not received its subscription yet.
        @inlinable static var unstarted: Int { -2 }
        @inlinable static var cancelled: Int { -3 }
    }

    @usableFromInline let entrants: [EarlyLink]
    @usableFromInline let winner = Atomic<Int>(Winner.unstarted)

    /// Each event is a completion to be passed on.
    @usableFromInline let completions = Serialiser<() -> Void>()

    @usableFromInline
    init(entrantCount: Int) {
        entrants = (0..<entrantCount).map { _ in EarlyLink(.race) }
    }

    /// Starts the race, once.
    ///
    /// - Parameter subscribe: Subscribes to the publisher of an entrant.
    @inlinable
    func run(for downstream: some Subscriber, subscribe: (RaceLink, Int) -> Void) {
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
        precondition(demand > .none, "a source must be asked for at least one value")
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

    /// Those that drop values are asked for all of them by `loseNothing()`, and those beside them for what is wanted.
    @usableFromInline var dropsUnrequestedValues: Bool { entrants.allSatisfy { $0.dropsUnrequestedValues } }

    @usableFromInline
    func loseNothing() {
        for entrant in entrants { entrant.loseNothing() }
    }

    @usableFromInline var description: String { "Race" }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    @usableFromInline var playgroundDescription: Any { description }
}

/// The receiving half of an entrant.
@usableFromInline
struct Racer<Downstream: Subscriber>: LinkedSubscriber {
    @usableFromInline let race: RaceLink
    @usableFromInline let entrant: Int
    @usableFromInline let downstream: Downstream
    @usableFromInline let link: EarlyLink

    @inlinable
    init(race: RaceLink, entrant: Int, downstream: Downstream) {
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
        guard link.finish() else { return }
        let (race, entrant, downstream) = (race, entrant, downstream)
        race.completions.submit({
            if race.admits(entrant) { downstream.receive(completion: completion) }
        }) { $0() }
    }
}
