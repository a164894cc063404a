/// The receiving half of an operator: it shows itself by one word, and nothing of its inside unless it says what.
@usableFromInline
protocol NamedSubscriber: Subscriber, CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    var name: OperatorName { get }
}

extension NamedSubscriber {
    @usableFromInline var description: String { name.description }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    @usableFromInline var playgroundDescription: Any { description }
}

/// The receiving half of an operator that hands its subscriber the upstream's subscription as it is.
///
/// Such halves are many, and have no object of their own: they go by their subscriber's identifier, one step further
/// up.
@usableFromInline
protocol PassingSubscriber: NamedSubscriber {
    associatedtype Downstream: Subscriber

    var downstream: Downstream { get }
}

extension PassingSubscriber {
    @inlinable var combineIdentifier: CombineIdentifier { downstream.combineIdentifier.oneStepUp }
}

/// The receiving half of an operator whose own subscription is an ``UpstreamLink``: named and identified by it.
///
/// It passes for a subscription too, as in Combine, where one object is both.
@usableFromInline
protocol LinkedSubscriber: NamedSubscriber, Subscription {
    associatedtype Link: UpstreamLink

    var link: Link { get }
}

extension LinkedSubscriber {
    @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }
    @usableFromInline var name: OperatorName { link.name }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: link.children) }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        link.request(demand)
    }

    @usableFromInline
    func cancel() {
        link.cancelInTurn()
    }
}

/// The subscriber if it is an object that is none of this library's operators: what a subscription keeps alive.
@inlinable
func foreignObject<S: Subscriber>(_ subscriber: S) -> AnyObject? {
    S.self is AnyObject.Type && !(subscriber is any NamedSubscriber) ? subscriber as AnyObject : nil
}
