/// A queue of exchanges that wait for a permit, in order. A cancelled one leaves it in constant time.
struct PermitQueue {
    struct Waiter {
        let id: Int
        let holder: any PermitHolder
        let takesPlace: Bool
        let start: Duration
        /// The time that was spent in earlier queues.
        var waits = RequestMetrics.Waits()
    }

    private var waiters: [Int: Waiter] = [:]
    /// The numbers of the waiters in order, with those of cancelled ones.
    private var order: [Int] = []
    private var head = 0

    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty }

    /// The waiter that has waited longest.
    var first: Waiter? {
        mutating get {
            while head < order.count {
                if let waiter = waiters[order[head]] { return waiter }
                head += 1
            }
            return nil
        }
    }

    mutating func append(_ waiter: Waiter) {
        // At most as many cancelled numbers as waiting ones are kept, so that appending takes constant time on average.
        if order.count > 2 * waiters.count + 64 {
            order = order[head...].filter { waiters[$0] != nil }
            head = 0
        }
        order.append(waiter.id)
        waiters[waiter.id] = waiter
    }

    mutating func popFirst() -> Waiter? {
        first.flatMap { remove($0.id) }
    }

    mutating func remove(_ id: Int) -> Waiter? {
        let waiter = waiters.removeValue(forKey: id)
        if waiters.isEmpty {
            order.removeAll()
            head = 0
        }
        return waiter
    }
}
