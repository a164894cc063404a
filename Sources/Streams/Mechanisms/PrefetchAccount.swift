/// The account of an operator that requests values before its subscriber does: `asyncMap`, `group(by:)` and `window`.
///
/// The operator requests a fixed number of values at the start, and another one for each that its subscriber has
/// consumed. The account tells when that is the case: a value is consumed when it has both been sent to the subscriber's
/// buffer and been requested, in whichever order. It is a value, guarded by the lock of its operator.
@usableFromInline
struct PrefetchAccount: Sendable {
    /// The values that have been sent and not requested.
    private var unrequested = 0
    /// The values that have been requested and not sent.
    private var unsent = Subscribers.Demand.none

    @usableFromInline
    init() {}

    /// Adds a request.
    ///
    /// - Returns: The number of values that it consumes.
    @usableFromInline
    mutating func add(_ demand: Subscribers.Demand) -> Int {
        unsent += demand
        let consumed = min(unrequested, unsent.max ?? unrequested)
        unrequested -= consumed
        unsent -= consumed
        return consumed
    }

    /// Adds a value that is sent.
    ///
    /// - Returns: Whether it is consumed.
    @usableFromInline
    mutating func addValue() -> Bool {
        guard unsent > .none else {
            unrequested += 1
            return false
        }
        unsent -= 1
        return true
    }
}
