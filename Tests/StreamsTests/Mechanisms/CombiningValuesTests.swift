import Testing

@testable import Streams

@Suite struct CombiningValuesTests {
    private var state = CombiningState(inputCount: 2)

    @Test mutating func pairsQueuedValuesInTheirOrder() throws {
        var (left, right) = (CombiningValues<Int>(.queue), CombiningValues<Int>(.queue))
        for value in 1...3 { left.store(value, &state) }
        #expect(!state.isDue)
        right.store(8, &state)
        right.store(9, &state)
        for pair in [[1, 8], [2, 9]] {
            try #require(state.isDue)
            let taken = [left.take(&state), right.take(&state)]
            #expect(taken == pair)
        }
        #expect(!state.isDue && left.next == 3)
    }

    @Test mutating func endsWhenQueuedValuesAreUsedUp() throws {
        var (left, right) = (CombiningValues<Int>(.queue), CombiningValues<Int>(.queue))
        for value in 1...2 { left.store(value, &state) }
        left.finish(&state)
        for value in 1...2 {
            #expect(!state.isEnding)
            right.store(value, &state)
            try #require(state.isDue)
            _ = (left.take(&state), right.take(&state))
        }
        #expect(state.isEnding)
    }

    @Test(arguments: [CombiningPolicy.queue, .sampled, .sampledOnce, .trigger])
    mutating func endsWithoutAValue(policy: CombiningPolicy) {
        var values = CombiningValues<Int>(policy)
        values.finish(&state)
        #expect(state.isEnding && !state.isDue)
    }

    @Test mutating func combinesEachLatestValueOnce() throws {
        var (left, right) = (CombiningValues<Int>(.latest), CombiningValues<Int>(.latest))
        left.store(1, &state)
        left.store(2, &state)
        #expect(!state.isDue)
        for value in 8...9 {
            right.store(value, &state)
            try #require(state.isDue)
            let taken = [left.take(&state), right.take(&state)]
            #expect(taken == [2, value])
            #expect(!state.isDue)
        }
    }

    @Test mutating func endsWhenAllLatestValuesHaveEnded() {
        var (left, right) = (CombiningValues<Int>(.latest), CombiningValues<Int>(.latest))
        right.finish(&state)
        #expect(!state.isEnding)
        left.finish(&state)
        #expect(state.isEnding)
    }

    @Test mutating func combinesATriggerWithTheSampledValue() throws {
        var (trigger, sampled) = (CombiningValues<Int>(.trigger), CombiningValues<Int>(.sampled))
        trigger.store(1, &state)
        #expect(trigger.next == nil)
        sampled.store(7, &state)
        sampled.store(8, &state)
        #expect(!state.isDue)
        for value in 2...3 {
            trigger.store(value, &state)
            try #require(state.isDue)
            let taken = [trigger.take(&state), sampled.take(&state)]
            #expect(taken == [value, 8])
            #expect(!state.isDue)
        }
        sampled.finish(&state)
        #expect(!state.isEnding)
    }

    @Test mutating func combinesAValueThatIsSampledOnce() throws {
        var (trigger, sampled) = (CombiningValues<Int>(.trigger), CombiningValues<Int>(.sampledOnce))
        sampled.store(8, &state)
        trigger.store(1, &state)
        try #require(state.isDue)
        let taken = [trigger.take(&state), sampled.take(&state)]
        #expect(taken == [1, 8])
        trigger.store(2, &state)
        #expect(!state.isDue && trigger.next == nil)
    }

    @Test mutating func combinesAValueThatIsSampledOnceAtTheEnd() throws {
        var (trigger, sampled) = (CombiningValues<Int>(.trigger), CombiningValues<Int>(.sampledOnce))
        sampled.store(8, &state)
        sampled.finish(&state)
        trigger.finish(&state)
        try #require(state.isDue && state.isEnding)
        let taken = sampled.take(&state)
        #expect(taken == 8)
        #expect(!state.isDue)
    }
}
