import Dispatch
import Streams
import StreamsTesting
import Testing

/// The samples of the article "Testing streams".
@Suite("The samples of the article on testing")
struct TestingStreamsSamples {
    @Test("Draw marble diagrams")
    func marbles() throws {
        let scheduler = TestScheduler()
        let keys = try scheduler.hot("-a-b---c--|", values: ["a": "s", "b": "st", "c": "str"])
        let late = keys.delay(for: 2, scheduler: scheduler)
        try scheduler.expect(late, "---a-b---c--|", values: ["a": "s", "b": "st", "c": "str"])
    }

    @Test("Control the clock")
    func clock() {
        let scheduler = TestScheduler()
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        subject.delay(for: .seconds(2), scheduler: scheduler).subscribe(recorder)

        subject.send(1)
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [1])
        #expect(recorder.violations == [])
    }

    @Test("Compare received signals")
    func transcript() {
        struct NotANumber: Error {}
        let recorder = RecordingSubscriber<Int, any Error>(initialDemand: .max(1)) { recorder, event in
            if event.value == 1 { recorder.request(.max(1)) }
        }
        ["1", "x", "3"].publisher
            .tryMap { text in
                guard let number = Int(text) else { throw NotANumber() }
                return number
            }
            .subscribe(recorder)
        #expect(recorder.transcript == ["subscription TryMap", "1", "failure NotANumber()"])
    }

    @Test("Send any signal")
    func probe() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
        probe.filter { $0 > 1 }.subscribe(recorder)
        #expect(probe.requests == [.max(2)])
        #expect(probe.send(1) == .max(1))
    }

    @Test("Answer requests")
    func answers() {
        let counting = ProbePublisher<Int, Never>(onRequest: { probe, _ in probe.send(probe.requests.count) })
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
        counting.subscribe(recorder)
        recorder.request(.max(1))
        #expect(recorder.values == [1, 2])
        #expect(counting.commands == [[.request(.max(1)), .request(.max(1))]])
    }

    @Test("Check the contract")
    func contract() throws {
        let checker = ContractChecker()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
        [1, 2, 3].publisher
            .checkingContract("numbers", with: checker)
            .map { $0 * 2 }
            .checkingContract("doubled", with: checker)
            .subscribe(recorder)
        try checker.expectNoBreaches()
    }

    @Test("Report each breach of the contract")
    func breaches() {
        let numbers = [1, 2, 3].publisher
        let recorder = RecordingSubscriber<Int, Never>()
        numbers.checkingContract { Issue.record("\($0)") }.subscribe(recorder)
        #expect(recorder.values == [1, 2, 3])
    }

    @Test("Find leaks")
    func lifetimes() throws {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<Int, Never>()
        do {
            let token = lifetimes.token("closure")
            let recorder = RecordingSubscriber<Int, Never>()
            lifetimes.watch(recorder, as: "downstream")
            probe.map { value in withExtendedLifetime(token) { value } }.subscribe(recorder)
        }
        probe.send(completion: .finished)
        try lifetimes.expectReleased()
    }

    @Test("Wait for other threads")
    func waiting() async {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 2, 3].publisher.receive(on: DispatchQueue.global()).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == [1, 2, 3])
    }

    @Test("Wait for actions that other threads schedule")
    func pending() async {
        let scheduler = TestScheduler()
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        subject.delay(for: .seconds(2), scheduler: scheduler).subscribe(recorder)

        DispatchQueue.global().async { subject.send(1) }
        #expect(await scheduler.wait(forPending: 1))
        scheduler.jump(by: .seconds(30))
        #expect(recorder.values == [1])
    }

    @Test("Wait for tasks")
    func settling() async {
        let scheduler = TestScheduler()
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 2, 3].publisher
            .asyncMap(executorPreference: scheduler) { value in value * 2 }
            .delay(for: .seconds(2), scheduler: scheduler)
            .subscribe(recorder)

        await scheduler.settle()
        #expect(recorder.values == [])
        await scheduler.settle(advancingBy: .seconds(2))
        #expect(recorder.values == [2, 4, 6])
    }
}
