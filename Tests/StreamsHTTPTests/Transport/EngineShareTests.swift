import Testing

@testable import StreamsHTTP

/// The resources of a transport that two engines share.
@Suite struct EngineShareTests {
    private let shares: [EngineShare]
    private let start = MonotonicTime.now

    init() throws {
        let resources = EngineResources(engineCount: 2)
        shares = (0..<2).map { EngineShare(resources, engine: $0) }
        for share in shares { share.join(try WakeSignal()) }
    }

    @Test func countsTheSocketsOfAllEngines() {
        // Two connections whatever else is open.
        let limit = DescriptorLimit(reserve: 16)
        let admitted = (0..<4).map { shares[$0 % 2].admit(.max, by: limit) }
        #expect(admitted == [true, true, false, false])
        #expect(shares.map(\.socketCount) == [2, 2])
        shares[0].forgetSocket()
        #expect(shares[1].admit(.max, by: limit) && !shares[0].admit(.max, by: limit))
    }

    @Test func countsTheLookupsOfAllEngines() {
        #expect(shares[0].beginLookup(limit: 2) && shares[1].beginLookup(limit: 2))
        #expect(!shares[0].beginLookup(limit: 2) && !shares[1].beginLookup(limit: 2))
        shares[1].setWaitsForLookup(true)
        shares[0].endLookups(1)
        #expect(!shares[0].takeWake() && shares[1].takeWake() && !shares[1].takeWake())
        #expect(shares[1].lookupCount == 1 && shares[1].beginLookup(limit: 2))
        shares[1].setWaitsForLookup(false)
        shares[0].endLookups(1)
        #expect(!shares[1].takeWake())
    }

    @Test func givesDescriptorsToTheOneThatHasWaitedLongest() {
        let (first, second) = (shares[0], shares[1])
        #expect(!first.isShort && !first.isAnotherFirst)
        first.free(1)
        first.setWaiting(since: start + .seconds(2), count: 2)
        second.setWaiting(since: start + .seconds(1), count: 3)
        #expect(first.isShort && first.isAnotherFirst && !second.isAnotherFirst)
        #expect(first.noteEnds(3, hasRoom: true, now: start + .seconds(3)) == 0)
        #expect(second.takeWake() && second.takeFreedCount() == 3 && first.takeFreedCount() == 0)
        #expect(shares.map(\.lastEnd) == [start + .seconds(3), start + .seconds(3)])
        second.setWaiting(since: nil, count: 0)
        second.free(2)
        #expect(first.takeWake() && first.takeFreedCount() == 2)
        first.setWaiting(since: nil, count: 0)
        #expect(!second.isShort)
    }

    /// When exchanges end without a free descriptor, as many connections are closed for another engine as it lacks.
    @Test func closesNoMoreThanAnotherLacks() {
        let (first, second) = (shares[0], shares[1])
        second.setWaiting(since: start, count: 3)
        second.askForIdle(3)
        #expect(first.noteEnds(2, hasRoom: false, now: start) == 2)
        #expect(first.noteEnds(5, hasRoom: false, now: start) == 1)
        #expect(first.noteEnds(5, hasRoom: false, now: start) == 0)
        // The three idle connections that the second has asked for are these.
        #expect(first.takeWantedCount(of: 10) == 0)
        first.freePromised(3)
        #expect(first.noteEnds(5, hasRoom: false, now: start) == 0)
        #expect(second.takeWake() && second.takeFreedCount() == 3)
        // The second has not counted anew which of its openings still wait.
        #expect(first.noteEnds(5, hasRoom: false, now: start) == 0)
        second.setWaiting(since: start, count: 1)
        #expect(first.noteEnds(5, hasRoom: false, now: start) == 1)
        // The rest is for the engine's own openings.
        first.setWaiting(since: start + .seconds(1), count: 10)
        #expect(first.noteEnds(5, hasRoom: false, now: start) == 0 && first.takeFreedCount() == 5)
    }

    @Test func asksOthersForIdleConnections() {
        let (first, second) = (shares[0], shares[1])
        first.setWaiting(since: start, count: 3)
        first.askForIdle(3)
        #expect(second.takeWake() && !first.takeWake())
        #expect(second.takeWantedCount(of: 2) == 2 && second.takeWantedCount(of: 2) == 1)
        #expect(second.takeWantedCount(of: 2) == 0)
        first.askForIdle(3)
        first.setWaiting(since: nil, count: 0)
        #expect(second.takeWantedCount(of: 2) == 0)
    }

    @Test func forgetsAnEngineThatHasEnded() {
        shares[0].setWaiting(since: start, count: 1)
        shares[0].leave()
        #expect(!shares[1].isShort && !shares[1].isAnotherFirst)
        shares[1].askForIdle(1)
        shares[1].setWaiting(since: start, count: 1)
        #expect(shares[1].noteEnds(1, hasRoom: false, now: start) == 0)
        #expect(shares[1].takeFreedCount() == 1)
    }
}
