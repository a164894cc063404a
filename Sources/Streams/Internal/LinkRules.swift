/// How an operator answers what is out of turn, where Combine's operators differ.
@usableFromInline
struct LinkRules: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A value, a completion or a request that comes before the subscription stops the program.
    @inlinable static var subscriptionFirst: Self { Self(rawValue: 1) }

    /// A cancellation that comes before the subscription cancels it when it comes.
    @inlinable static var cancelsAhead: Self { Self(rawValue: 2) }

    /// To be asked for nothing stops the program.
    @inlinable static var noEmptyRequests: Self { Self(rawValue: 4) }

    /// What the filtering operators that have a link of their own go by.
    @inlinable static var filtering: Self { [.subscriptionFirst, .cancelsAhead] }
}
