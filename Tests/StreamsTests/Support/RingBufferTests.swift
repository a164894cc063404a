import StreamsTesting
import Testing

@testable import Streams

@Suite struct RingBufferTests {
    @Test func keepsOrderWhileGrowingAndWrapping() {
        var buffer = RingBuffer<Int>()
        var (added, removed) = (0, 0)
        for round in 0..<100 {
            for _ in 0..<(round % 7 + 3) {
                buffer.append(added)
                added += 1
            }
            for _ in 0..<(round % 5 + 2) where removed < added {
                #expect(buffer.first == removed)
                #expect(buffer.popFirst() == removed)
                removed += 1
            }
            #expect(buffer.count == added - removed)
        }
        while let element = buffer.popFirst() {
            #expect(element == removed)
            removed += 1
        }
        #expect(removed == added && buffer.isEmpty && buffer.first == nil)
    }

    @Test func shrinksWhenEmptied() {
        var buffer = RingBuffer<Int>()
        for number in 0..<100_000 { buffer.append(number) }
        for number in 0..<100_000 { #expect(buffer.popFirst() == number) }
        #expect(buffer.isEmpty && buffer.storage.count <= 1024)
        buffer.append(1)
        #expect(buffer.popFirst() == 1 && buffer.popFirst() == nil)
    }

    @Test func releasesRemovedElements() {
        let lifetimes = LifetimeTracker()
        var buffer = RingBuffer<LifetimeToken>()
        buffer.append(lifetimes.token("element"))
        #expect(lifetimes.alive == ["element"])
        _ = buffer.popFirst()
        #expect(lifetimes.alive == [])
    }
}
