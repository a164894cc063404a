/// The receiving half of an operator: it shows itself by one word, and nothing of its inside.
@usableFromInline
protocol NamedSubscriber: Subscriber, CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    var name: StaticString { get }
}

extension NamedSubscriber {
    @usableFromInline var description: String { name.description }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    @usableFromInline var playgroundDescription: Any { description }
}

/// The receiving half of an operator whose own subscription is an ``UpstreamLink``: named and identified by it.
@usableFromInline
protocol LinkedSubscriber: NamedSubscriber {
    associatedtype Link: UpstreamLink

    var link: Link { get }
}

extension LinkedSubscriber {
    @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }
    @usableFromInline var name: StaticString { link.name }
}
