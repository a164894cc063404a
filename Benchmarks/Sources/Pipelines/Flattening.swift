import Measuring

#if OPENCOMBINE
import OpenCombine
#else
import Streams
#endif

let flatteningPipelines = [
    Pipeline("flatMap to one value", count: 50_000) { count, sum in
        (0..<count).publisher.flatMap { Just($0 &* 3) }.sink { sum.add($0) }.cancel()
    },
    Pipeline("flatMap to ten values", count: 100_000) { count, sum in
        (0..<count / 10).publisher.flatMap { ($0..<$0 &+ 10).publisher }.sink { sum.add($0) }.cancel()
    },
    Pipeline("flatMap(maxPublishers: 1) to ten values", count: 100_000) { count, sum in
        (0..<count / 10).publisher
            .flatMap(maxPublishers: .max(1)) { ($0..<$0 &+ 10).publisher }
            .sink { sum.add($0) }
            .cancel()
    },
    Pipeline("map.switchToLatest", count: 50_000) { count, sum in
        (0..<count).publisher.map { Just($0 &* 3) }.switchToLatest().sink { sum.add($0) }.cancel()
    },
    Pipeline("subject of subjects, switchToLatest") { count, sum in
        let outer = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
        let subscription = outer.switchToLatest().sink { sum.add($0) }
        for _ in 0..<count / 1000 {
            let inner = PassthroughSubject<Int, Never>()
            outer.send(inner)
            for value in 0..<1000 { inner.send(value) }
        }
        subscription.cancel()
    },
]
