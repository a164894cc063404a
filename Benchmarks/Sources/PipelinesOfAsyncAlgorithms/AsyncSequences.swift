import AsyncAlgorithms
import Measuring

/// The pipelines that have counterparts in swift-async-algorithms or in the standard library.
public let asyncSequences = [
    Pipeline("sequence.map.filter.sink") { count, sum in
        waiting {
            for await value in (0..<count).async.map({ $0 &* 3 }).filter({ $0 & 1 == 0 }) { sum.add(value) }
        }
    },
    Pipeline("sequence.zip(sequence)") { count, sum in
        waiting {
            for await (left, right) in zip((0..<count).async, (1...count).async) { sum.add(left &* right) }
        }
    },
    Pipeline("subject.combineLatest(subject)") { count, sum in
        waiting {
            let right = (0..<count / 2).async.map { $0 &* 3 }
            for await (left, right) in combineLatest((0..<count / 2).async, right) { sum.set(left &* right) }
        }
    },
    Pipeline("subject.merge(with: subject)") { count, sum in
        waiting {
            let right = (0..<count / 2).async.map { $0 &* 3 }
            for await value in merge((0..<count / 2).async, right) { sum.addInAnyOrder(value) }
        }
    },
    Pipeline("sequence.collect(100).sink") { count, sum in
        waiting {
            for await values in (0..<count).async.map({ $0 &* 3 }).chunks(ofCount: 100) {
                sum.add(values.count &+ values[0])
            }
        }
    },
    Pipeline("sequence.compactMap.scan.removeDuplicates.sink") { count, sum in
        waiting {
            let states = (0..<count).async
                .compactMap { $0 % 5 == 0 ? nil : $0 }
                .reductions(0) { $0 &+ ($1 & 2) }
                .dropFirst()
                .removeDuplicates()
            for await state in states { sum.add(state) }
        }
    },
]
