import Streams
import StreamsTesting
import Testing

@Suite("debounce", .timeLimit(.minutes(15)))
struct DebounceTests {
    typealias Recorder<Failure: Error> = RecordingSubscriber<Int, Failure>

    let scheduler = TestScheduler()

    @Test("The last value of a burst is delivered, once nothing has followed it for the time given")
    func burst() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>()
        probe.debounce(for: .seconds(2), scheduler: scheduler).subscribe(recorder)
        #expect(probe.requests == [.unlimited])
        for value in 1...3 {
            #expect(probe.send(value) == .none)
            scheduler.advance(by: .seconds(1))
        }
        scheduler.advance(by: .milliseconds(999))
        #expect(recorder.events == [.subscription("Debounce")])
        scheduler.advance(by: .milliseconds(1))
        #expect(recorder.values == [3])
        #expect(!scheduler.hasWork)
    }

    @Test("A value whose time comes while none is wanted is dropped")
    func demand() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>(initialDemand: .max(1))
        probe.debounce(for: .seconds(1), scheduler: scheduler).subscribe(recorder)
        for value in 1...2 {
            probe.send(value)
            scheduler.advance(by: .seconds(1))
        }
        recorder.request(.max(1))
        scheduler.advance(by: .seconds(5))
        #expect(recorder.values == [1])
        probe.send(3)
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [1, 3])
    }

    @Test("The completion drops what waits, and comes on the scheduler")
    func completion() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = Recorder<TestError>()
        probe.debounce(for: .seconds(1), scheduler: scheduler).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("Debounce")])
        scheduler.advance()
        #expect(recorder.events == [.subscription("Debounce"), .completion(.failure(.first))])
        #expect(!scheduler.hasWork)
    }

    @Test("Cancellation stops the timer and frees what waits and the subscriber at once")
    func cancellation() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<LifetimeToken, Never>()
        var subscription: AnyCancellable?
        do {
            let closure = lifetimes.token("closure")
            subscription = probe.debounce(for: .seconds(5), scheduler: scheduler).sink { _ in
                withExtendedLifetime(closure) {}
                Issue.record("a value came after cancellation")
            }
            probe.send(lifetimes.token("value"))
        }
        subscription?.cancel()
        #expect(probe.cancellations == 1)
        #expect(lifetimes.alive == [])
        #expect(!scheduler.hasWork)
    }

    @Test("A value that is replaced is released at once")
    func replacement() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<LifetimeToken, Never>()
        let subscription = probe.debounce(for: .seconds(5), scheduler: scheduler).sink { _ in }
        probe.send(lifetimes.token("first"))
        probe.send(lifetimes.token("second"))
        #expect(lifetimes.alive == ["second"])
        subscription.cancel()
    }

    @Test("A value is delivered although its source has gone")
    func abandoned() {
        let recorder = Recorder<Never>()
        do {
            let subject = PassthroughSubject<Int, Never>()
            subject.debounce(for: .seconds(1), scheduler: scheduler).subscribe(recorder)
            subject.send(1)
        }
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [1])
    }
}
