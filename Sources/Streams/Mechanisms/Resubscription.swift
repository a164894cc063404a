import Synchronization

/// What comes after an attempt has ended.
@usableFromInline
enum ResubscriptionDecision {
    /// Nothing: its completion is delivered.
    case none
    case now
    /// Another attempt, once the work has been run that the closure is handed.
    case later((ScheduledJob) -> Void)
}

/// Says after which completions an operator subscribes to its upstream again.
@usableFromInline
protocol ResubscriptionRule<Failure> {
    associatedtype Failure: Error

    /// Whether an upstream's breaches are answered as Combine's operators do: a value that nobody asked for stops the
    /// program, and signals may come before the subscription. Otherwise such signals are ignored.
    var answersAsCombine: Bool { get }

    mutating func next(after completion: Subscribers.Completion<Failure>) -> ResubscriptionDecision
}

/// The subscription of one who is served by one attempt after another. While there is none, it holds the series of
/// them.
@usableFromInline
final class RetryArbiter: SubscriptionArbiter {
    private let paused = Locked((any ResubscribingSeries)?.none)

    @usableFromInline
    override init(_ name: String) {
        super.init(name)
    }

    @usableFromInline
    func pause(_ series: any ResubscribingSeries) {
        paused.withLock { $0 = series }
        // Cancellation lets go of the series either there or here.
        if isTerminal { releaseSeries() }
    }

    @usableFromInline
    func resume() {
        paused.withLock { $0.take() }?.subscribe()
    }

    @usableFromInline
    override func cancel() {
        super.cancel()
        releaseSeries()
    }

    private func releaseSeries() {
        let released = paused.withLock { $0.take() }
        withExtendedLifetime(released) {}
    }
}

@usableFromInline
protocol ResubscribingSeries: AnyObject {
    /// Begins the next attempt.
    func subscribe()
}

/// One subscriber's attempts. The current attempt's source holds it; the subscriber has only the arbiter.
///
/// What varies belongs to the attempts' signals, which are serial: a new attempt begins after the one before has ended.
@usableFromInline
final class Resubscription<Upstream: Publisher, Rule: ResubscriptionRule, Downstream: Subscriber>: ResubscribingSeries
where Rule.Failure == Upstream.Failure, Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
    @usableFromInline let upstream: Upstream
    @usableFromInline let downstream: Downstream
    @usableFromInline let arbiter: RetryArbiter

    @exclusivity(unchecked) @usableFromInline var rule: Rule
    @exclusivity(unchecked) @usableFromInline var hasBegun = false

    /// How many subscriptions are due. Whoever makes it one subscribes, until it is zero again; an attempt that ends
    /// while it is being subscribed to only adds to it.
    @usableFromInline let due = Atomic<Int>(0)

    @inlinable
    init(_ name: String, upstream: Upstream, rule: Rule, downstream: Downstream) {
        arbiter = RetryArbiter(name)
        self.upstream = upstream
        self.rule = rule
        self.downstream = downstream
    }

    @inlinable
    func subscribe() {
        guard due.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
        repeat {
            if !arbiter.isTerminal { upstream.subscribe(ResubscriptionSubscriber(attempts: self)) }
        } while due.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
    }

    @inlinable
    func begin(_ link: UpstreamLink) {
        guard arbiter.attach(link), !hasBegun else { return }
        hasBegun = true
        downstream.receive(subscription: arbiter)
    }

    /// Counts a value that is about to be delivered.
    ///
    /// - Returns: Whether it is to be.
    @inlinable
    func takesValue(of link: UpstreamLink) -> Bool {
        link.isActive && arbiter.takeDemand()
    }

    @inlinable
    func end(_ completion: Subscribers.Completion<Upstream.Failure>) {
        switch rule.next(after: completion) {
        case .none:
            if arbiter.complete() { downstream.receive(completion: completion) }
        case .now:
            arbiter.detach()
            subscribe()
        case .later(let schedule):
            arbiter.detach()
            arbiter.pause(self)
            schedule(ScheduledJob { [arbiter] _ in arbiter.resume() })
        }
    }
}

/// The receiving half of one attempt.
@usableFromInline
struct ResubscriptionSubscriber<Upstream: Publisher, Rule: ResubscriptionRule, Downstream: Subscriber>: Subscriber
where Rule.Failure == Upstream.Failure, Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
    @usableFromInline let attempts: Resubscription<Upstream, Rule, Downstream>
    @usableFromInline let link: UpstreamLink

    @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }

    @inlinable
    init(attempts: Resubscription<Upstream, Rule, Downstream>) {
        self.attempts = attempts
        link = UpstreamLink()
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { attempts.begin(link) }
    }

    @inlinable
    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        // As one may deliver before it has sent its subscription, it is asked for more by that.
        guard attempts.takesValue(of: link) else { return .none }
        let additional = attempts.downstream.receive(input)
        if additional > .none { attempts.arbiter.didDeliver(requesting: additional) }
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        if link.complete() { attempts.end(completion) }
    }
}

/// Subscribes again after one kind of completion, at once, so many times.
@usableFromInline
struct CountedRule<Failure: Error>: ResubscriptionRule {
    @usableFromInline
    enum Kind {
        case failures
        case ends
    }

    @usableFromInline let kind: Kind
    /// How often it still subscribes again, nil or a negative number for as often as it takes.
    @usableFromInline var remaining: Int?

    @inlinable var answersAsCombine: Bool { kind == .failures }

    @inlinable
    init(after kind: Kind, times: Int?) {
        self.kind = kind
        remaining = times
    }

    @inlinable
    mutating func next(after completion: Subscribers.Completion<Failure>) -> ResubscriptionDecision {
        switch (completion, kind) {
        case (.failure, .failures), (.finished, .ends):
            guard let left = remaining else { return .now }
            guard left != 0 else { return .none }
            if left > 0 { remaining = left - 1 }
            return .now
        default:
            return .none
        }
    }
}
