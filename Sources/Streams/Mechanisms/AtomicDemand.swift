import Synchronization

/// What a source knows about one subscriber, in one atomic word: how many values it still wants, whether it cancelled,
/// and whether it is being held back.
@usableFromInline
struct AtomicDemand: ~Copyable, Sendable {
    /// One reading of the word.
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
        @inlinable static var heldBit: UInt { 1 << (UInt.bitWidth - 3) }
        @inlinable static var countMask: UInt { heldBit - 1 }

        /// The state of a subscriber that takes every value at once: the one sources make fast.
        @inlinable static var flowing: Reading { Reading(rawValue: unlimitedBit) }

        @inlinable var isCancelled: Bool { rawValue & Self.cancelledBit != 0 }
        @inlinable var isHeld: Bool { rawValue & Self.heldBit != 0 }
        @inlinable var isUnlimited: Bool { rawValue & Self.unlimitedBit != 0 }
        @inlinable var count: UInt { rawValue & Self.countMask }
        @inlinable var hasDemand: Bool { isUnlimited || count > 0 }

        /// Not cancelled, and nothing asked for: no thread is emitting.
        @inlinable var isIdle: Bool { !isCancelled && !hasDemand }

        @inlinable
        func adding(_ demand: Subscribers.Demand) -> Reading {
            if isUnlimited || isCancelled { return self }
            // Both terms are below half of what the word can hold.
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

    /// - Parameter isHeld: Whether the subscriber starts out held back, until `release()`.
    @inlinable
    init(isHeld: Bool = false) {
        word = Atomic(isHeld ? Reading.heldBit : 0)
    }

    /// The word as it is, for checks between values. What other threads wrote before they changed it need not be
    /// visible.
    @inlinable var reading: Reading { Reading(rawValue: word.load(ordering: .relaxed)) }

    /// Adds to the demand, saturating.
    ///
    /// - Returns: The word before. A source that emits from inside `request` does so exactly if that was idle.
    @inlinable
    @discardableResult
    func add(_ demand: Subscribers.Demand) -> Reading {
        update { $0.adding(demand) }.old
    }

    /// Takes values that were served off the demand. Unlimited demand stays what it is.
    ///
    /// - Returns: The word after.
    @inlinable
    func subtract(_ served: UInt) -> Reading {
        update { $0.subtracting(served) }.new
    }

    /// Takes one value off the demand if there is any and the subscriber has not cancelled.
    @inlinable
    func takeOne() -> Bool {
        let (old, _) = update { $0.isCancelled ? $0 : $0.subtracting(1) }
        return !old.isCancelled && old.hasDemand
    }

    /// Marks the subscription as over, by cancellation or because the source has completed.
    ///
    /// - Returns: The word before.
    @inlinable
    @discardableResult
    func cancel() -> Reading {
        Reading(rawValue: word.bitwiseOr(Reading.cancelledBit, ordering: .acquiringAndReleasing).oldValue)
    }

    /// Ends holding the subscriber back.
    ///
    /// - Returns: The word before.
    @inlinable
    func release() -> Reading {
        Reading(rawValue: word.bitwiseAnd(~Reading.heldBit, ordering: .acquiringAndReleasing).oldValue)
    }

    /// Marks the subscription as over for good: with no demand, and nothing held back.
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

/// Demand that is to be passed on to upstreams, but not by the owner of a signals while it owns it: a source that
/// emits from inside `request` would only fill the backlog.
///
/// Any thread adds to it, and whoever has left the signals takes all there is.
@usableFromInline
struct DeferredDemand: ~Copyable, Sendable {
    @usableFromInline let word = AtomicDemand()

    @inlinable
    init() {}

    @inlinable
    func add(_ demand: Subscribers.Demand) {
        word.add(demand)
    }

    /// Takes all of it. Costs one plain load if there is none.
    @inlinable
    func take() -> Subscribers.Demand {
        guard word.reading.hasDemand else { return .none }
        let taken = word.update { _ in AtomicDemand.Reading(rawValue: 0) }.old
        return taken.isUnlimited ? .unlimited : .max(Int(taken.count))
    }
}
