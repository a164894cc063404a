/// A link with what few links have: a subscriber to keep alive, and something to show.
@usableFromInline
class KeepingLink: UpstreamLink {
    @exclusivity(unchecked) private final var held: AnyObject?
    private final let portrait: LinkPortrait?
    /// Whether the upstream has been asked for anything. It belongs to the lock.
    @exclusivity(unchecked) private final var isAsked = false

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - subscriber: What is to live as long as the stream goes on, see ``foreignObject(_:)``.
    ///   - rules: What stops the program, or counts, out of turn.
    ///   - portrait: What mirrors of both halves of the operator show. Nothing, if there is none.
    @usableFromInline
    init(
        _ name: OperatorName, keeping subscriber: AnyObject? = nil, rules: LinkRules = [], portrait: LinkPortrait? = nil
    ) {
        held = subscriber
        self.portrait = portrait
        super.init(name, rules: rules)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        if portrait != nil { withLock { isAsked = true } }
        super.request(demand)
    }

    /// Reads what values from upstream change, as long as none can come, because none has been asked for.
    ///
    /// - Parameter read: Called under the lock.
    @usableFromInline
    final func whileUnasked<Result>(_ read: () -> Result) -> Result? {
        withLock { isAsked ? nil : read() }
    }

    @usableFromInline override final var keptSubscriber: AnyObject? {
        get { held }
        set { held = newValue }
    }

    @usableFromInline override final var children: [Mirror.Child] { portrait?.children(self) ?? [] }
}

extension UpstreamLink {
    /// A link that keeps a subscriber and shows something, if there is such; see ``KeepingLink``.
    @usableFromInline
    static func keeping(
        _ subscriber: AnyObject?, _ name: OperatorName, rules: LinkRules = [], portrait: LinkPortrait? = nil
    ) -> UpstreamLink {
        if subscriber == nil, portrait == nil { return UpstreamLink(name, rules: rules) }
        return KeepingLink(name, keeping: subscriber, rules: rules, portrait: portrait)
    }
}
