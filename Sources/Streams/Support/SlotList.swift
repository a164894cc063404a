/// An object that can be in one `SlotList` list, and knows where.
@usableFromInline
protocol SlotListMember: AnyObject {
    /// For the list alone. Negative while the object is in none.
    var place: Int { get set }
}

/// Objects in the order they were added, from which each can be removed in constant time.
///
/// Removing leaves a gap; once most places are gaps the rest moves together. So a hundred thousand removals cost a
/// hundred thousand steps. Iteration neither retains nor releases: whoever iterates must see to it that nothing is
/// removed meanwhile.
@usableFromInline
struct SlotList<Member: SlotListMember>: ~Copyable {
    @usableFromInline var places: ContiguousArray<Unmanaged<Member>?> = []
    @usableFromInline var count = 0

    @inlinable
    init() {}

    @inlinable
    deinit {
        for case let member? in places { member.release() }
    }

    @inlinable var isEmpty: Bool { count == 0 }

    @inlinable
    mutating func append(_ member: Member) {
        member.place = places.count
        places.append(Unmanaged.passRetained(member))
        count += 1
    }

    /// The object at its place.
    @inlinable
    subscript(place: Int) -> Member? {
        places.indices.contains(place) ? places[place]?.takeUnretainedValue() : nil
    }

    /// Takes an object out.
    ///
    /// - Parameter place: The object's own; nothing happens if that says that it is in no list.
    /// - Returns: The object, for the caller to release where user code may run.
    @inlinable
    mutating func remove(at place: Int) -> Member? {
        guard places.indices.contains(place), let member = places[place]?.takeRetainedValue() else { return nil }
        places[place] = nil
        member.place = -1
        count -= 1
        if places.count > 16, count < places.count / 2 { closeGaps() }
        return member
    }

    /// Takes all objects out, in order.
    @inlinable
    mutating func removeAll() -> [Member] {
        let all = places.compactMap { $0?.takeRetainedValue() }
        for member in all { member.place = -1 }
        places = []
        count = 0
        return all
    }

    /// Calls a closure with every object, in order.
    @inlinable
    func forEach(_ body: (Member) -> Void) {
        var index = 0
        while index < places.count {
            places[index]?._withUnsafeGuaranteedRef { body($0) }
            index += 1
        }
    }

    @inlinable
    mutating func closeGaps() {
        places.removeAll { $0 == nil }
        for (index, member) in places.enumerated() { member?._withUnsafeGuaranteedRef { $0.place = index } }
    }
}
