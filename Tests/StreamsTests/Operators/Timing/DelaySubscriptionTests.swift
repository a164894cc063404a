import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("delaySubscription", .timeLimit(.minutes(15)))
struct DelaySubscriptionTests {
    typealias Recorder = RecordingSubscriber<Int, TestError>

    let scheduler = TestScheduler()
    let probe = ProbePublisher<Int, TestError>()

    @Test func subscribesAfterTheDelay() {
        let recorder = Recorder()
        probe.delaySubscription(for: .seconds(5), scheduler: scheduler).subscribe(recorder)
        #expect(recorder.events == [.subscription("Concatenate")])
        scheduler.advance(by: .milliseconds(4999))
        #expect(probe.subscriptionCount == 0)
        scheduler.advance(by: .milliseconds(1))
        #expect(probe.requests == [.unlimited])
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("Concatenate"), .value(1), .failure(.first)])
        #expect(!scheduler.hasWork)
    }

    @Test func requestsTheEarlierDemandAfterTheDelay() {
        let recorder = Recorder(initialDemand: .max(2), demandPerValue: .max(3))
        probe.delaySubscription(for: .seconds(5), scheduler: scheduler).subscribe(recorder)
        recorder.request(.max(4))
        scheduler.advance(by: .seconds(5))
        #expect(probe.requests == [.max(6)])
        #expect(probe.send(1) == .max(3))
        recorder.request(.max(1))
        #expect(probe.requests == [.max(6), .max(1)])
    }

    @Test func waitsForDemandAfterTheDelay() {
        let recorder = Recorder(initialDemand: .none)
        [1, 2].publisher.setFailureType(to: TestError.self)
            .delaySubscription(for: .seconds(5), scheduler: scheduler).subscribe(recorder)
        scheduler.advance(by: .seconds(6))
        #expect(recorder.values == [])
        recorder.request(.max(1))
        #expect(recorder.values == [1])
        recorder.request(.max(1))
        #expect(recorder.events.dropFirst() == [.value(1), .value(2), .finished])
        #expect(recorder.violations == [])
    }

    @Test func neverSubscribesIfItIsCancelledDuringTheDelay() {
        let lifetimes = LifetimeTracker()
        let recorder = Recorder()
        do {
            let token = lifetimes.token("upstream")
            let upstream = Deferred { [probe] in
                withExtendedLifetime(token) {}
                return probe
            }
            upstream.delaySubscription(for: .seconds(5), scheduler: scheduler).subscribe(recorder)
        }
        scheduler.advance(by: .seconds(4))
        #expect(lifetimes.alive == ["upstream"])
        recorder.cancel()
        #expect(lifetimes.alive == [])
        scheduler.advance(by: .seconds(2))
        #expect(probe.subscriptionCount == 0)
        #expect(recorder.events == [.subscription("Concatenate")])
    }

    @Test func neverSubscribesIfItIsCancelledAtOnce() {
        let recorder = Recorder { recorder, _ in recorder.cancel() }
        probe.delaySubscription(for: .zero, scheduler: ImmediateScheduler.shared).subscribe(recorder)
        #expect(probe.subscriptionCount == 0)
    }

    @Test func cancelsTheUpstreamAfterTheDelay() {
        let recorder = Recorder()
        probe.delaySubscription(for: .seconds(5), scheduler: scheduler).subscribe(recorder)
        scheduler.advance(by: .seconds(5))
        recorder.cancel()
        #expect(probe.cancellations == 1)
    }

    @Test func subscribesOnTheScheduler() async {
        let queue = DispatchQueue(label: "delayed")
        let recorder = Recorder()
        let upstream = Deferred {
            dispatchPrecondition(condition: .onQueue(queue))
            return Just(1).setFailureType(to: TestError.self)
        }
        upstream.delaySubscription(for: .milliseconds(1), scheduler: queue).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == [1])
    }
}
