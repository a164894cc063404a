/// The counts of a sliding window, which advances by a tenth of its length.
struct SlidingWindow<Counts: Sendable>: Sendable {
    private struct Slice {
        let number: Int64
        var counts: Counts
    }

    private static var sliceCount: Int64 { 10 }
    /// The length of a slice in nanoseconds.
    private let sliceLength: Int64
    /// The counts of a new slice.
    private let none: Counts
    private var slices: [Slice] = []

    init(length: Duration, none: Counts) {
        sliceLength = max(length.wholeNanoseconds / Self.sliceCount, 1)
        self.none = none
    }

    /// Counts something that happens now.
    mutating func update(now: Duration, _ change: (inout Counts) -> Void) {
        let number = number(at: now)
        // Threads may report out of order.
        if slices.last.map({ $0.number < number }) ?? true {
            slices.removeAll { !Self.isInWindow($0, number) }
            slices.append(Slice(number: number, counts: none))
        }
        let last = slices.count - 1
        change(&slices[last].counts)
    }

    /// Returns the sum of a count.
    func sum(now: Duration, _ count: (Counts) -> Int) -> Int {
        let number = number(at: now)
        return slices.reduce(0) { Self.isInWindow($1, number) ? $0 + count($1.counts) : $0 }
    }

    /// Returns whether nothing has been counted in the window.
    func isEmpty(now: Duration) -> Bool {
        slices.last.map { !Self.isInWindow($0, number(at: now)) } ?? true
    }

    mutating func removeAll() {
        slices.removeAll(keepingCapacity: true)
    }

    private func number(at now: Duration) -> Int64 { now.wholeNanoseconds / sliceLength }

    private static func isInWindow(_ slice: Slice, _ number: Int64) -> Bool { number - slice.number < sliceCount }
}
