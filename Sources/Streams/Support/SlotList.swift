/// An object that can be in one ``SlotList`` and stores its own slot.
@usableFromInline
protocol SlotListMember: AnyObject {
    /// The slot, set by the list. Negative while the object is in no list.
    var place: Int { get set }
}

/// A list of objects in the order of insertion, each of which can be removed in constant time.
///
/// Removing leaves an empty slot. Once most slots are empty, the others move together, so the amortised cost stays
/// constant. Iterating neither retains nor releases: the caller ensures that nothing is removed meanwhile.
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

    /// The object in a slot.
    @inlinable
    subscript(place: Int) -> Member? {
        places.indices.contains(place) ? places[place]?.takeUnretainedValue() : nil
    }

    /// Removes an object.
    ///
    /// - Parameter place: The object's slot. A negative one is ignored.
    /// - Returns: The object, which the caller releases outside any lock.
    @inlinable
    mutating func remove(at place: Int) -> Member? {
        guard places.indices.contains(place), let member = places[place]?.takeRetainedValue() else { return nil }
        places[place] = nil
        member.place = -1
        count -= 1
        if places.count > 16, count < places.count / 2 { closeGaps() }
        return member
    }

    /// Removes and returns all objects, in order.
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
