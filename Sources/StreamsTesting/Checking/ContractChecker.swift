import Streams

/// A list of the breaches of the contract between publishers and their subscribers.
///
/// ```swift
/// let checker = ContractChecker()
/// numbers.checkingContract(with: checker).subscribe(recorder)
/// #expect(checker.breaches == [])
/// ```
///
/// One checker may stand at several places of a stream, and may be used from any thread.
/// `checkingContract(_:with:)` adds the breaches that it finds.
public final class ContractChecker: Sendable {
    private let found = Locked<[ContractBreach]>([])

    /// Creates a checker with no breaches.
    public init() {}

    /// The breaches found so far, in order.
    public var breaches: [ContractBreach] { found.withLock { $0 } }

    /// Asserts that no breach was found.
    ///
    /// - Throws: ``ContractError`` with all breaches found so far.
    public func expectNoBreaches() throws(ContractError) {
        let breaches = breaches
        if !breaches.isEmpty { throw ContractError(breaches: breaches) }
    }

    func add(_ breach: ContractBreach) {
        found.withLock { $0.append(breach) }
    }
}
