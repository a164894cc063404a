import Dispatch
import Measuring

/// The work of the pipelines, written without a library: the lower limit of their time.
public let loops = [
    Pipeline("sequence.sink") { count, sum in
        for value in 0..<count { sum.add(value) }
    },
    Pipeline("sequence.map.filter.sink") { count, sum in
        for value in 0..<count {
            let mapped = value &* 3
            if mapped & 1 == 0 { sum.add(mapped) }
        }
    },
    Pipeline("sequence.compactMap.scan.removeDuplicates.sink") { count, sum in
        var state = 0
        var previous: Int?
        for value in 0..<count where value % 5 != 0 {
            state = state &+ (value & 2)
            if state != previous { sum.add(state) }
            previous = state
        }
    },
    Pipeline("sequence.map.filter.sink, erased twice") { count, sum in
        for value in 0..<count {
            let mapped = value &* 3
            if mapped & 1 == 0 { sum.add(mapped) }
        }
    },
    Pipeline("sequence, 20 operators deep") { count, sum in
        for value in 0..<count {
            var value = value
            var isIncluded = true
            for _ in 0..<10 where isIncluded {
                value = value &+ 1
                isIncluded = value >= 0
            }
            if isIncluded { sum.add(value) }
        }
    },
    Pipeline("passthrough.map.filter.sink") { count, sum in
        let listeners = Listeners()
        listeners.add {
            let mapped = $0 &* 3
            if mapped & 1 == 0 { sum.add(mapped) }
        }
        for value in 0..<count { listeners.send(value) }
    },
    fanOut(to: 16),
    fanOut(to: 1000),
    Pipeline("subject.zip(subject)") { count, sum in
        var (left, right): ([Int], [Int]) = ([], [])
        func deliver() {
            guard !left.isEmpty, !right.isEmpty else { return }
            sum.add(left.removeFirst() &+ right.removeFirst())
        }
        for value in 0..<count {
            left.append(value)
            deliver()
            right.append(value &* 3)
            deliver()
        }
    },
    Pipeline("subject.combineLatest(subject)") { count, sum in
        var (left, right): (Int?, Int?)
        for value in 0..<count / 2 {
            left = value
            if let left, let right { sum.set(left &* right) }
            right = value &* 3
            if let left, let right { sum.set(left &* right) }
        }
    },
    Pipeline("subject.merge(with: subject)") { count, sum in
        let listeners = Listeners()
        listeners.add { sum.addInAnyOrder($0) }
        for value in 0..<count / 2 {
            listeners.send(value)
            listeners.send(value &* 3)
        }
    },
    Pipeline("flatMap to ten values") { count, sum in
        for start in 0..<count / 10 {
            for value in start..<start &+ 10 { sum.add(value) }
        }
    },
    Pipeline("sequence.collect(100).sink") { count, sum in
        var values: [Int] = []
        for value in 0..<count {
            values.append(value &* 3)
            if values.count < 100 { continue }
            sum.add(values.count &+ values[0])
            values = []
        }
        if !values.isEmpty { sum.add(values.count &+ values[0]) }
    },
    // Swift's runtime allocates an object for each write through a key path to a property of a class.
    Pipeline("sequence.assign(to:on:)") { count, sum in
        let target = Target(sum)
        let path = keyPath()
        for value in 0..<count { target[keyPath: path] = value &* 3 }
    },
    Pipeline("receive(on: queue), one value at a time") { count, sum in
        let queue = DispatchQueue(label: "benchmark")
        let isDone = DispatchSemaphore(value: 0)
        for value in 0..<count {
            queue.async {
                sum.add(value)
                isDone.signal()
            }
            isDone.wait()
        }
    },
    Pipeline("subscribe(on: queue), 100 at once") { count, sum in
        let queue = DispatchQueue(label: "benchmark")
        let isDone = DispatchSemaphore(value: 0)
        for first in stride(from: 0, to: count, by: 100) {
            let last = min(first + 100, count) - 1
            for value in first...last { add(value, on: queue, sum) { if value == last { isDone.signal() } } }
            isDone.wait()
        }
    },
    Pipeline("subscribe(on: queue), one at a time") { count, sum in
        let queue = DispatchQueue(label: "benchmark")
        let isDone = DispatchSemaphore(value: 0)
        for value in 0..<count {
            add(value, on: queue, sum) { isDone.signal() }
            isDone.wait()
        }
    },
    Pipeline("sequence.receive(on: queue)") { count, sum in
        let queue = DispatchQueue(label: "benchmark")
        for value in 0..<count { queue.async { sum.add(value) } }
        queue.sync {}
    },
]

/// Subscribing is one work item of the queue, and requesting values is another one, as Combine documents it.
private func add(
    _ value: Int, on queue: DispatchQueue, _ sum: Checksum, onEnd: @escaping @Sendable () -> Void
) {
    queue.async {
        queue.async {
            sum.add(value)
            onEnd()
        }
    }
}

private func fanOut(to subscribers: Int) -> Pipeline {
    Pipeline("passthrough.map.sink, to \(subscribers)") { count, sum in
        let listeners = Listeners()
        for _ in 0..<subscribers { listeners.add { sum.add($0 &* 3) } }
        for value in 0..<count / subscribers { listeners.send(value) }
    }
}

/// Closures that are called in turn.
private final class Listeners {
    private var closures: [(Int) -> Void] = []

    func add(_ closure: @escaping (Int) -> Void) {
        closures.append(closure)
    }

    func send(_ value: Int) {
        for closure in closures { closure(value) }
    }
}

private final class Target {
    private let sum: Checksum

    init(_ sum: Checksum) {
        self.sum = sum
    }

    var value: Int {
        get { 0 }
        set { sum.add(newValue) }
    }
}

/// A key path that the optimiser cannot see. Otherwise it would set the variable directly.
@inline(never)
private func keyPath() -> ReferenceWritableKeyPath<Target, Int> { \.value }
