import Measuring

#if OPENCOMBINE
import OpenCombine
#else
import Streams
#endif

let sharingPipelines = [
    Pipeline("passthrough.map.share, to 2", .delivery) { count, sum in
        let subject = PassthroughSubject<Int, Never>()
        let shared = subject.map { $0 &* 3 }.share()
        let first = shared.sink { sum.addInAnyOrder($0) }
        let second = shared.filter { $0 & 1 == 0 }.sink { sum.addInAnyOrder($0) }
        for value in 0..<count / 2 { subject.send(value) }
        first.cancel()
        second.cancel()
    },
    Pipeline("sequence.multicast, to 2", .delivery) { count, sum in
        let connectable = (0..<count / 2).publisher.map { $0 &* 3 }.multicast { PassthroughSubject<Int, Never>() }
        let first = connectable.sink { sum.addInAnyOrder($0) }
        let second = connectable.sink { sum.addInAnyOrder($0) }
        let connection = connectable.connect()
        connection.cancel()
        first.cancel()
        second.cancel()
    },
]
