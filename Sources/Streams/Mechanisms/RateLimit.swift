/// The subscription of operators that have a limited number of values under way: it hands demand on in portions.
@usableFromInline
// Safe because the account is behind a lock.
class RateLimitedLink: UpstreamLink, @unchecked Sendable {
    private struct Account {
        let limit: Int
        /// More is asked for when fewer than this are outstanding.
        let refillMark: Int
        /// What the subscriber wants and has not got.
        var wanted = Subscribers.Demand.none
        /// What the upstream was asked for and has not been delivered.
        var outstanding = 0

        /// How much to ask for now.
        mutating func takePortion() -> Subscribers.Demand {
            guard outstanding < refillMark else { return .none }
            let target = Swift.min(wanted.max ?? limit, limit)
            guard target > outstanding else { return .none }
            defer { outstanding = target }
            return .max(target - outstanding)
        }
    }

    private let name: String
    private let account: Locked<Account>

    @usableFromInline
    init(_ name: String, limit: Int, refillsBelow refillMark: Int) {
        account = Locked(Account(limit: limit, refillMark: refillMark))
        self.name = name
        super.init()
    }

    @usableFromInline override var description: String { name }

    @usableFromInline
    final override func request(_ demand: Subscribers.Demand) {
        let portion = account.withLock { account in
            account.wanted += demand
            return account.takePortion()
        }
        if portion > .none { super.request(portion) }
    }

    /// Takes a value that was delivered off the account.
    ///
    /// - Returns: What to ask the upstream for.
    @usableFromInline
    final func delivered(additional: Subscribers.Demand) -> Subscribers.Demand {
        account.withLock { account in
            account.wanted += additional
            if account.wanted > .none { account.wanted -= 1 }
            if account.outstanding > 0 { account.outstanding -= 1 }
            return account.takePortion()
        }
    }

    /// Takes a value that was delivered off the account, and asks the upstream for more if it is time to.
    final func refill() {
        let portion = delivered(additional: .none)
        if portion > .none { super.request(portion) }
    }
}
