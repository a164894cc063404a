import StreamsTesting
import Testing

@testable import Streams

@Suite struct RingBufferTests {
    @Test func itKeepsTheOrderWhileItGrowsAndWraps() {
        var buffer = RingBuffer<Int>()
        var (added, taken) = (0, 0)
        for round in 0..<100 {
            for _ in 0..<(round % 7 + 3) {
                buffer.append(added)
                added += 1
            }
            for _ in 0..<(round % 5 + 2) where taken < added {
                #expect(buffer.first == taken)
                #expect(buffer.popFirst() == taken)
                taken += 1
            }
            #expect(buffer.count == added - taken)
        }
        while let element = buffer.popFirst() {
            #expect(element == taken)
            taken += 1
        }
        #expect(taken == added && buffer.isEmpty && buffer.first == nil)
    }

    @Test func itKeepsNoMoreRoomThanMostNeed() {
        var buffer = RingBuffer<Int>()
        for number in 0..<100_000 { buffer.append(number) }
        for number in 0..<100_000 { #expect(buffer.popFirst() == number) }
        #expect(buffer.isEmpty && buffer.storage.count <= 1024)
        buffer.append(1)
        #expect(buffer.popFirst() == 1 && buffer.popFirst() == nil)
    }

    @Test func itLetsGoOfWhatIsTaken() {
        let lifetimes = LifetimeTracker()
        var buffer = RingBuffer<LifetimeToken>()
        buffer.append(lifetimes.token("element"))
        #expect(lifetimes.alive == ["element"])
        _ = buffer.popFirst()
        #expect(lifetimes.alive == [])
    }
}

@Suite struct OrderedMembersTests {
    final class Member: SlotListMember {
        let number: Int
        var place = -1

        init(_ number: Int) {
            self.number = number
        }
    }

    @Test func itKeepsTheOrderThroughRemovals() {
        var members = SlotList<Member>()
        let all = (0..<1000).map(Member.init)
        for member in all { members.append(member) }
        for member in all where member.number % 3 != 0 { #expect(members.remove(at: member.place) === member) }
        for number in 1000..<1010 { members.append(Member(number)) }
        var numbers: [Int] = []
        members.forEach { numbers.append($0.number) }
        #expect(numbers == Array(stride(from: 0, to: 1000, by: 3)) + Array(1000..<1010))
        #expect(members.count == numbers.count)
        #expect(members.remove(at: all[1].place) == nil)
        #expect(members[all[3].place] === all[3])
        #expect(members.removeAll().map(\.number) == numbers)
        #expect(members.isEmpty && all[0].place == -1)
    }

    @Test func itReleasesWhatItHolds() {
        var weak = Weak<Member>()
        do {
            var members = SlotList<Member>()
            members.append(Member(1))
            weak.object = members[0]
            #expect(weak.object != nil)
        }
        #expect(weak.object == nil)
    }
}
