/// A subscription that knows what becomes of values nobody has asked for.
///
/// The bridge to `AsyncSequence` asks a source that waits for demand for one value at a time, but a source that would drop
/// values meanwhile for all of them, so that nothing is lost (rule 8).
@usableFromInline
protocol UnrequestedValuePolicy {
    /// Whether values are lost that arrive while no demand is outstanding.
    var dropsUnrequestedValues: Bool { get }
}

/// Whether a subscription loses values for which there is no demand. One that does not say is taken to wait for demand.
@usableFromInline
func dropsUnrequestedValues(_ subscription: (any Subscription)?) -> Bool {
    (subscription as? any UnrequestedValuePolicy)?.dropsUnrequestedValues ?? false
}
