import Measuring

#if OPENCOMBINE
import OpenCombine
#else
import Streams
#endif

let chainPipelines = [
    Pipeline("sequence, 20 operators deep", count: 50_000) { count, sum in
        (0..<count).publisher
            .fourSteps().fourSteps().fourSteps().fourSteps().fourSteps()
            .sink { sum.add($0) }
            .cancel()
    },
    Pipeline("subject, 20 operators deep", count: 50_000) { count, sum in
        let subject = PassthroughSubject<Int, Never>()
        let subscription =
            subject
            .fourSteps().fourSteps().fourSteps().fourSteps().fourSteps()
            .sink { sum.add($0) }
        for value in 0..<count { subject.send(value) }
        subscription.cancel()
    },
    Pipeline("sequence.map.filter.sink, erased twice") { count, sum in
        (0..<count).publisher
            .map { $0 &* 3 }
            .eraseToAnyPublisher()
            .filter { $0 & 1 == 0 }
            .eraseToAnyPublisher()
            .sink { sum.add($0) }
            .cancel()
    },
    Pipeline("sequence, 20 operators deep, erased at each", count: 50_000) { count, sum in
        var chain = (0..<count).publisher.eraseToAnyPublisher()
        for _ in 0..<10 {
            chain = chain.map { $0 &+ 1 }.eraseToAnyPublisher()
            chain = chain.filter { $0 >= 0 }.eraseToAnyPublisher()
        }
        chain.sink { sum.add($0) }.cancel()
    },
]

extension Publisher where Output == Int {
    fileprivate func twoSteps() -> Publishers.Filter<Publishers.Map<Self, Int>> {
        map { $0 &+ 1 }.filter { $0 >= 0 }
    }

    fileprivate func fourSteps()
        -> Publishers.Filter<Publishers.Map<Publishers.Filter<Publishers.Map<Self, Int>>, Int>>
    {
        twoSteps().twoSteps()
    }
}
