import Streams
import StreamsTesting
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
            guard source.take() != nil else { return nil }
            defer { number += 1 }
            return number
        }
    }

    private let count = Atomic<Int>(0)

    /// The number of values that all subscribers have taken together.
    var taken: Int { count.load(ordering: .relaxed) }

    /// Takes a value, unless there have been 20,000.
    ///
    /// - Returns: The number of values taken before; `nil` after 20,000.
    private func take() -> Int? {
        let number = count.add(1, ordering: .relaxed).oldValue
        return number < 20_000 ? number : nil
    }

    var publisher: Publishers.Sequence<Iteration, Never> {
        Publishers.Sequence(sequence: Iteration(of: self))
    }

    /// The numbers from a subscription that the package knows nothing of, as a program's own. For one subscriber.
    func probe<Failure: Error>() -> ProbePublisher<Int, Failure> {
        ProbePublisher(onRequest: { probe, demand in
            var remaining = demand
            while remaining > .none, probe.cancellations == 0, let number = self.take() {
                remaining -= 1
                remaining += probe.send(number)
            }
        })
    }
}
