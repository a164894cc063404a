import Measuring

#if OPENCOMBINE
import OpenCombine
#else
import Streams
#endif

let gatheringPipelines = [
    Pipeline("sequence.buffer.sink") { count, sum in
        (0..<count).publisher
            .buffer(size: 100, prefetch: .keepFull, whenFull: .dropOldest)
            .sink { sum.add($0) }
            .cancel()
    },
    Pipeline("subject.buffer.sink") { count, sum in
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.buffer(size: 100, prefetch: .byRequest, whenFull: .dropNewest).sink { sum.add($0) }
        for value in 0..<count { subject.send(value) }
        subscription.cancel()
    },
    Pipeline("sequence.collect(100).sink", isSynchronous: false) { count, sum in
        (0..<count).publisher
            .map { $0 &* 3 }
            .collect(100)
            .sink { sum.add($0.count &+ $0[0]) }
            .cancel()
    },
    Pipeline("sequence.collect.sink", isSynchronous: false) { count, sum in
        (0..<count).publisher
            .map { $0 &* 3 }
            .collect()
            .sink { for value in $0 { sum.add(value) } }
            .cancel()
    },
]
