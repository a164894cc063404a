import Streams
import StreamsTesting
import Testing

@Suite("Rule 5: the stack stays flat", .serialized)
struct StackLaws {
    /// The number of steps, enough to overflow a stack of 512 KiB if every step leaves more than 125 bytes on it.
    ///
    /// `MillionLaws` takes a million steps.
    private static let steps = 4_200

    @Test("Synchronous values do not grow the stack for any kind of demand", arguments: OperatorCase.all)
    func demandKeepsTheStackFlat(_ operatorCase: OperatorCase) {
        for demand in [IntCounter.Demand.requested, .returned, .unlimited] {
            let total = run(operatorCase, values: Self.steps, demand: demand)
            let expected = operatorCase.output(of: 0..<Self.steps, isFinished: true).count
            #expect(total == expected || operatorCase.traits.contains(.hot), "\(demand)")
        }
    }

    @Test("Inner publishers that complete synchronously do not grow the stack")
    func flatMapKeepsTheStackFlat() {
        for limit in [Subscribers.Demand.max(1), .unlimited] {
            let counter = UncheckedTransfer(IntCounter(demand: .requested))
            onSmallStack {
                count(to: 2 * Self.steps).flatMap(maxPublishers: limit) { value in
                    value.isMultiple(of: 2)
                        ? Empty<Int, LawError>().eraseToAnyPublisher() : count(to: 1).eraseToAnyPublisher()
                }.subscribe(counter.value)
            }
            #expect(counter.value.count == Self.steps)
        }
    }

    @Test("Values sent while a value is delivered do not grow the stack", arguments: OperatorCase.all)
    func nestedSendsKeepTheStackFlat(_ operatorCase: OperatorCase) {
        onSmallStack {
            let context = LawContext()
            let subject = IntSubject()
            let sent = Counter()
            let counter = IntCounter(demand: .unlimited) { _ in
                guard sent.value < Self.steps else { return }
                for _ in operatorCase.opening { subject.send(sent.increment()) }
            }
            operatorCase.apply(to: subject, on: context).subscribe(counter)
            context.settle()
            for _ in operatorCase.opening { subject.send(sent.increment()) }
            context.settle()
            #expect(sent.value == Self.steps)
            #expect(counter.count == operatorCase.output(of: 0..<Self.steps).count)
        }
    }

    @Test("The release of a long chain of erased operators does not grow the stack", arguments: OperatorCase.all)
    func releasesALongChainOfPublishers(_ operatorCase: OperatorCase) {
        let lifetimes = LifetimeTracker()
        onSmallStack {
            let context = LawContext()
            let token = lifetimes.token("first")
            let first = Deferred {
                withExtendedLifetime(token) {}
                return count(to: 1)
            }
            var chain = first.eraseToAnyPublisher()
            for _ in 0..<20_000 { chain = operatorCase.apply(to: chain, on: context) }
        }
        #expect(lifetimes.alive == [])
    }

    @Test("The cancellation and release of a chain of a million cancellables do not grow the stack")
    func releasesAMillionCancellables() {
        let lifetimes = LifetimeTracker()
        for isCancelled in [false, true] {
            onSmallStack {
                let token = lifetimes.token("first")
                var chain = AnyCancellable { withExtendedLifetime(token) {} }
                for _ in 0..<1_000_000 {
                    let previous = chain
                    chain = AnyCancellable { previous.cancel() }
                }
                if isCancelled { chain.cancel() }
            }
            #expect(lifetimes.alive == [])
        }
    }

    private func run(_ operatorCase: OperatorCase, values: Int, demand: IntCounter.Demand) -> Int {
        let counter = IntCounter(demand: demand)
        onSmallStack { [counter = UncheckedTransfer(counter)] in
            let context = LawContext()
            operatorCase.apply(to: count(to: values), on: context).subscribe(counter.value)
            context.settle()
        }
        return counter.count
    }
}

/// A subscriber that counts values without a lock, for long streams on one thread.
final class IntCounter: Subscriber {
    enum Demand {
        case unlimited
        /// One value, and one more requested during each value.
        case requested
        /// One value, and one more returned for each value.
        case returned
    }

    private let demand: Demand
    private let reaction: ((Int) -> Void)?
    private var subscription: (any Subscription)?
    private(set) var count = 0
    private(set) var isCompleted = false

    init(demand: Demand, reaction: ((Int) -> Void)? = nil) {
        self.demand = demand
        self.reaction = reaction
    }

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        subscription.request(demand == .unlimited ? .unlimited : .max(1))
    }

    func receive(_ input: Int) -> Subscribers.Demand {
        count += 1
        reaction?(input)
        if demand == .requested { subscription?.request(.max(1)) }
        return demand == .returned ? .max(1) : .none
    }

    func receive(completion: Subscribers.Completion<LawError>) {
        isCompleted = true
        subscription = nil
    }
}
