import Testing

@testable import Streams

@Suite struct RatePermitsTests {
    private var permits = RatePermits<Int>(count: 2, interval: 10)

    @Test mutating func grantsNoMoreThanTheCount() {
        permits.add(.unlimited)
        #expect(permits.takePortion(at: 0) == 2)
        #expect(permits.takePortion(at: 100) == 0)
        #expect(permits.nextReturn == nil)
    }

    @Test mutating func grantsNoMoreThanTheDemand() {
        permits.add(.max(1))
        #expect(permits.takePortion(at: 0) == 1)
        #expect(permits.takePortion(at: 0) == 0)
        permits.add(.max(5))
        #expect(permits.takePortion(at: 0) == 1)
    }

    @Test mutating func returnsPermitsAnIntervalAfterTheirArrivals() {
        permits.add(.unlimited)
        #expect(permits.takePortion(at: 0) == 2)
        permits.addArrival(at: 3)
        permits.addArrival(at: 7)
        #expect(permits.takePortion(at: 12) == 0)
        #expect(permits.nextReturn == 13)
        #expect(permits.takePortion(at: 13) == 1)
        #expect(permits.nextReturn == 17)
        #expect(permits.takePortion(at: 17) == 1)
        #expect(permits.nextReturn == nil)
    }

    @Test mutating func awaitsNoPermitWithoutDemand() {
        permits.add(.max(2))
        #expect(permits.takePortion(at: 0) == 2)
        permits.addArrival(at: 0)
        #expect(permits.nextReturn == nil)
        permits.add(.max(1))
        #expect(permits.nextReturn == 10)
    }

    @Test mutating func toleratesUnrequestedValues() {
        permits.add(.unlimited)
        for time in 0..<5 { permits.addArrival(at: time) }
        #expect(permits.takePortion(at: 12) == 0)
        #expect(permits.takePortion(at: 14) == 2)
    }
}
