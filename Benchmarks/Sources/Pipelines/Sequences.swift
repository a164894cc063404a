import Measuring

#if OPENCOMBINE
import OpenCombine
#else
import Streams
#endif

let sequencePipelines = [
    Pipeline("sequence.sink") { count, sum in
        (0..<count).publisher.sink { sum.add($0) }.cancel()
    },
    Pipeline("sequence.map.filter.sink") { count, sum in
        (0..<count).publisher
            .map { $0 &* 3 }
            .filter { $0 & 1 == 0 }
            .sink { sum.add($0) }
            .cancel()
    },
    Pipeline("sequence.compactMap.scan.removeDuplicates.sink") { count, sum in
        (0..<count).publisher
            .compactMap { $0 % 5 == 0 ? nil : $0 }
            .scan(0) { $0 &+ ($1 & 2) }
            .removeDuplicates()
            .sink { sum.add($0) }
            .cancel()
    },
    Pipeline("sequence.dropFirst.prefix.sink") { count, sum in
        // A stride rather than a range, whose publisher has operators of its own.
        stride(from: 0, to: count + 20, by: 1).publisher
            .map { $0 &+ 1 }
            .dropFirst(10)
            .prefix(count)
            .sink { sum.add($0) }
            .cancel()
    },
    Pipeline("sequence.handleEvents.sink") { count, sum in
        (0..<count).publisher
            .handleEvents(receiveOutput: { sum.add($0) })
            .sink { sum.add($0) }
            .cancel()
    },
    Pipeline("sequence.append.prepend.sink") { count, sum in
        (0..<count / 2).publisher
            .map { $0 &+ 1 }
            .append((0..<count / 2).publisher)
            .prepend(1, 2, 3)
            .sink { sum.add($0) }
            .cancel()
    },
    Pipeline("sequence.map.reduce.sink") { count, sum in
        (0..<count).publisher
            .map { $0 &* 3 }
            .filter { $0 & 1 == 0 }
            .reduce(0) { $0 &+ $1 }
            .sink { sum.add($0) }
            .cancel()
    },
    Pipeline("sequence.first(where:)") { count, sum in
        (0...count).publisher
            .map { $0 &* 2 }
            .first { $0 == count * 2 }
            .sink { sum.add($0) }
            .cancel()
    },
    Pipeline("sequence, one value asked for at a time") { count, sum in
        let subscriber = OneByOne(sum)
        (0..<count).publisher.map { $0 &* 3 }.subscribe(subscriber)
    },
    Pipeline("sequence.assign(to:on:)") { count, sum in
        let target = Target(sum)
        (0..<count).publisher.map { $0 &* 3 }.assign(to: \.value, on: target).cancel()
    },
]

/// A subscriber that requests one value, and another one for each value it receives.
private final class OneByOne: Subscriber {
    typealias Input = Int
    typealias Failure = Never

    private let sum: Checksum

    init(_ sum: Checksum) {
        self.sum = sum
    }

    func receive(subscription: any Subscription) {
        subscription.request(.max(1))
    }

    func receive(_ input: Int) -> Subscribers.Demand {
        sum.add(input)
        return .max(1)
    }

    func receive(completion: Subscribers.Completion<Never>) {}
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
