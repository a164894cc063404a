import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("subscribe(on:)", .timeLimit(.minutes(15)))
struct SubscribeOnTests {
    typealias Recorder = RecordingSubscriber<Int, Never>

    let scheduler = TestScheduler()
    let probe = ProbePublisher<Int, Never>()

    @Test func subscribesRequestsAndCancelsOnTheScheduler() {
        let recorder = Recorder(initialDemand: .max(2), demandPerValue: .max(1))
        probe.subscribe(on: scheduler).subscribe(recorder)
        #expect(probe.subscriptionCount == 0)
        scheduler.advance()
        #expect(probe.requests == [.max(2)])
        #expect(probe.send(1) == .max(1))
        recorder.request(.max(3))
        #expect(probe.requests == [.max(2)])
        scheduler.advance()
        #expect(probe.requests == [.max(2), .max(3)])
        recorder.cancel()
        #expect(probe.cancellations == 0)
        scheduler.advance()
        #expect(probe.cancellations == 1)
        #expect(recorder.events == [.subscription("SubscribeOn"), .value(1)])
        #expect(recorder.violations == [])
    }

    @Test func deliversNothingAfterCancellation() {
        let recorder = Recorder()
        probe.subscribe(on: scheduler).subscribe(recorder)
        scheduler.advance()
        recorder.cancel()
        probe.send(1)
        probe.send(completion: .finished)
        #expect(recorder.events == [.subscription("SubscribeOn")])
    }

    @Test func cancelsASubscriptionThatComesAfterCancellation() {
        let subscription = probe.subscribe(on: scheduler).sink { _ in Issue.record("there is no value") }
        subscription.cancel()
        scheduler.advance()
        #expect(probe.subscriptionCount == 1)
        #expect(probe.requests == [])
        #expect(probe.cancellations == 1)
    }

    @Test("An endless source leaves the queue when it is cancelled", arguments: [true, false])
    func cancelsAnEndlessSource(onItsThread: Bool) {
        let queue = DispatchQueue(label: "endless")
        let numbers = EndlessNumbers()
        let recorder = Recorder { recorder, event in
            guard event.value == 2 else { return }
            if onItsThread { recorder.cancel() } else { onAnotherThread { recorder.cancel() } }
        }
        numbers.publisher.subscribe(on: queue).subscribe(recorder)
        // The job that subscribes, and that which requests.
        for _ in 0..<2 { queue.sync {} }
        #expect(recorder.values == [0, 1, 2])
        #expect(numbers.taken < 6)
    }

    @Test func releasesTheSubscriberOnCompletion() {
        let lifetimes = LifetimeTracker()
        do {
            let recorder = Recorder()
            lifetimes.watch(recorder, as: "downstream")
            probe.subscribe(on: scheduler).subscribe(recorder)
            scheduler.advance()
            probe.send(completion: .finished)
            #expect(recorder.completion == .finished)
        }
        #expect(lifetimes.alive == [])
        scheduler.advance()
        #expect(probe.cancellations == 0)
    }

    @Test func ignoresSignalsOutOfTurn() {
        let probe = ProbePublisher<Int, Never>(sendsSubscription: false, retention: .always)
        let recorder = Recorder()
        probe.subscribe(on: ImmediateScheduler.shared).subscribe(recorder)
        probe.send(0)
        probe.sendSubscription()
        probe.sendSubscription()
        #expect(probe.cancellations == 1)
        probe.send(completion: .finished)
        probe.send(1)
        #expect(recorder.events == [.subscription("SubscribeOn"), .completion(.finished)])
    }

    @Test func keepsTheOrderOnAConcurrentQueue() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let recorder = Recorder(initialDemand: .max(1)) { recorder, event in
            if case .value = event { recorder.request(.max(1)) }
        }
        (0..<5000).publisher.subscribe(on: queue).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == Array(0..<5000))
        #expect(recorder.violations == [])
    }

    @Test func deliversAllValuesOfASubjectToValues() async {
        let subject = PassthroughSubject<Int, Never>()
        var iterator = subject.subscribe(on: ImmediateScheduler.shared).values.makeAsyncIterator()
        subject.send(1)
        subject.send(2)
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == 2)
    }
}
