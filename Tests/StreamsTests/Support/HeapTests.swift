import Testing

@testable import Streams

@Suite struct HeapTests {
    final class Member: HeapMember {
        let number: Int
        var place = -1

        init(_ number: Int) {
            self.number = number
        }

        func precedes(_ other: Member) -> Bool { number < other.number }
    }

    /// Removes the first member until none is left.
    private func drain(_ heap: inout Heap<Member>) -> [Int] {
        var numbers: [Int] = []
        while let first = heap.first {
            heap.remove(first)
            numbers.append(first.number)
        }
        return numbers
    }

    @Test(arguments: [0, 1, 2, 3, 100, 1000])
    func givesOutItsMembersInOrder(count: Int) {
        var heap = Heap<Member>()
        let numbers = (0..<count).map { _ in Int.random(in: 0..<count) }
        for number in numbers { heap.insert(Member(number)) }
        #expect(heap.count == count)
        #expect(drain(&heap) == numbers.sorted())
    }

    @Test func removesAnyMember() {
        for _ in 0..<200 {
            var heap = Heap<Member>()
            let all = (0..<50).map { _ in Member(.random(in: 0..<50)) }
            for member in all { heap.insert(member) }
            let (removed, rest) = (all.prefix(20), all.dropFirst(20))
            for member in removed.shuffled() {
                heap.remove(member)
                #expect(member.place == -1)
            }
            #expect(drain(&heap) == rest.map(\.number).sorted())
        }
    }

    @Test func ignoresAMemberOfNoHeap() {
        var heap = Heap<Member>()
        let (member, other) = (Member(1), Member(2))
        heap.insert(member)
        heap.remove(other)
        heap.remove(member)
        heap.remove(member)
        #expect(heap.first == nil)
    }
}
