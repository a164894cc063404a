import Testing

@testable import Streams

@Suite struct SlotListTests {
    final class Member: SlotListMember {
        let number: Int
        var place = -1

        init(_ number: Int) {
            self.number = number
        }
    }

    @Test func keepsOrderAfterRemovals() {
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

    @Test func releasesItsMembers() {
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
