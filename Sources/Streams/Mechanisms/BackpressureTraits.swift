/// A subscription that knows what becomes of values nobody has asked for.
///
/// The bridge to `AsyncSequence` asks a source that waits for demand for one value at a time, but a source that would
/// drop values meanwhile for all of them, so that nothing is lost (rule 8).
@usableFromInline
protocol BackpressureTraits: Subscription {
    /// Whether values are lost that arrive while no demand is outstanding.
    var dropsUnrequestedValues: Bool { get }

    /// Says that the subscriber keeps what it is given, asked for or not. Sources behind this subscription that would
    /// drop values are to be asked for all of them, also those it subscribes to later; the others go on waiting for
    /// demand.
    ///
    /// A value that nobody asked for has used up no demand. Who counts takes that into account where the subscriber
    /// returns demand to make up for it, so that sources that wait are not asked for more than is wanted.
    func keepUnrequestedValues()
}

extension BackpressureTraits {
    @usableFromInline
    func keepUnrequestedValues() {
        if dropsUnrequestedValues { request(.unlimited) }
    }
}

/// Whether a subscription loses values for which there is no demand. One that does not say is taken to wait for demand.
@usableFromInline
func dropsUnrequestedValues(_ subscription: (any Subscription)?) -> Bool {
    (subscription as? any BackpressureTraits)?.dropsUnrequestedValues ?? false
}

/// Passes on to a subscription that its subscriber keeps what it is given. One that knows nothing of this waits for
/// demand.
@usableFromInline
func keepUnrequestedValues(_ subscription: (any Subscription)?) {
    (subscription as? any BackpressureTraits)?.keepUnrequestedValues()
}
