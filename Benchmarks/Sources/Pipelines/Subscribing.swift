import Measuring

#if OPENCOMBINE
import OpenCombine
#else
import Streams
#endif

let subscribingPipelines = [
    Pipeline("subscribe, cancel: passthrough.map.filter.sink", .subscription, count: 20_000, isSynchronous: false) {
        count, sum in
        let subject = PassthroughSubject<Int, Never>()
        for value in 0..<count {
            subject.map { $0 &* 3 }.filter { $0 > value }.sink { sum.add($0) }.cancel()
        }
    },
    Pipeline("subscribe, cancel: current.map.filter.sink", .subscription, count: 20_000, isSynchronous: false) {
        count, sum in
        let subject = CurrentValueSubject<Int, Never>(1)
        for value in 0..<count {
            subject.map { $0 &* 3 }.filter { $0 > value }.sink { sum.add($0) }.cancel()
        }
    },
    Pipeline("subscribe: just.map.filter.sink", .subscription, count: 20_000, isSynchronous: false) { count, sum in
        for value in 0..<count {
            Just(value).map { $0 &* 3 }.filter { $0 >= 0 }.sink { sum.add($0) }.cancel()
        }
    },
    Pipeline("subscribe: future.sink", .subscription, count: 20_000, isSynchronous: false) { count, sum in
        for value in 0..<count {
            Future<Int, Never> { $0(.success(value)) }.sink { sum.add($0) }.cancel()
        }
    },
    Pipeline("subscribe, cancel: among 1,000, in any order", .subscription, count: 10_000, isSynchronous: false) {
        count, sum in
        let subject = PassthroughSubject<Int, Never>()
        for _ in 0..<count / 1000 {
            var subscriptions: [AnyCancellable?] = []
            for _ in 0..<1000 { subscriptions.append(subject.sink { sum.add($0) }) }
            subject.send(1)
            // 7 and 1,000 have no common divisor, so each index is visited once.
            for index in 0..<1000 { subscriptions[index * 7 % 1000] = nil }
        }
    },
]
