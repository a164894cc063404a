import Streams
import StreamsTesting
import Testing

@Suite("drop and prefix until another publisher's output")
struct UntilOutputTests {
    private let probe = ProbePublisher<Int, TestError>(retention: .always)
    private let signal = ProbePublisher<String, TestError>(retention: .always)

    @Test func dropsUntilTheSignal() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(9), demandPerValue: .max(5))
        probe.drop(untilOutputFrom: signal).subscribe(recorder)
        #expect(signal.commands == [[.request(.max(1))]])
        #expect(probe.commands == [[.request(.max(9))]])
        #expect(probe.send(1) == .none)
        #expect(signal.send("now") == .none)
        #expect(probe.send(2) == .max(5))
        signal.send(completion: .failure(.first))
        probe.send(completion: .finished)
        #expect(recorder.events == [.subscription("DropUntilOutput"), .value(2), .finished])
    }

    @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(.second)])
    func withoutASignalTheStreamEndsAsTheOtherOne(_ completion: Subscribers.Completion<TestError>) {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(9))
        probe.drop(untilOutputFrom: signal).subscribe(recorder)
        signal.send(completion: completion)
        signal.send("late")
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(
            recorder.events == [
                .subscription("DropUntilOutput"), completion == .finished ? .finished : .failure(.second),
            ])
        #expect(probe.commands == [[.request(.max(9)), .cancel]])
    }

    @Test func anEmptySignalEndsTheStreamAfterItsSubscription() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.drop(untilOutputFrom: Empty<Void, TestError>()).subscribe(recorder)
        #expect(recorder.events == [.subscription("DropUntilOutput"), .finished])
        #expect(probe.commands == [[.cancel]])
    }

    @Test func passesOnUntilTheSignal() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(3), demandPerValue: .max(2))
        probe.prefix(untilOutputFrom: signal).subscribe(recorder)
        #expect(probe.commands == [[.request(.max(3))]])
        #expect(signal.commands == [[.request(.max(1))]])
        #expect(probe.send(1) == .max(2))
        signal.send("now")
        #expect(probe.send(2) == .none)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("PrefixUntilOutput"), .value(1), .finished])
        #expect(probe.commands == [[.request(.max(3)), .cancel]])
        #expect(signal.commands == [[.request(.max(1)), .cancel]])
    }

    @Test func theEndOfTheSignalMeansNothingToAPrefix() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.prefix(untilOutputFrom: signal).subscribe(recorder)
        signal.send(completion: .failure(.second))
        signal.send("late")
        probe.send(1)
        probe.send(completion: .finished)
        #expect(recorder.events == [.subscription("PrefixUntilOutput"), .value(1), .finished])
    }

    @Test func aSignalBeforeTheUpstreamLeavesNothing() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.prefix(untilOutputFrom: Just("now")).subscribe(recorder)
        probe.send(1)
        #expect(recorder.events == [.subscription("PrefixUntilOutput"), .finished])
        #expect(probe.commands == [[.cancel]])
    }

    @Test func bothAreCancelledTheUpstreamFirst() {
        let operators: [(ProbePublisher<Int, TestError>) -> AnyPublisher<Int, TestError>] = [
            { $0.drop(untilOutputFrom: signal).eraseToAnyPublisher() },
            { $0.prefix(untilOutputFrom: signal).eraseToAnyPublisher() },
        ]
        for application in operators {
            let recorder = RecordingSubscriber<Int, TestError>()
            application(probe).subscribe(recorder)
            recorder.cancel()
            signal.send("late")
            probe.send(1)
            probe.send(completion: .finished)
            #expect(recorder.events.count == 1)
            #expect(probe.commands.last == [.request(.unlimited), .cancel])
            #expect(signal.commands.last == [.request(.max(1)), .cancel])
        }
    }

    @Test func theCompletionOfTheUpstreamCancelsTheSignal() {
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.drop(untilOutputFrom: signal).subscribe(recorder)
        probe.send(completion: .finished)
        signal.send("late")
        #expect(recorder.events == [.subscription("DropUntilOutput"), .finished])
        #expect(signal.commands == [[.request(.max(1)), .cancel]])
    }

    @Test("An endless source does not hold up its own end")
    func aSourceIsNotBuffered() {
        let taken = Counter()
        let recorder = RecordingSubscriber<Int, Never> { [signal] _, event in
            if event.value == 10 { signal.send("now") }
        }
        let endless = sequence(first: 1) { value in
            taken.increment()
            return value + 1
        }
        endless.publisher.prefix(untilOutputFrom: signal).subscribe(recorder)
        #expect(recorder.values == Array(1...10))
        #expect(recorder.completion == .finished)
        #expect(taken.value <= 11)
    }

    @Test("A signal from another thread does not overtake a value that is being delivered")
    func concurrentSignal() {
        for _ in 0..<200 {
            let values = PassthroughSubject<Int, Never>()
            let signal = PassthroughSubject<Void, Never>()
            let recorder = RecordingSubscriber<Int, Never>()
            values.prefix(untilOutputFrom: signal).subscribe(recorder)
            concurrently(2) { index in
                if index == 0 {
                    for value in 0..<20 { values.send(value) }
                } else {
                    signal.send(())
                }
            }
            #expect(recorder.violations == [])
            #expect(recorder.completion == .finished)
            #expect(recorder.values == Array(0..<recorder.values.count))
            #expect(recorder.events.last == .finished)
        }
    }
}
