import Measuring

#if OPENCOMBINE
import OpenCombine
#else
import Streams
#endif

let combiningPipelines =
    [
        Pipeline("subject.zip(subject)", count: 100_000) { count, sum in
            let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
            let subscription = left.zip(right).sink { sum.add($0 &+ $1) }
            for value in 0..<count {
                left.send(value)
                right.send(value &* 3)
            }
            subscription.cancel()
        },
        Pipeline("sequence.zip(sequence)", count: 100_000) { count, sum in
            (0..<count).publisher.zip((1...count).publisher).sink { sum.add($0 &* $1) }.cancel()
        },
    ] + combiningPipelinesOfStreams

#if OPENCOMBINE
private let combiningPipelinesOfStreams: [Pipeline] = []
#else
private let combiningPipelinesOfStreams = [
    Pipeline("subject.combineLatest(subject)", count: 20_000) { count, sum in
        let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        let subscription = left.combineLatest(right).sink { sum.set($0 &* $1) }
        for value in 0..<count / 2 {
            left.send(value)
            right.send(value &* 3)
        }
        subscription.cancel()
    },
    Pipeline("subject.merge(with: subject)", count: 20_000) { count, sum in
        let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        let subscription = left.merge(with: right).sink { sum.addInAnyOrder($0) }
        for value in 0..<count / 2 {
            left.send(value)
            right.send(value &* 3)
        }
        subscription.cancel()
    },
]
#endif
