import Testing

@testable import StreamsHTTP

@Suite struct CurlTenancyTests {
    private var tenancy = CurlTenancy()

    @Test mutating func aCallerHasTheLoopOnlyWhileTheThreadSleeps() {
        let whileAwake = tenancy.borrow()
        tenancy.watch()
        let whileWatching = tenancy.borrow()
        tenancy.endWatch()
        tenancy.leave()
        let borrowed = [tenancy.borrow(), tenancy.borrow()]
        let mustWake = tenancy.giveBack(isIdle: true)
        let again = tenancy.borrow()
        #expect(!whileAwake && !whileWatching)
        #expect(borrowed == [true, false])
        #expect(!mustWake)
        #expect(again)
    }

    @Test(arguments: [false, true])
    mutating func theThreadIsCalledOnceForWhatItHasToSee(_ isWatching: Bool) {
        let whileAwake = tenancy.announce()
        if isWatching { tenancy.watch() } else { tenancy.leave() }
        let calls = [tenancy.announce(), tenancy.announce()]
        let isFree = tenancy.borrow()
        #expect(whileAwake == .none)
        #expect(calls == [isWatching ? .signal : .wake, .none])
        #expect(!isFree)
    }

    @Test mutating func aCallerIsCalledAwayOnceAndTheThreadGoesOn() {
        tenancy.leave()
        _ = tenancy.borrow()
        let calls = [tenancy.announce(), tenancy.announce()]
        let mustWake = tenancy.giveBack(isIdle: true)
        let isFree = tenancy.borrow()
        #expect(calls == [.signal, .none])
        #expect(mustWake)
        #expect(!isFree)
    }

    @Test mutating func whatACallerLeavesUndoneIsTheThreads() {
        tenancy.leave()
        _ = tenancy.borrow()
        let mustWake = tenancy.giveBack(isIdle: false)
        let isFree = tenancy.borrow()
        #expect(mustWake)
        #expect(!isFree)
    }

    @Test mutating func aThreadThatHasSleptForLongEnoughTakesTheLoopAgain() {
        tenancy.leave()
        let hasIt = tenancy.reclaim()
        let isFree = tenancy.borrow()
        #expect(hasIt)
        #expect(!isFree)
    }

    @Test mutating func itWaitsToBeWokenWhereACallerHasIt() {
        tenancy.leave()
        _ = tenancy.borrow()
        let hasIt = tenancy.reclaim()
        let mustWake = tenancy.giveBack(isIdle: true)
        #expect(!hasIt)
        #expect(mustWake)
    }

    @Test mutating func thatCallerIsCalledAwayNonetheless() {
        tenancy.leave()
        _ = tenancy.borrow()
        _ = tenancy.reclaim()
        let calls = [tenancy.announce(), tenancy.announce()]
        let mustWake = tenancy.giveBack(isIdle: true)
        #expect(calls == [.signal, .none])
        #expect(mustWake)
    }

    /// It has been woken in the moment in which its time was up.
    @Test mutating func itWaitsToBeWokenWhereThatIsUnderWay() {
        tenancy.leave()
        let call = tenancy.announce()
        let hasIt = tenancy.reclaim()
        #expect(call == .wake)
        #expect(!hasIt)
    }
}
