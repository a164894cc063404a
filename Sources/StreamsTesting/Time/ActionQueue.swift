/// A priority queue of actions, ordered by date. Actions with the same date are in the order in which they were added.
struct ActionQueue<Date: Comparable, Action> {
    struct Entry {
        let date: Date
        let order: Int
        let action: Action

        func comes(before other: Entry) -> Bool {
            date == other.date ? order < other.order : date < other.date
        }
    }

    /// A binary heap: an entry comes after its parent.
    private var heap: [Entry] = []
    private var nextOrder = 0

    var first: Entry? { heap.first }

    /// The order of the entry that is added next.
    var endOrder: Int { nextOrder }

    mutating func add(_ action: Action, at date: Date) {
        heap.append(Entry(date: date, order: nextOrder, action: action))
        nextOrder += 1
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].comes(before: heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    mutating func popFirst() -> Entry? {
        guard let first = heap.first else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while let child = earlierChild(of: index), heap[child].comes(before: heap[index]) {
            heap.swapAt(index, child)
            index = child
        }
        return first
    }

    private func earlierChild(of index: Int) -> Int? {
        let (left, right) = (2 * index + 1, 2 * index + 2)
        guard left < heap.count else { return nil }
        return right < heap.count && heap[right].comes(before: heap[left]) ? right : left
    }
}
