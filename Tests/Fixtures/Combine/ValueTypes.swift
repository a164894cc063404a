import Combine

/// A publisher that is a structure, as its subscription is.
struct Countdown: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let start: Int

    func receive<S>(subscriber: S) where S: Subscriber, Failure == S.Failure, Output == S.Input {
        subscriber.receive(subscription: CountdownSubscription(subscriber: subscriber, state: CountdownState(start)))
    }
}

private final class CountdownState {
    var remaining: Int

    init(_ remaining: Int) {
        self.remaining = remaining
    }
}

private struct CountdownSubscription<S: Subscriber>: Subscription where S.Input == Int, S.Failure == Never {
    let combineIdentifier = CombineIdentifier()
    let subscriber: S
    let state: CountdownState

    func request(_ demand: Subscribers.Demand) {
        var demand = demand
        while demand > 0, state.remaining > 0 {
            state.remaining -= 1
            demand -= 1
            demand += subscriber.receive(state.remaining)
            if state.remaining == 0 { subscriber.receive(completion: .finished) }
        }
    }

    func cancel() {
        state.remaining = 0
    }
}

/// A subscription that is an enumeration.
enum ClosedSubscription: Subscription {
    case closed(CombineIdentifier)

    var combineIdentifier: CombineIdentifier {
        switch self {
        case .closed(let identifier): return identifier
        }
    }

    func request(_ demand: Subscribers.Demand) {}

    func cancel() {}
}

struct Closed: Publisher {
    typealias Output = Int
    typealias Failure = Never

    func receive<S>(subscriber: S) where S: Subscriber, Failure == S.Failure, Output == S.Input {
        subscriber.receive(subscription: ClosedSubscription.closed(CombineIdentifier()))
        subscriber.receive(completion: .finished)
    }
}

/// A subscriber that is a structure.
struct IntSubscriber: Subscriber {
    typealias Input = Int
    typealias Failure = Never

    let combineIdentifier = CombineIdentifier()

    func receive(subscription: Subscription) {
        subscription.request(.max(3))
    }

    func receive(_ input: Int) -> Subscribers.Demand {
        print("Received value: \(input)")
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
        print("Received completion: \(completion)")
    }
}

/// An operator whose subscriber and subscription are one structure.
extension Publishers {
    struct Negate<Upstream: Publisher>: Publisher where Upstream.Output == Int {
        typealias Output = Int
        typealias Failure = Upstream.Failure

        let upstream: Upstream

        func receive<S>(subscriber: S) where S: Subscriber, Failure == S.Failure, Output == S.Input {
            upstream.subscribe(Inner(downstream: subscriber, upstream: nil))
        }

        private struct Inner<Downstream: Subscriber>: Subscriber, Subscription
        where Downstream.Input == Int, Downstream.Failure == Upstream.Failure {
            let combineIdentifier = CombineIdentifier()
            let downstream: Downstream
            let upstream: Subscription?

            func receive(subscription: Subscription) {
                downstream.receive(subscription: Inner(downstream: downstream, upstream: subscription))
            }

            func receive(_ input: Int) -> Subscribers.Demand {
                downstream.receive(-input)
            }

            func receive(completion: Subscribers.Completion<Failure>) {
                downstream.receive(completion: completion)
            }

            func request(_ demand: Subscribers.Demand) {
                upstream?.request(demand)
            }

            func cancel() {
                upstream?.cancel()
            }

            typealias Input = Int
            typealias Failure = Upstream.Failure
        }
    }
}

extension Publisher where Output == Int {
    func negate() -> Publishers.Negate<Self> {
        Publishers.Negate(upstream: self)
    }
}

func subscribeToAll() -> Set<AnyCancellable> {
    var cancellables = Set<AnyCancellable>()
    let subject = PassthroughSubject<Int, Never>()
    subject.subscribe(IntSubscriber())
    Countdown(start: 5).negate().subscribe(subject).store(in: &cancellables)
    Countdown(start: 5).subscribe(AnySubscriber(IntSubscriber()))
    Closed().negate().sink { print($0) }.store(in: &cancellables)
    [1, 2, 3].publisher
        .flatMap { Countdown(start: $0) }
        .retry(1)
        .prefix(2)
        .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
        .store(in: &cancellables)
    return cancellables
}

func numbers() async -> [Int] {
    var numbers: [Int] = []
    for await number in Countdown(start: 5).negate().values { numbers.append(number) }
    return numbers
}
