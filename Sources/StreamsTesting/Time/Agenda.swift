/// The entries of a schedule: the earliest comes first, and of those due at the same time the one added first.
struct Agenda<Date: Comparable, Work> {
    struct Entry {
        let date: Date
        let order: Int
        let work: Work

        func comes(before other: Entry) -> Bool {
            date == other.date ? order < other.order : date < other.date
        }
    }

    /// A binary heap: no entry comes before the one at half its index.
    private var heap: [Entry] = []
    private var nextOrder = 0

    /// The next entry.
    var upcoming: Entry? { heap.first }

    /// The order that the entry has which is added next.
    var end: Int { nextOrder }

    mutating func add(_ work: Work, at date: Date) {
        heap.append(Entry(date: date, order: nextOrder, work: work))
        nextOrder += 1
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].comes(before: heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    mutating func removeEarliest() -> Entry? {
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
