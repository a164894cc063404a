/// A queue whose elements can leave it before their turn: the first one that meets a condition, or the one with a
/// number.
///
/// Appending and removing an element take constant time on average, and finding one by its number logarithmic time. A condition
/// is asked about one element after the other. Only ``removeAll(where:)`` always takes linear time.
struct WaitingQueue<Element> {
    private struct Slot {
        let number: Int
        /// The element; `nil` for a gap, once it has left.
        var element: Element?
        /// The number of slots from a gap to the next one that may have an element.
        var skip = 1
    }

    private static var minimumThreshold: Int { 64 }

    /// The elements in order, with gaps. The slot at `head` has an element, unless the queue is empty. Numbers ascend.
    private var slots: [Slot] = []
    private var head = 0
    /// The number of slots at which an append closes the gaps.
    private var threshold = minimumThreshold

    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var first: Element? { isEmpty ? nil : slots[head].element }

    var elements: some Sequence<Element> { slots[head...].lazy.compactMap(\.element) }

    /// Appends an element. Whenever the queue has doubled, the elements that have ceased to wait are removed.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - number: A positive number, larger than those of earlier elements; 0 if no element is removed by its number.
    ///   - isOver: Returns whether an element has ceased to wait.
    mutating func append(_ element: Element, number: Int = 0, removing isOver: (Element) -> Bool = { _ in false }) {
        assert(number == 0 || number > slots.last?.number ?? 0, "the numbers do not ascend")
        if slots.count >= threshold { closeGaps(removing: isOver) }
        slots.append(Slot(number: number, element: element))
        count += 1
    }

    /// Removes and returns the first element that meets a condition.
    mutating func popFirst(where condition: (Element) -> Bool = { _ in true }) -> Element? {
        var index = head
        while index < slots.count {
            guard let element = slots[index].element else {
                index = skipGaps(at: index)
                continue
            }
            if condition(element) { return remove(at: index) }
            index += 1
        }
        return nil
    }

    /// Returns the index of the first element behind a gap, and notes it in the gap, so that no search passes the gaps
    /// between them again.
    private mutating func skipGaps(at gap: Int) -> Int {
        var index = gap
        while index < slots.count, slots[index].element == nil { index += slots[index].skip }
        slots[gap].skip = index - gap
        return index
    }

    /// Returns the element with a number; `nil` if it has left.
    func element(_ number: Int) -> Element? { index(of: number).flatMap { slots[$0].element } }

    /// Removes and returns the element with a number; `nil` if it has left.
    mutating func remove(_ number: Int) -> Element? { index(of: number).flatMap { remove(at: $0) } }

    private func index(of number: Int) -> Int? {
        var (low, high) = (head, slots.count)
        while low < high {
            let middle = low + (high - low) / 2
            if slots[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < slots.count && slots[low].number == number ? low : nil
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

    private mutating func remove(at index: Int) -> Element? {
        guard let element = slots[index].element.take() else { return nil }
        count -= 1
        if count == 0 {
            slots.removeAll(keepingCapacity: slots.count <= Self.minimumThreshold)
            (head, threshold) = (0, Self.minimumThreshold)
        } else {
            while slots[head].element == nil { head += 1 }
        }
        return element
    }

    private mutating func closeGaps(removing isOver: (Element) -> Bool) {
        slots = slots[head...].filter { $0.element.map { !isOver($0) } ?? false }
        (head, count) = (0, slots.count)
        threshold = max(2 * count, Self.minimumThreshold)
    }
}
