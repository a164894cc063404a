/// The subscription handed downstream by operators that deliver one value: demand goes to the value that is kept,
/// cancellation to the upstream as well.
@usableFromInline
class OutcomeSubscription: Subscription, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    @usableFromInline final let outcome: OneShotControl
    @usableFromInline final let link: UpstreamLink

    @inlinable
    init(outcome: OneShotControl, link: UpstreamLink) {
        self.outcome = outcome
        self.link = link
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        outcome.request(demand)
    }

    @usableFromInline
    final func cancel() {
        outcome.cancel()
        link.cancel()
    }

    @usableFromInline final var description: String { link.description }
    @usableFromInline final var customMirror: Mirror { Mirror(self, children: link.children) }
    @usableFromInline final var playgroundDescription: Any { description }
}

/// The same for operators that pass values on while it is open whether they deliver one of their own: demand goes to
/// both.
@usableFromInline
final class ForwardingOutcomeSubscription: OutcomeSubscription, UnrequestedValuePolicy {
    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        outcome.request(demand)
        link.request(demand)
    }

    @usableFromInline var dropsUnrequestedValues: Bool { link.dropsUnrequestedValues }

    @usableFromInline
    func loseNothing() {
        if dropsUnrequestedValues {
            request(.unlimited)
        } else {
            link.loseNothing()
        }
    }
}
