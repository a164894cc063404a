/// An object that can be in one ``Heap`` and stores its own place.
@usableFromInline
package protocol HeapMember: AnyObject {
    /// The place, set by the heap. Negative while the object is in no heap.
    var place: Int { get set }

    /// Returns whether the object leaves the heap before another one.
    func precedes(_ other: Self) -> Bool
}

/// A binary heap: adding an object, and removing any of them, takes logarithmic time.
@usableFromInline
package struct Heap<Member: HeapMember> {
    /// No member precedes its parent, whose index is half of its own.
    @usableFromInline var members: ContiguousArray<Member> = []

    @inlinable
    package init() {}

    @inlinable package var count: Int { members.count }

    /// The object that precedes all others.
    @inlinable package var first: Member? { members.first }

    @inlinable
    package mutating func insert(_ member: Member) {
        members.append(member)
        moveUp(from: members.count - 1)
    }

    /// Removes an object, unless it is in no heap.
    @inlinable
    package mutating func remove(_ member: Member) {
        let place = member.place
        guard members.indices.contains(place) else { return }
        member.place = -1
        let last = members.removeLast()
        guard place < members.count else { return }
        members[place] = last
        moveUp(from: moveDown(from: place))
    }

    /// Moves an object towards the root, past all parents that it precedes.
    @inlinable
    mutating func moveUp(from place: Int) {
        let member = members[place]
        var place = place
        while place > 0, case let parent = (place - 1) / 2, member.precedes(members[parent]) {
            put(members[parent], at: place)
            place = parent
        }
        put(member, at: place)
    }

    /// Moves an object away from the root, past all children that precede it.
    ///
    /// - Returns: Its place.
    @inlinable
    mutating func moveDown(from place: Int) -> Int {
        let member = members[place]
        var place = place
        while let child = firstChild(of: place), members[child].precedes(member) {
            put(members[child], at: place)
            place = child
        }
        put(member, at: place)
        return place
    }

    /// Returns the place of the child that precedes the other one.
    @inlinable
    func firstChild(of place: Int) -> Int? {
        let (left, right) = (2 * place + 1, 2 * place + 2)
        guard left < members.count else { return nil }
        return right < members.count && members[right].precedes(members[left]) ? right : left
    }

    @inlinable
    mutating func put(_ member: Member, at place: Int) {
        members[place] = member
        member.place = place
    }
}
