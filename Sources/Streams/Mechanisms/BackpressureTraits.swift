/// A subscription that tells what becomes of values that were not requested.
///
/// ``Publisher/values`` requests one value at a time from a source that waits for demand, and all values at once from a
/// source that would drop them meanwhile. So nothing is lost (rule 8).
@usableFromInline
protocol BackpressureTraits: Subscription {
    /// Whether a value that arrives without demand is lost.
    var dropsUnrequestedValues: Bool { get }

    /// Announces that the subscriber buffers every value it receives, requested or not.
    ///
    /// Sources behind this subscription that would drop values are to be asked for all of them, also those that are
    /// subscribed to later. Other sources go on waiting for demand. A value that was not requested has used up no
    /// demand: an operator that counts deducts it from what the subscriber returns.
    func keepUnrequestedValues()
}

extension BackpressureTraits {
    @usableFromInline
    func keepUnrequestedValues() {
        if dropsUnrequestedValues { request(.unlimited) }
    }
}

/// Returns whether a subscription drops values that were not requested. One without traits waits for demand.
@usableFromInline
func dropsUnrequestedValues(_ subscription: (any Subscription)?) -> Bool {
    (subscription as? any BackpressureTraits)?.dropsUnrequestedValues ?? false
}

/// Announces to a subscription that its subscriber buffers every value. One without traits waits for demand.
@usableFromInline
func keepUnrequestedValues(_ subscription: (any Subscription)?) {
    (subscription as? any BackpressureTraits)?.keepUnrequestedValues()
}
