/// A queue whose elements can leave it before their turn. Each operation but ``removeAll(where:)`` takes constant time on
/// average, apart from the elements that a condition is asked about.
struct WaitingQueue<Element> {
    private static var minimumThreshold: Int { 64 }

    /// The elements in order, with a gap for each that has left. The one at `head` is an element.
    private var slots: [Element?] = []
    private var head = 0
    /// The number of slots at which the gaps are closed.
    private var threshold = minimumThreshold

    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var first: Element? { isEmpty ? nil : slots[head] }

    var elements: some Sequence<Element> { slots[head...].lazy.compactMap(\.self) }

    /// Appends an element. Whenever the queue has doubled, the elements that have ceased to wait are removed.
    ///
    /// - Parameter isOver: Returns whether an element has ceased to wait.
    mutating func append(_ element: Element, removing isOver: (Element) -> Bool = { _ in false }) {
        if slots.count >= threshold { closeGaps(isOver) }
        slots.append(element)
        count += 1
    }

    private mutating func closeGaps(_ isOver: (Element) -> Bool) {
        slots = slots[head...].filter { $0.map { !isOver($0) } ?? false }
        (head, count) = (0, slots.count)
        threshold = max(2 * count, Self.minimumThreshold)
    }

    /// Removes and returns the first element that meets a condition.
    mutating func popFirst(where condition: (Element) -> Bool = { _ in true }) -> Element? {
        for index in slots.indices[head...] {
            guard let element = slots[index], condition(element) else { continue }
            slots[index] = nil
            count -= 1
            skipGaps()
            return element
        }
        return nil
    }

    /// Removes and returns the elements that meet a condition.
    mutating func removeAll(where condition: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        closeGaps { element in
            let isRemoved = condition(element)
            if isRemoved { removed.append(element) }
            return isRemoved
        }
        return removed
    }

    private mutating func skipGaps() {
        guard count == 0 else {
            while slots[head] == nil { head += 1 }
            return
        }
        slots.removeAll(keepingCapacity: slots.count <= Self.minimumThreshold)
        (head, threshold) = (0, Self.minimumThreshold)
    }
}
