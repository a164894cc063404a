import Streams
import StreamsTesting
import Testing

@Suite("sample", .timeLimit(.minutes(15)))
struct SampleTests {
    let scheduler = TestScheduler()

    @Test func deliversTheNewestValueOnce() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        probe.sample(every: .seconds(2), scheduler: scheduler).subscribe(recorder)
        #expect(probe.requests == [.unlimited])
        for value in 1...5 {
            scheduler.advance(by: .milliseconds(900))
            probe.send(value)
        }
        #expect(recorder.values == [2, 4])
        scheduler.advance(by: .seconds(10))
        #expect(recorder.values == [2, 4, 5])
        #expect(recorder.events.first == .subscription("Sample"))
    }

    @Test func dropsAValueWithoutDemand() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
        probe.sample(every: .seconds(1), scheduler: scheduler).subscribe(recorder)
        for value in 1...2 {
            probe.send(value)
            scheduler.advance(by: .seconds(1))
        }
        recorder.request(.max(1))
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [1])
        #expect(recorder.violations == [])
    }

    @Test func finishingDeliversTheHeldValueAndAFailureDropsIt() {
        for completion in [Subscribers.Completion<TestError>.finished, .failure(.first)] {
            let probe = ProbePublisher<Int, TestError>()
            let recorder = RecordingSubscriber<Int, TestError>()
            probe.sample(every: .seconds(1), scheduler: scheduler).subscribe(recorder)
            probe.send(1)
            probe.send(completion: completion)
            #expect(recorder.values == [])
            scheduler.advance()
            #expect(recorder.values == (completion == .finished ? [1] : []))
            #expect(recorder.completion == completion)
            #expect(!scheduler.hasWork)
        }
    }

    @Test func stopsTheTimerOnCancellationAndWhenTheSourceIsReleased() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<LifetimeToken, Never>(retention: .always)
        let subscribe = { [scheduler] in
            let token = lifetimes.token("closure")
            return probe.sample(every: .seconds(1), scheduler: scheduler).sink { _ in
                withExtendedLifetime(token) {}
            }
        }
        let first = subscribe()
        probe.send(lifetimes.token("value"))
        probe.releaseSubscribers()
        first.cancel()
        #expect(lifetimes.alive == [])
        #expect(!scheduler.hasWork)
        let second = subscribe()
        #expect(scheduler.hasWork)
        probe.releaseSubscribers()
        #expect(lifetimes.alive == [])
        #expect(!scheduler.hasWork)
        second.cancel()
    }
}
