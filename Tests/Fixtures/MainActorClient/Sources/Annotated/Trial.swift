import Dispatch
import Streams

struct Failure: Error, Equatable {}

/// A type that knows nothing of isolation; it belongs to the main actor where that is the default.
struct Reading {
    var value: Int
}

/// Runs pipelines that were built on the main actor away from it, and keeps account.
@MainActor
final class Trial {
    private let queue = DispatchQueue(label: "values")
    private(set) var complaints: [String] = []
    private(set) var trials = 0
    private(set) var current = "no pipeline"
    var subscriptions: Set<AnyCancellable> = []

    /// 1, 2, 3, delivered on a queue in the background.
    var source: AnyPublisher<Int, Failure> {
        [1, 2, 3].publisher.setFailureType(to: Failure.self).subscribe(on: queue).eraseToAnyPublisher()
    }

    /// The same without a failure.
    var steady: AnyPublisher<Int, Never> {
        [1, 2, 3].publisher.subscribe(on: queue).eraseToAnyPublisher()
    }

    /// A failure, delivered on a queue in the background.
    var failing: AnyPublisher<Int, Failure> {
        Fail(error: Failure()).subscribe(on: queue).eraseToAnyPublisher()
    }

    /// Subscribes to a publisher in the background and compares how often its closures were called and how many values
    /// came.
    func expect<P: Publisher>(
        _ name: String, calls: Int, values: Int, of make: (Tally) -> P
    ) async {
        current = name
        let tally = Tally()
        let received = Tally()
        let publisher = make(tally)
        var subscription: AnyCancellable?
        await withCheckedContinuation { (over: CheckedContinuation<Void, Never>) in
            subscription = publisher.subscribe(on: queue).sink { _ in
                over.resume()
            } receiveValue: { _ in
                received.mark(())
            }
        }
        subscription?.cancel()
        expect(name, calls: calls, values: values, counted: tally.count, received.count)
    }

    /// Takes what a trial of another shape has counted.
    func expect(_ name: String, calls: Int, values: Int, counted: Int, _ received: Int) {
        trials += 1
        guard counted != calls || received != values else { return }
        complaints.append("\(name): \(counted) calls and \(received) values instead of \(calls) and \(values)")
    }
}
