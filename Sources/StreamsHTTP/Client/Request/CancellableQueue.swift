/// A queue whose elements can leave it before their turn, by their numbers and in constant time on average.
struct CancellableQueue<Element> {
    private var elements: [Int: Element] = [:]
    /// The numbers of the elements in order, with those of cancelled ones.
    private var order: [Int] = []
    private var head = 0

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    /// The element that has waited longest.
    var first: Element? {
        mutating get { firstID.flatMap { elements[$0] } }
    }

    /// Appends an element.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - id: Its number, which no other element of this queue has had.
    mutating func append(_ element: Element, id: Int) {
        // At most as many cancelled numbers as waiting ones are kept, so that appending takes constant time on average.
        if order.count > 2 * elements.count + 64 {
            order = order[head...].filter { elements[$0] != nil }
            head = 0
        }
        order.append(id)
        elements[id] = element
    }

    mutating func popFirst() -> Element? {
        firstID.flatMap { remove($0) }
    }

    mutating func remove(_ id: Int) -> Element? {
        let element = elements.removeValue(forKey: id)
        if elements.isEmpty {
            order.removeAll()
            head = 0
        }
        return element
    }

    private var firstID: Int? {
        mutating get {
            while head < order.count {
                if elements[order[head]] != nil { return order[head] }
                head += 1
            }
            return nil
        }
    }
}
