import Streams
import Synchronization

/// The numbers from zero on, as fast as they are asked for, and a count of how many have been taken.
///
/// They do end where far more have been taken than a test awaits, so that it fails instead of never returning.
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

    /// How many numbers all subscribers together have taken.
    var taken: Int { count.load(ordering: .relaxed) }

    var publisher: Publishers.Sequence<Iteration, Never> {
        Publishers.Sequence(sequence: Iteration(of: self))
    }
}
