/// The step after an attempt has ended.
@usableFromInline
enum ResubscriptionDecision {
    /// Delivers the completion.
    case complete
    case subscribe
    /// Subscribes when the scheduler runs the job that the closure is given.
    case schedule((ScheduledJob) -> Void)

    /// Returns the decision to subscribe again up to a limit. Nil and negative numbers are no limit.
    @inlinable
    static func subscribe(again number: Int, upTo limit: Int?) -> ResubscriptionDecision {
        guard let limit, limit >= 0, number > limit else { return .subscribe }
        return .complete
    }
}

/// The attempts of `retry` and `repeat`, which subscribe to the same upstream again.
///
/// The subscriber of the current attempt holds it; downstream has only the arbiter, which holds it between two
/// attempts.
@usableFromInline
final class Resubscription<Upstream: Publisher, Downstream: Subscriber>
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
    @usableFromInline typealias Completion = Subscribers.Completion<Upstream.Failure>

    @usableFromInline let upstream: Upstream
    @usableFromInline let downstream: Downstream
    @usableFromInline let arbiter: SubscriptionArbiter
    @usableFromInline let limit: Int?
    @usableFromInline let decide: (_ completion: Completion, _ retry: Int, _ limit: Int?) -> ResubscriptionDecision

    /// The number of attempts that have ended. Belongs to their signals, which are serial.
    @exclusivity(unchecked) @usableFromInline var endedAttempts = 0

    /// - Parameters:
    ///   - name: The operator's name.
    ///   - limit: The maximum number of further attempts, for the closure. One that captures nothing costs no allocation.
    ///   - decide: A closure that returns the step after a completion. It is given the number of the next retry, from 1.
    @inlinable
    init(
        _ name: String, upstream: Upstream, downstream: Downstream, limit: Int?,
        decide: @escaping (_ completion: Completion, _ retry: Int, _ limit: Int?) -> ResubscriptionDecision
    ) {
        arbiter = SubscriptionArbiter(name, needsEveryValue: downstream.needsEveryValue)
        self.upstream = upstream
        self.downstream = downstream
        self.limit = limit
        self.decide = decide
    }

    /// Begins the next attempt.
    @inlinable
    func subscribe() {
        arbiter.trampoline.run {
            if !arbiter.isTerminal { upstream.subscribe(ResubscriptionSubscriber(resubscription: self)) }
        }
    }

    @inlinable
    func attemptEnded(_ completion: Completion) {
        if endedAttempts < .max { endedAttempts += 1 }
        switch decide(completion, endedAttempts, limit) {
        case .complete:
            if arbiter.complete() { downstream.receive(completion: completion) }
        case .subscribe:
            arbiter.detach()
            subscribe()
        case .schedule(let schedule):
            arbiter.detach()
            arbiter.push { _ in self.subscribe() }
            schedule(ScheduledJob { [arbiter] _ in arbiter.subscribeToNext() })
        }
    }
}

/// The subscriber of one attempt.
@usableFromInline
struct ResubscriptionSubscriber<Upstream: Publisher, Downstream: Subscriber>: ArbitratedSubscriber
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
    @usableFromInline let resubscription: Resubscription<Upstream, Downstream>
    @usableFromInline let link: UpstreamLink

    @inlinable var arbiter: SubscriptionArbiter { resubscription.arbiter }
    @inlinable var downstream: Downstream { resubscription.downstream }

    @inlinable
    init(resubscription: Resubscription<Upstream, Downstream>) {
        self.resubscription = resubscription
        link = UpstreamLink()
    }

    @inlinable
    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        guard link.isActive, arbiter.takeDemand() else { return .none }
        // Requested rather than returned, as in Combine.
        arbiter.request(downstream.receive(input))
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        if link.complete() { resubscription.attemptEnded(completion) }
    }
}
