/// A link with what few links have: a subscriber to keep alive, and something to show.
@usableFromInline
class KeepingLink: UpstreamLink {
    @exclusivity(unchecked) private final var held: AnyObject?
    private final let portrait: LinkPortrait?

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
