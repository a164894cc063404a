import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("receive(on:)", .timeLimit(.minutes(15)))
struct ReceiveOnTests {
    @Test("An endless source delivers on a scheduler that runs work at once")
    func deliversValuesOfAnEndlessSource() {
        let publishers: [(EndlessNumbers) -> AnyPublisher<Int, Never>] = [
            { $0.publisher.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher() },
            { $0.publisher.delay(for: 1, scheduler: ImmediateScheduler.shared).eraseToAnyPublisher() },
            {
                $0.publisher.collect(.byTimeOrCount(ImmediateScheduler.shared, 1, 1)).map { $0[0] }
                    .eraseToAnyPublisher()
            },
        ]
        for make in publishers {
            let numbers = EndlessNumbers()
            let recorder = RecordingSubscriber<Int, Never>()
            make(numbers).prefix(5).subscribe(recorder)
            #expect(recorder.values == [0, 1, 2, 3, 4])
            #expect(recorder.completion == .finished)
            #expect(numbers.taken < 10)
        }
    }

    @Test("Requests made while the subscription is received are passed on when it has been")
    func holdsRequestsBack() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2)) { recorder, event in
            guard case .subscription = event else { return }
            onAnotherThread { recorder.request(.max(3)) }
            #expect(probe.requests == [])
        }
        probe.receive(on: ImmediateScheduler.shared).subscribe(recorder)
        #expect(probe.requests == [.max(5)])
        recorder.request(.max(1))
        #expect(probe.requests == [.max(5), .max(1)])
    }

    typealias Recorder<Failure: Error> = RecordingSubscriber<Int, Failure>

    let scheduler = TestScheduler()

    @Test func deliversOnTheSchedulerInOrder() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = Recorder<TestError>()
        probe.receive(on: scheduler).subscribe(recorder)
        probe.send(1)
        probe.send(2)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("ReceiveOn")])
        scheduler.advance()
        #expect(
            recorder.events
                == [.subscription("ReceiveOn"), .value(1), .value(2), .completion(.failure(.first))])
        #expect(!scheduler.hasWork)
        #expect(probe.cancellations == 0)
    }

    @Test func passesDemandThrough() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>(initialDemand: .max(100), demandPerValue: .max(12))
        probe.receive(on: scheduler).subscribe(recorder)
        #expect(probe.requests == [.max(100)])
        #expect(probe.send(1) == .none)
        #expect(probe.send(2) == .none)
        scheduler.advance()
        #expect(probe.requests == [.max(100), .max(12), .max(12)])
        recorder.request(.max(3))
        #expect(probe.requests.last == .max(3))
    }

    @Test func keepsTheOrderOnAConcurrentQueue() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let recorder = Recorder<Never>()
        (0..<100_000).publisher.receive(on: queue).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == Array(0..<100_000))
        #expect(recorder.completion == .finished)
        #expect(recorder.violations == [])
    }

    @Test func passesDemandOfValuesAcrossQueues() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let recorder = Recorder<Never>(initialDemand: .max(1), demandPerValue: .max(1))
        (0..<20_000).publisher.receive(on: queue).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == Array(0..<20_000))
        #expect(recorder.violations == [])
    }

    @Test func deliversTheSubscriptionFirst() async {
        let queue = DispatchQueue(label: "other")
        let recorder = Recorder<Never> { recorder, event in
            guard case .subscription = event else { return }
            recorder.request(.unlimited)
            queue.sync {}
            #expect(recorder.values == [])
        }
        [1, 2].publisher.receive(on: queue).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == [1, 2])
        #expect(recorder.violations == [])
    }

    @Test func cancellationReleasesQueuedValuesAndTheSubscriber() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<LifetimeToken, Never>()
        var subscription: AnyCancellable?
        do {
            let closure = lifetimes.token("closure")
            subscription = probe.receive(on: scheduler).sink { _ in
                withExtendedLifetime(closure) {}
                Issue.record("a value came after cancellation")
            }
            probe.send(lifetimes.token("value"))
        }
        #expect(lifetimes.alive == ["closure", "value"])
        subscription?.cancel()
        #expect(probe.cancellations == 1)
        #expect(lifetimes.alive == [])
        #expect(scheduler.hasWork)
        scheduler.advance()
    }

    @Test func cancellationInsideAValueDropsTheNext() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = Recorder<Never> { recorder, event in
            if case .value = event { recorder.cancel() }
        }
        probe.receive(on: scheduler).subscribe(recorder)
        probe.send(1)
        probe.send(2)
        scheduler.advance()
        probe.send(3)
        probe.send(completion: .finished)
        scheduler.advance()
        #expect(recorder.values == [1])
        #expect(recorder.completion == nil)
        #expect(probe.cancellations == 1)
    }

    @Test func cancellationAfterTheUpstreamsCompletionDropsQueuedValues() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>()
        probe.receive(on: scheduler).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .finished)
        recorder.cancel()
        scheduler.advance()
        #expect(recorder.events == [.subscription("ReceiveOn")])
        #expect(probe.cancellations == 0)
    }

    @Test func releasesTheSubscriberAfterTheLastSignal() {
        let lifetimes = LifetimeTracker()
        let completing = ProbePublisher<Int, Never>()
        var vanishing: ProbePublisher<Int, Never>? = ProbePublisher()
        var abandoned: AnyCancellable?
        do {
            let (first, second) = (Recorder<Never>(), Recorder<Never>())
            lifetimes.watch(first, as: "completed")
            lifetimes.watch(second, as: "abandoned")
            completing.receive(on: scheduler).subscribe(first)
            abandoned = vanishing?.receive(on: scheduler).sink { _ = second.receive($0) }
        }
        completing.send(completion: .finished)
        vanishing?.send(1)
        vanishing = nil
        #expect(lifetimes.alive == ["abandoned", "completed"])
        scheduler.advance()
        #expect(lifetimes.alive == [])
        withExtendedLifetime((vanishing, abandoned)) {}
    }

    @Test func ignoresSignalsOutOfTurn() {
        let probe = ProbePublisher<Int, Never>(sendsSubscription: false, retention: .always)
        let recorder = Recorder<Never>()
        probe.receive(on: scheduler).subscribe(recorder)
        probe.send(0)
        scheduler.advance()
        #expect(recorder.events == [])
        probe.sendSubscription()
        probe.sendSubscription()
        #expect(probe.cancellations == 1)
        probe.send(completion: .finished)
        probe.send(completion: .finished)
        probe.send(1)
        scheduler.advance()
        #expect(recorder.events == [.subscription("ReceiveOn"), .completion(.finished)])
    }

    @Test func letsOtherWorkRunAfter512Signals() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>()
        probe.receive(on: scheduler).subscribe(recorder)
        for value in 0..<1300 { probe.send(value) }
        let seen = Recorder<Never>(initialDemand: .none)
        scheduler.schedule { _ = seen.receive(recorder.values.count) }
        scheduler.advance()
        #expect(seen.values == [512])
        #expect(recorder.values == Array(0..<1300))
    }

    @Test func keepsTheStackFlatOnAnImmediateScheduler() {
        let probe = ProbePublisher<Int, Never>()
        let last = LastValue()
        let subscription = probe.receive(on: ImmediateScheduler.shared).sink { value in
            last.set(value)
            if value < 100_000 { probe.send(value + 1) }
        }
        onSmallStack { probe.send(1) }
        #expect(last.value == 100_000)
        subscription.cancel()
    }

    @Test func deliversNothingAfterCancellationDuringDelivery() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        for round in 0..<200 {
            let recorder = Recorder<Never> { recorder, event in
                if event == .value(round) { recorder.cancel() }
            }
            let subject = PassthroughSubject<Int, Never>()
            subject.receive(on: queue).subscribe(recorder)
            for value in 0...(2 * round) { subject.send(value) }
            #expect(await recorder.wait(forValues: round + 1))
            queue.sync(flags: .barrier) {}
            #expect(recorder.values == Array(0...round))
            #expect(recorder.violations == [])
        }
    }

    @Test func deliversAllValuesOfASubjectToValues() async {
        let subject = PassthroughSubject<Int, Never>()
        var iterator = subject.receive(on: DispatchQueue(label: "other")).values.makeAsyncIterator()
        for value in 0..<5000 { subject.send(value) }
        subject.send(completion: .finished)
        var received: [Int] = []
        while let value = await iterator.next() { received.append(value) }
        #expect(received == Array(0..<5000))
    }
}

/// The newest value, for use from any thread.
private final class LastValue: Sendable {
    private let state = Locked(0)

    var value: Int { state.withLock { $0 } }

    func set(_ value: Int) {
        state.withLock { $0 = value }
    }
}
