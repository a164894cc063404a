import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("A contract checker")
struct ContractCheckerTests {
    private struct TestError: Error, Equatable {}

    private let checker = ContractChecker()
    private let probe = ProbePublisher<Int, TestError>(retention: .always)

    private var kinds: [ContractBreach.Kind] { checker.breaches.map(\.kind) }

    private func subscribe(_ recorder: RecordingSubscriber<Int, TestError>, to probe: ProbePublisher<Int, TestError>) {
        probe.checkingContract(with: checker).subscribe(recorder)
    }

    // MARK: Breaches by the publisher

    @Test("A value that was not requested breaks rule 1")
    func valueWithoutDemand() {
        subscribe(RecordingSubscriber(initialDemand: .max(1), demandForValue: { .max($0) }), to: probe)
        probe.send(1)
        probe.send(0)
        #expect(kinds == [])
        probe.send(0)
        #expect(kinds == [.publisher(.valueWithoutDemand)])
        #expect(checker.breaches.map(\.rule) == [1])
        #expect(checker.breaches.map(\.signal) == [.value])
    }

    @Test("A subscriber that needs every value may receive what it has not requested")
    func everyValueIsNeeded() async {
        let subject = PassthroughSubject<Int, Never>()
        var iterator = subject.checkingContract(with: checker).values.makeAsyncIterator()
        for value in 1...3 { subject.send(value) }
        for value in 1...3 { #expect(await iterator.next() == value) }
        #expect(kinds == [])
    }

    @Test("A value and a completion before the subscription break rule 2")
    func signalBeforeSubscription() {
        let probe = ProbePublisher<Int, TestError>(sendsSubscription: false, retention: .always)
        subscribe(RecordingSubscriber(), to: probe)
        probe.send(1)
        probe.send(completion: .finished)
        #expect(
            kinds == [
                .publisher(.signalBeforeSubscription), .publisher(.valueWithoutDemand),
                .publisher(.signalBeforeSubscription),
            ])
        #expect(checker.breaches.map(\.rule) == [2, 1, 2])
        #expect(checker.breaches.map(\.signal) == [.value, .value, .completion])
    }

    @Test("A second subscription breaks rule 2, and cancelling it does not cancel the first one")
    func secondSubscription() {
        subscribe(RecordingSubscriber(), to: probe)
        probe.sendSubscription()
        probe.send(1)
        #expect(kinds == [.publisher(.secondSubscription)])
        #expect(checker.breaches.map(\.rule) == [2])
        #expect(probe.cancellations == 1)
    }

    @Test("Signals after the completion break rule 2")
    func signalAfterCompletion() {
        subscribe(RecordingSubscriber(), to: probe)
        probe.send(completion: .finished)
        probe.send(1)
        probe.send(completion: .failure(TestError()))
        #expect(kinds == [.publisher(.signalAfterCompletion), .publisher(.signalAfterCompletion)])
        #expect(checker.breaches.map(\.rule) == [2, 2])
        #expect(checker.breaches.map(\.signal) == [.value, .completion])
    }

    @Test("Signals on the thread that has cancelled break rule 2")
    func signalAfterCancellation() {
        let recorder = RecordingSubscriber<Int, TestError>()
        subscribe(recorder, to: probe)
        recorder.cancel()
        probe.send(1)
        probe.send(completion: .finished)
        #expect(kinds == [.publisher(.signalAfterCancellation), .publisher(.signalAfterCancellation)])
        #expect(checker.breaches.map(\.rule) == [2, 2])
    }

    @Test("A completion after a value and a cancellation breaks rule 2, also if the subscriber cancelled at once")
    func completionAfterCancellation() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none) { recorder, event in
            if case .subscription = event { recorder.cancel() }
        }
        subscribe(recorder, to: probe)
        probe.send(1)
        probe.send(completion: .finished)
        #expect(
            kinds == [
                .publisher(.signalAfterCancellation), .publisher(.valueWithoutDemand),
                .publisher(.signalAfterCancellation),
            ])
    }

    @Test("A signal inside another signal breaks rule 2")
    func nestedSignal() {
        let probe = probe
        subscribe(RecordingSubscriber { _, event in if event == .value(1) { probe.send(2) } }, to: probe)
        probe.send(1)
        #expect(kinds == [.publisher(.overlappingSignals)])
        #expect(checker.breaches.map(\.rule) == [2])
    }

    @Test("A signal during another signal of another thread breaks rule 2, also during the subscription")
    func concurrentSignals() {
        let probe = probe
        subscribe(
            RecordingSubscriber { recorder, event in
                if case .subscription = event { recorder.request(.max(1)) }
                if event != .value(2) { onAnotherThread { probe.send(2) } }
            }, to: probe)
        #expect(kinds == [.publisher(.overlappingSignals)])
        probe.send(1)
        #expect(kinds == [.publisher(.overlappingSignals), .publisher(.overlappingSignals)])
    }

    // MARK: Breaches by the subscriber

    @Test("A request for nothing breaks rule 1")
    func requestForNothing() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        subscribe(recorder, to: probe)
        #expect(kinds == [])
        recorder.request(.none)
        #expect(kinds == [.subscriber(.requestForNothing)])
        #expect(checker.breaches.map(\.rule) == [1])
        #expect(checker.breaches.map(\.signal) == [nil])
        #expect(probe.requests == [.none])
    }

    @Test("A second subscription that the subscriber does not cancel breaks rule 9")
    func secondSubscriptionNotCancelled() {
        let subscriber = AnySubscriber<Int, TestError>(
            receiveSubscription: { $0.request(.max(1)) }, receiveValue: { _ in .none }, receiveCompletion: { _ in })
        probe.checkingContract(with: checker).subscribe(subscriber)
        probe.sendSubscription()
        #expect(kinds == [.publisher(.secondSubscription), .subscriber(.secondSubscriptionNotCancelled)])
        #expect(checker.breaches.map(\.rule) == [2, 9])
    }

    // MARK: Legal calls

    @Test("Requests and cancellations after the end are legal")
    func callsAfterEnd() {
        let recorder = RecordingSubscriber<Int, TestError>()
        subscribe(recorder, to: probe)
        probe.send(completion: .finished)
        recorder.request(.max(1))
        recorder.cancel()
        recorder.cancel()
        #expect(kinds == [])
        #expect(probe.commands == [[.request(.unlimited), .request(.max(1)), .cancel, .cancel]])
    }

    @Test("Values requested from inside the subscription are legal, and demand saturates")
    func valuesInsideSubscription() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(.max), demandPerValue: .max(.max))
        [1, 2, 3].publisher.checkingContract(with: checker).subscribe(recorder)
        #expect(recorder.values == [1, 2, 3])
        #expect(recorder.completion == .finished)
        #expect(kinds == [])
    }

    @Test("A value in flight on another thread during the cancellation is legal")
    func valueInFlight() {
        let recorder = RecordingSubscriber<Int, TestError>()
        subscribe(recorder, to: probe)
        onAnotherThread { recorder.cancel() }
        probe.send(1)
        #expect(kinds == [])
    }

    @Test("A publisher without values may complete after a cancellation inside the subscription")
    func completionFromTheStart() {
        let recorder = RecordingSubscriber<Int, Never> { recorder, event in
            if case .subscription = event { recorder.cancel() }
        }
        Empty<Int, Never>().checkingContract(with: checker).subscribe(recorder)
        #expect(recorder.completion == .finished)
        #expect(kinds == [])
        #expect(recorder.violations == [])
    }

    @Test("Each subscription is checked by itself")
    func severalSubscriptions() {
        let checked = probe.checkingContract(with: checker)
        let first = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
        checked.subscribe(first)
        checked.subscribe(RecordingSubscriber(initialDemand: .max(2)))
        probe.send(1)
        probe.send(2)
        #expect(kinds == [.publisher(.valueWithoutDemand)])
    }

    @Test("A chain of operators on a queue keeps the contract")
    func operators() async {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(7), demandPerValue: .max(1))
        (0..<500).publisher.checkingContract("source", with: checker)
            .map { $0 * 2 }.buffer(size: 10, prefetch: .keepFull, whenFull: .dropOldest)
            .checkingContract("buffer", with: checker)
            .receive(on: DispatchQueue.global()).checkingContract("queue", with: checker).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == (0..<500).map { $0 * 2 })
        #expect(kinds == [])
    }

    @Test("Signals of several threads at once are checked without a crash")
    func threads() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(400))
        subscribe(recorder, to: probe)
        DispatchQueue.concurrentPerform(iterations: 8) { [probe] _ in
            for value in 0..<100 { probe.send(value) }
        }
        #expect(checker.breaches.count { $0.kind == .publisher(.valueWithoutDemand) } == 400)
    }

    // MARK: Transparency

    @Test("Signals that break a rule pass through")
    func passesBreachesOn() {
        let direct = RecordingSubscriber<Int, TestError>(initialDemand: .none, demandPerValue: .max(3))
        let checked = RecordingSubscriber<Int, TestError>(initialDemand: .none, demandPerValue: .max(3))
        probe.subscribe(direct)
        probe.checkingContract { _ in }.subscribe(checked)
        #expect(probe.send(1) == .max(6))
        probe.sendSubscription()
        probe.send(completion: .finished)
        probe.send(2)
        #expect(checked.events == direct.events)
        #expect(checked.violations == direct.violations)
        #expect(probe.commands[0] == probe.commands[1])
    }

    @Test("The subscriber and the subscription keep their identifiers and descriptions")
    func identity() {
        let upstream = DescribingPublisher()
        let recorder = RecordingSubscriber<Int, Never>()
        upstream.checkingContract { _ in }.subscribe(recorder)
        upstream.subscribe(recorder)
        #expect(Set(upstream.subscribers.withLock { $0 }).count == 1)
        #expect(recorder.events == [.subscription("Empty"), .subscription("Empty")])
        #expect(recorder.subscription?.combineIdentifier == Subscriptions.empty.combineIdentifier)
    }

    @Test("A checked stream releases its subscriber and its closures at the end", arguments: [false, true])
    func release(_ isCancelled: Bool) throws {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<Int, TestError>()
        do {
            let recorder = RecordingSubscriber<Int, TestError>(keepsSubscription: false)
            lifetimes.watch(recorder, as: "subscriber")
            let token = lifetimes.token("closure")
            probe.checkingContract { _ in withExtendedLifetime(token) {} }.subscribe(recorder)
            if isCancelled { recorder.cancel() }
        }
        if !isCancelled {
            #expect(lifetimes.alive == ["closure", "subscriber"])
            probe.send(completion: .finished)
        }
        try lifetimes.expectReleased()
    }

    // MARK: Reports

    @Test("A breach describes its rule, its label and the call that checks")
    func description() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        probe.checkingContract("numbers", with: checker, fileID: "M/f.swift", line: 5).subscribe(recorder)
        probe.send(completion: .finished)
        probe.send(completion: .finished)
        recorder.request(.none)
        let expected = [
            "rule 2: the publisher delivered a completion after the completion (numbers, M/f.swift:5)",
            "rule 1: the subscriber requested no values (numbers, M/f.swift:5)",
        ]
        #expect(checker.breaches.map(\.description) == expected)
        let error = #expect(throws: ContractError.self) { try checker.expectNoBreaches() }
        #expect(error?.breaches == checker.breaches)
        #expect(error?.description == expected.joined(separator: "\n"))
    }

    @Test("A breach has the file and line of the call that checks, and without breaches no error is thrown")
    func place() throws {
        try checker.expectNoBreaches()
        let line: UInt = #line + 1
        probe.checkingContract(with: checker).subscribe(RecordingSubscriber(initialDemand: .none))
        probe.send(1)
        #expect(checker.breaches.map(\.line) == [line])
        #expect(checker.breaches.map(\.fileID) == [#fileID])
        #expect(checker.breaches.map(\.label) == [nil])
    }

    @Test("The closure is called before the signal passes through, and may use the stream")
    func closure() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        let log = Locked<[String]>([])
        let probe = probe
        let checked = probe.checkingContract { breach in
            log.withLock { $0.append("\(breach.kind == .publisher(.valueWithoutDemand)) \(recorder.values)") }
            recorder.cancel()
        }
        checked.subscribe(recorder)
        probe.send(1)
        #expect(log.withLock { $0 } == ["true []"])
        #expect(recorder.values == [1])
    }

    @Test("Every kind of breach has a rule and a sentence")
    func sentences() {
        let violations: [ContractViolation] = [
            .overlappingSignals, .valueWithoutDemand, .signalBeforeSubscription, .secondSubscription,
            .signalAfterCompletion, .signalAfterCancellation,
        ]
        #expect(violations.map(\.rule) == [2, 1, 2, 2, 2, 2])
        #expect(Set(violations.map(\.description)).count == violations.count)
        #expect(
            "\(ContractViolation.valueWithoutDemand)"
                == "rule 1: the publisher delivered a value that was not requested")
        #expect("\(SubscriberViolation.requestForNothing)" == "rule 1: the subscriber requested no values")
        let kept = "rule 9: the subscriber did not cancel a second subscription"
        #expect("\(SubscriberViolation.secondSubscriptionNotCancelled)" == kept)
    }
}

/// A publisher that records the descriptions and identifiers of its subscribers.
private final class DescribingPublisher: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let subscribers = Locked<[String]>([])

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        let erased = AnySubscriber(subscriber)
        subscribers.withLock {
            $0.append("\(erased.combineIdentifier) \(erased) \(Mirror(reflecting: erased).children.count)")
        }
        subscriber.receive(subscription: Subscriptions.empty)
    }
}

/// Runs work on another thread and waits for it.
private func onAnotherThread(_ work: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue(label: "another").async {
        work()
        isDone.signal()
    }
    #expect(isDone.wait(timeout: .now() + 120) == .success)
}
