import Streams
import Synchronization

/// A source of consecutive numbers from zero that counts how many have been taken.
///
/// It ends after 20,000 numbers, so that a test that requests too many fails instead of never returning.
final class EndlessNumbers: Sendable {
    struct Iteration: Sequence, IteratorProtocol, Sendable {
        fileprivate let source: EndlessNumbers
        private var number = 0

        fileprivate init(of source: EndlessNumbers) {
            self.source = source
        }

        mutating func next() -> Int? {
            guard source.count.add(1, ordering: .relaxed).newValue < 20_000 else { return nil }
            defer { number += 1 }
            return number
        }
    }

    private let count = Atomic<Int>(0)

    /// The number of values that all subscribers have taken together.
    var taken: Int { count.load(ordering: .relaxed) }

    var publisher: Publishers.Sequence<Iteration, Never> {
        Publishers.Sequence(sequence: Iteration(of: self))
    }
}
