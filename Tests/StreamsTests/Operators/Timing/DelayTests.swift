import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("delay", .timeLimit(.minutes(15)))
struct DelayTests {
    typealias Recorder<Failure: Error> = RecordingSubscriber<Int, Failure>

    let scheduler = TestScheduler()

    @Test func delaysEachSignal() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = Recorder<TestError>()
        probe.delay(for: .seconds(2), scheduler: scheduler).subscribe(recorder)
        #expect(recorder.events == [.subscription("Delay")])
        probe.send(1)
        scheduler.advance(by: .seconds(1))
        probe.send(2)
        probe.send(completion: .failure(.first))
        #expect(recorder.values == [])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [1])
        scheduler.advance(by: .milliseconds(999))
        #expect(recorder.values == [1])
        scheduler.advance(by: .milliseconds(1))
        #expect(recorder.values == [1, 2])
        #expect(recorder.completion == .failure(.first))
        #expect(recorder.violations == [])
        #expect(!scheduler.hasWork)
    }

    @Test func passesDemandThrough() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>(initialDemand: .max(2), demandPerValue: .max(3))
        probe.delay(for: 1, scheduler: scheduler).subscribe(recorder)
        #expect(probe.send(1) == .none)
        #expect(probe.requests == [.max(2)])
        scheduler.advance(by: 1)
        #expect(probe.requests == [.max(2), .max(3)])
    }

    @Test func cancellationReleasesWaitingValuesAndTheSubscriber() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<LifetimeToken, Never>()
        var subscription: AnyCancellable?
        do {
            let closure = lifetimes.token("closure")
            subscription = probe.delay(for: .seconds(3600), scheduler: scheduler).sink { _ in
                withExtendedLifetime(closure) {}
                Issue.record("a value came after cancellation")
            }
            probe.send(lifetimes.token("value"))
        }
        subscription?.cancel()
        #expect(probe.cancellations == 1)
        #expect(lifetimes.alive == [])
        scheduler.advance(by: .seconds(3600))
    }

    @Test func cancellationInsideAValueDropsTheNext() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = Recorder<Never> { recorder, event in
            if case .value = event { recorder.cancel() }
        }
        probe.delay(for: 1, scheduler: scheduler).subscribe(recorder)
        probe.send(1)
        probe.send(2)
        scheduler.advance(by: 2)
        #expect(recorder.values == [1])
        #expect(probe.cancellations == 1)
    }

    @Test func keepsTheOrderOnAConcurrentQueue() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let recorder = Recorder<Never>()
        (0..<10_000).publisher.delay(for: .milliseconds(1), scheduler: queue).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == Array(0..<10_000))
        #expect(recorder.violations == [])
    }

    @Test func releasesTheSubscriberOnCompletion() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<Int, Never>()
        do {
            let recorder = Recorder<Never>()
            lifetimes.watch(recorder, as: "downstream")
            probe.delay(for: 1, scheduler: scheduler).subscribe(recorder)
        }
        probe.send(completion: .finished)
        #expect(lifetimes.alive == ["downstream"])
        scheduler.advance(by: 1)
        #expect(lifetimes.alive == [])
    }

    @Test func ignoresSignalsOutOfTurn() {
        let probe = ProbePublisher<Int, Never>(sendsSubscription: false, retention: .always)
        let recorder = Recorder<Never>()
        probe.delay(for: 1, scheduler: ImmediateScheduler.shared).subscribe(recorder)
        probe.send(0)
        probe.sendSubscription()
        probe.sendSubscription()
        #expect(probe.cancellations == 1)
        probe.send(completion: .finished)
        probe.send(1)
        #expect(recorder.events == [.subscription("Delay"), .completion(.finished)])
    }
}
