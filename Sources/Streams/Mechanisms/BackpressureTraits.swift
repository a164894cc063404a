/// A subscription that reports how its source treats demand.
///
/// ``Publisher/values`` requests one value at a time from a source that waits for demand, and all values at once from a
/// source that would drop them meanwhile. So nothing is lost (rule 8).
@usableFromInline
package protocol BackpressureTraits: Subscription {
    /// Whether a value that arrives without demand is lost.
    var dropsUnrequestedValues: Bool { get }

    /// Announces that the subscriber buffers every value it receives, requested or not.
    ///
    /// All values are then requested from the sources behind this subscription that would drop values, also from those
    /// that are subscribed to later. Other sources continue to wait for demand. A value that was not requested uses up
    /// no demand: an operator that counts demand subtracts one from what the subscriber returns for it.
    func keepUnrequestedValues()
}

extension BackpressureTraits {
    @usableFromInline
    package func keepUnrequestedValues() {
        if dropsUnrequestedValues { request(.unlimited) }
    }
}

/// Returns whether a subscription drops values that were not requested. One without traits waits for demand.
@usableFromInline
package func dropsUnrequestedValues(_ subscription: (any Subscription)?) -> Bool {
    (subscription as? any BackpressureTraits)?.dropsUnrequestedValues ?? false
}

/// Announces to a subscription that its subscriber buffers every value. One without traits waits for demand.
@usableFromInline
package func keepUnrequestedValues(_ subscription: (any Subscription)?) {
    (subscription as? any BackpressureTraits)?.keepUnrequestedValues()
}
