import Dispatch
import Streams
import StreamsTesting
import Synchronization
import Testing

@Suite("throttle", .timeLimit(.minutes(15)))
struct ThrottleTests {
    typealias Recorder<Failure: Error> = RecordingSubscriber<Int, Failure>

    let scheduler = TestScheduler()

    @Test(arguments: [(true, [1, 3, 4]), (false, [1, 2, 4])])
    func deliversOneValueInAnInterval(latest: Bool, expected: [Int]) {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>()
        probe.throttle(for: .seconds(3), scheduler: scheduler, latest: latest).subscribe(recorder)
        #expect(probe.requests == [.unlimited])
        probe.send(1)
        #expect(recorder.values == [])
        scheduler.advance()
        #expect(recorder.values == [1])
        probe.send(2)
        scheduler.advance(by: .seconds(1))
        probe.send(3)
        scheduler.advance(by: .milliseconds(1999))
        #expect(recorder.values == [1])
        scheduler.advance(by: .milliseconds(1))
        #expect(recorder.values == Array(expected.prefix(2)))
        scheduler.advance(by: .seconds(3))
        probe.send(4)
        scheduler.advance()
        #expect(recorder.values == expected)
    }

    @Test func dropsValuesWithoutDemandButReplacesTheHeldValue() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>(initialDemand: .max(1))
        probe.throttle(for: .seconds(1), scheduler: scheduler, latest: true).subscribe(recorder)
        probe.send(1)
        probe.send(2)
        scheduler.advance(by: .seconds(5))
        #expect(recorder.values == [2])
        probe.send(3)
        #expect(!scheduler.hasWork)
        recorder.request(.max(1))
        probe.send(4)
        scheduler.advance()
        #expect(recorder.values == [2, 4])
        #expect(recorder.violations == [])
    }

    @Test func deliversTheCompletionWithTheHeldValue() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = Recorder<TestError>()
        probe.throttle(for: .seconds(2), scheduler: scheduler, latest: true).subscribe(recorder)
        probe.send(1)
        scheduler.advance()
        probe.send(2)
        probe.send(completion: .failure(.first))
        probe.send(3)
        scheduler.advance(by: .seconds(1))
        #expect(recorder.completion == nil)
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [1, 2])
        #expect(recorder.completion == .failure(.first))
        #expect(!scheduler.hasWork)
    }

    @Test func deliversTheCompletionAtOnceWithoutAHeldValue() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>()
        probe.throttle(for: .seconds(2), scheduler: scheduler, latest: true).subscribe(recorder)
        probe.send(1)
        scheduler.advance()
        probe.send(completion: .finished)
        #expect(recorder.completion == nil)
        scheduler.advance()
        #expect(recorder.completion == .finished)
    }

    @Test func cancellationReleasesTheHeldValueAndTheSubscriber() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<LifetimeToken, Never>()
        var subscription: AnyCancellable?
        do {
            let closure = lifetimes.token("closure")
            subscription = probe.throttle(for: .seconds(5), scheduler: scheduler, latest: true).sink { _ in
                withExtendedLifetime(closure) {}
                Issue.record("a value came after cancellation")
            }
            probe.send(lifetimes.token("value"))
            probe.send(lifetimes.token("later"))
        }
        #expect(lifetimes.alive == ["closure", "later"])
        subscription?.cancel()
        #expect(probe.cancellations == 1)
        #expect(lifetimes.alive == [])
        scheduler.advance(by: .seconds(10))
    }

    @Test func keepsTheOrderOnAConcurrentQueue() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        for _ in 0..<50 {
            let subject = PassthroughSubject<Int, Never>()
            let recorder = Recorder<Never>()
            subject.throttle(for: .microseconds(1), scheduler: queue, latest: true).subscribe(recorder)
            for value in 0..<100 { subject.send(value) }
            subject.send(completion: .finished)
            #expect(await recorder.wait())
            #expect(recorder.values.last == 99)
            #expect(recorder.values == recorder.values.sorted())
            #expect(recorder.violations == [])
        }
    }
}
