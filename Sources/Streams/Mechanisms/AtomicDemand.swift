import Synchronization

/// The state of a subscription in one atomic word: the demand that is left, whether the subscription has ended, and
/// whether its subscriber is still receiving it.
///
/// Sources, subjects and scheduled queues use it: any thread adds demand or cancels, and the delivering thread takes demand off.
@usableFromInline
struct AtomicDemand: ~Copyable, Sendable {
    /// A snapshot of the word.
    @frozen
    @usableFromInline
    struct Reading: Equatable {
        @usableFromInline var rawValue: UInt

        @inlinable
        init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        @inlinable static var cancelledBit: UInt { 1 << (UInt.bitWidth - 1) }
        @inlinable static var unlimitedBit: UInt { 1 << (UInt.bitWidth - 2) }
        @inlinable static var withheldBit: UInt { 1 << (UInt.bitWidth - 3) }
        @inlinable static var countMask: UInt { withheldBit - 1 }

        /// The state with unlimited demand and nothing else set, for which sources have a fast path.
        @inlinable static var flowing: Reading { Reading(rawValue: unlimitedBit) }

        @inlinable var isCancelled: Bool { rawValue & Self.cancelledBit != 0 }
        @inlinable var isWithheld: Bool { rawValue & Self.withheldBit != 0 }
        @inlinable var isUnlimited: Bool { rawValue & Self.unlimitedBit != 0 }
        @inlinable var count: UInt { rawValue & Self.countMask }
        @inlinable var hasDemand: Bool { isUnlimited || count > 0 }
        @inlinable var demand: Subscribers.Demand { isUnlimited ? .unlimited : .max(Int(count)) }

        /// Whether there is neither demand nor a cancellation, so that no thread is emitting.
        @inlinable var isIdle: Bool { !isCancelled && !hasDemand }

        @inlinable
        func adding(_ demand: Subscribers.Demand) -> Reading {
            if isUnlimited || isCancelled { return self }
            // Both terms are below half of the largest count, so their sum does not overflow.
            let sum = count + Swift.min(demand.rawValue, Self.countMask)
            return Reading(
                rawValue: sum < Self.countMask ? rawValue - count + sum : rawValue - count | Self.unlimitedBit)
        }

        @inlinable
        func subtracting(_ served: UInt) -> Reading {
            isUnlimited ? self : Reading(rawValue: rawValue - Swift.min(served, count))
        }
    }

    @usableFromInline let word: Atomic<UInt>

    /// - Parameter isWithheld: Whether the demand is withheld until `release()`, for a subscriber without its subscription.
    @inlinable
    init(isWithheld: Bool = false) {
        word = Atomic(isWithheld ? Reading.withheldBit : 0)
    }

    /// The current state, read without ordering, for checks between values.
    @inlinable var reading: Reading { Reading(rawValue: word.load(ordering: .relaxed)) }

    /// Adds to the demand, saturating.
    ///
    /// - Returns: The state before. A source that emits from inside `request` begins to emit if that was idle.
    @inlinable
    @discardableResult
    func add(_ demand: Subscribers.Demand) -> Reading {
        update { $0.adding(demand) }.old
    }

    /// Subtracts delivered values from the demand. Unlimited demand stays unlimited.
    ///
    /// - Returns: The state after.
    @inlinable
    func subtract(_ served: UInt) -> Reading {
        update { $0.subtracting(served) }.new
    }

    /// Takes one value off the demand if there is any and the subscription has not ended.
    ///
    /// - Returns: Whether it has.
    @inlinable
    func takeOne() -> Bool {
        let (old, _) = update { $0.isCancelled ? $0 : $0.subtracting(1) }
        return !old.isCancelled && old.hasDemand
    }

    /// Ends the subscription, by cancellation or completion.
    ///
    /// - Returns: The state before.
    @inlinable
    @discardableResult
    func cancel() -> Reading {
        Reading(rawValue: word.bitwiseOr(Reading.cancelledBit, ordering: .acquiringAndReleasing).oldValue)
    }

    /// Ends holding delivery back.
    ///
    /// - Returns: The state before.
    @inlinable
    func release() -> Reading {
        Reading(rawValue: word.bitwiseAnd(~Reading.withheldBit, ordering: .acquiringAndReleasing).oldValue)
    }

    /// Ends the subscription and clears the demand.
    @inlinable
    func end() {
        word.store(Reading.cancelledBit, ordering: .releasing)
    }

    @inlinable
    func update(_ change: (Reading) -> Reading) -> (old: Reading, new: Reading) {
        var old = Reading(rawValue: word.load(ordering: .relaxed))
        while true {
            let new = change(old)
            let (exchanged, found) = word.weakCompareExchange(
                expected: old.rawValue,
                desired: new.rawValue,
                successOrdering: .acquiringAndReleasing,
                failureOrdering: .relaxed)
            if exchanged { return (old, new) }
            old = Reading(rawValue: found)
        }
    }
}
