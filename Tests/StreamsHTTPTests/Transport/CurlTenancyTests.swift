import Testing

@testable import StreamsHTTP

@Suite struct CurlTenancyTests {
    private var tenancy = CurlTenancy()

    @Test mutating func aCallerHasTheLoopOnlyWhileTheThreadSleeps() {
        let whileAwake = tenancy.borrow()
        tenancy.sleep()
        let borrowed = [tenancy.borrow(), tenancy.borrow()]
        let end = tenancy.giveBack(hasNews: false)
        let again = tenancy.borrow()
        #expect(!whileAwake)
        #expect(borrowed == [true, false])
        #expect(end == .leave)
        #expect(again)
    }

    @Test mutating func theThreadIsWokenOnceForWhatItHasToSee() {
        let whileAwake = tenancy.announce()
        tenancy.sleep()
        let wakes = [tenancy.announce(), tenancy.announce()]
        let isFree = tenancy.borrow()
        let mustWait = tenancy.reclaim()
        #expect(!whileAwake)
        #expect(wakes == [true, false])
        #expect(!isFree)
        #expect(!mustWait)
    }

    @Test mutating func whatIsAnnouncedMeanwhileIsLeftToTheCaller() {
        tenancy.sleep()
        _ = tenancy.borrow()
        let wakes = tenancy.announce()
        let end = tenancy.giveBack(hasNews: true)
        let isFree = tenancy.borrow()
        #expect(!wakes)
        #expect(end == .wake)
        #expect(!isFree)
    }

    @Test(arguments: [false, true])
    mutating func theThreadWaitsForTheCaller(_ hasNews: Bool) {
        tenancy.sleep()
        _ = tenancy.borrow()
        let mustWait = tenancy.reclaim()
        let wakes = tenancy.announce()
        let end = tenancy.giveBack(hasNews: hasNews)
        let isFree = tenancy.borrow()
        #expect(mustWait)
        #expect(!wakes)
        #expect(end == .resume)
        #expect(!isFree)
    }
}
