import Streams
import StreamsTesting
import Testing

@Suite("drop(untilOutputFrom:) and prefix(untilOutputFrom:)")
struct UntilOutputTests {
    private let probe = ProbePublisher<Int, TestError>(retention: .always)
    private let other = ProbePublisher<String, TestError>(retention: .always)

    @Test func dropsUntilTheOtherPublishes() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(9), demandPerValue: .max(5))
        probe.drop(untilOutputFrom: other).subscribe(recorder)
        #expect(other.commands == [[.request(.max(1))]])
        #expect(probe.commands == [[.request(.max(9))]])
        #expect(probe.send(1) == .max(1), "a dropped value is replaced")
        #expect(other.send("now") == .none)
        #expect(other.commands == [[.request(.max(1)), .cancel]])
        #expect(probe.send(2) == .max(5))
        other.send(completion: .failure(.first))
        probe.send(completion: .finished)
        #expect(recorder.events == [.subscription("DropUntilOutput"), .value(2), .finished])
    }

    @Test func dropsMoreValuesThanWereRequested() async {
        let scheduler = TestScheduler()
        let trigger = PassthroughSubject<Void, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
        Operators.Interval(every: .seconds(1), scheduler: scheduler).drop(untilOutputFrom: trigger).subscribe(recorder)
        scheduler.advance(by: .seconds(10))
        #expect(recorder.values == [])
        trigger.send()
        scheduler.advance(by: .seconds(10))
        #expect(recorder.values.count == 2)
    }

    @Test func releasesTheTriggerWithItsFirstValue() {
        let lifetimes = LifetimeTracker()
        let recorder = RecordingSubscriber<Int, TestError>()
        do {
            let token = lifetimes.token("trigger")
            let trigger = other.handleEvents(receiveOutput: { _ in withExtendedLifetime(token) {} })
            probe.drop(untilOutputFrom: trigger).subscribe(recorder)
        }
        other.send("now")
        // The probe keeps its subscribers.
        other.releaseSubscribers()
        #expect(lifetimes.alive == [])
        probe.send(1)
        #expect(recorder.values == [1])
    }

    @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(.second)])
    func completesWithOtherThatHasNoValue(_ completion: Subscribers.Completion<TestError>) {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(9))
        probe.drop(untilOutputFrom: other).subscribe(recorder)
        other.send(completion: completion)
        other.send("late")
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(
            recorder.events == [
                .subscription("DropUntilOutput"), completion == .finished ? .finished : .failure(.second),
            ])
        #expect(probe.commands == [[.request(.max(9)), .cancel]])
    }

    @Test func deliversCompletionOfEmptyOtherAfterSubscription() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.drop(untilOutputFrom: Empty<Void, TestError>()).subscribe(recorder)
        #expect(recorder.events == [.subscription("DropUntilOutput"), .finished])
        #expect(probe.commands == [[.cancel]])
    }

    @Test func publishesUntilTheOtherPublishes() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(3), demandPerValue: .max(2))
        probe.prefix(untilOutputFrom: other).subscribe(recorder)
        #expect(probe.commands == [[.request(.max(3))]])
        #expect(other.commands == [[.request(.max(1))]])
        #expect(probe.send(1) == .max(2))
        other.send("now")
        #expect(probe.send(2) == .none)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("PrefixUntilOutput"), .value(1), .finished])
        #expect(probe.commands == [[.request(.max(3)), .cancel]])
        #expect(other.commands == [[.request(.max(1)), .cancel]])
    }

    @Test func prefixIgnoresCompletionOfOther() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.prefix(untilOutputFrom: other).subscribe(recorder)
        other.send(completion: .failure(.second))
        other.send("late")
        probe.send(1)
        probe.send(completion: .finished)
        #expect(recorder.events == [.subscription("PrefixUntilOutput"), .value(1), .finished])
    }

    @Test func prefixIsEmptyIfOtherPublishesFirst() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.prefix(untilOutputFrom: Just("now")).subscribe(recorder)
        probe.send(1)
        #expect(recorder.events == [.subscription("PrefixUntilOutput"), .finished])
        #expect(probe.commands == [[.cancel]])
    }

    @Test func cancelsUpstreamAndOther() {
        let operators: [(ProbePublisher<Int, TestError>) -> AnyPublisher<Int, TestError>] = [
            { $0.drop(untilOutputFrom: other).eraseToAnyPublisher() },
            { $0.prefix(untilOutputFrom: other).eraseToAnyPublisher() },
        ]
        for application in operators {
            let recorder = RecordingSubscriber<Int, TestError>()
            application(probe).subscribe(recorder)
            recorder.cancel()
            other.send("late")
            probe.send(1)
            probe.send(completion: .finished)
            #expect(recorder.events.count == 1)
            #expect(probe.commands.last == [.request(.unlimited), .cancel])
            #expect(other.commands.last == [.request(.max(1)), .cancel])
        }
    }

    @Test func completionOfUpstreamCancelsOther() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.drop(untilOutputFrom: other).subscribe(recorder)
        probe.send(completion: .finished)
        other.send("late")
        #expect(recorder.events == [.subscription("DropUntilOutput"), .finished])
        #expect(other.commands == [[.request(.max(1)), .cancel]])
    }

    @Test("An endless source is not buffered")
    func doesNotBufferEndlessSource() {
        let taken = Counter()
        let recorder = RecordingSubscriber<Int, Never> { [other] _, event in
            if event.value == 10 { other.send("now") }
        }
        let endless = sequence(first: 1) { value in
            taken.increment()
            return value + 1
        }
        endless.publisher.prefix(untilOutputFrom: other).subscribe(recorder)
        #expect(recorder.values == Array(1...10))
        #expect(recorder.completion == .finished)
        #expect(taken.value <= 11)
    }

    @Test("A value that is being delivered precedes the completion from another thread")
    func completesAfterConcurrentValue() {
        for _ in 0..<200 {
            let values = PassthroughSubject<Int, Never>()
            let other = PassthroughSubject<Void, Never>()
            let recorder = RecordingSubscriber<Int, Never>()
            values.prefix(untilOutputFrom: other).subscribe(recorder)
            concurrently(2) { index in
                if index == 0 {
                    for value in 0..<20 { values.send(value) }
                } else {
                    other.send(())
                }
            }
            #expect(recorder.violations == [])
            #expect(recorder.completion == .finished)
            #expect(recorder.values == Array(0..<recorder.values.count))
            #expect(recorder.events.last == .finished)
        }
    }
}
