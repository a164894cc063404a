import Streams
import Testing

@Suite("drop and prefix until another publisher's output")
struct UntilOutputTests {
    private let probe = Probe<Int, Oops>()
    private let signal = Probe<String, Oops>()

    @Test func dropsUntilTheSignal() {
        let recorder = Recorder<Int, Oops>(.max(9)) { _, _ in .max(5) }
        probe.drop(untilOutputFrom: signal).subscribe(recorder)
        #expect(signal.orders == [[.request(.max(1))]])
        #expect(probe.orders == [[.request(.max(9))]])
        #expect(probe.send(1) == .none)
        #expect(signal.send("now") == .none)
        #expect(probe.send(2) == .max(5))
        signal.send(completion: .failure(.one))
        probe.send(completion: .finished)
        #expect(recorder.signals == [.subscription("DropUntilOutput"), .value(2), .finished])
    }

    @Test(arguments: [Subscribers.Completion<Oops>.finished, .failure(.two)])
    func withoutASignalTheStreamEndsAsTheOtherOne(_ completion: Subscribers.Completion<Oops>) {
        let recorder = Recorder<Int, Oops>(.max(9))
        probe.drop(untilOutputFrom: signal).subscribe(recorder)
        signal.send(completion: completion)
        signal.send("late")
        probe.send(1)
        probe.send(completion: .failure(.one))
        #expect(
            recorder.signals == [
                .subscription("DropUntilOutput"), completion == .finished ? .finished : .failure("two"),
            ])
        #expect(probe.orders == [[.request(.max(9)), .cancel]])
    }

    @Test func anEmptySignalEndsTheStreamAfterItsSubscription() {
        let recorder = Recorder<Int, Oops>()
        probe.drop(untilOutputFrom: Empty<Void, Oops>()).subscribe(recorder)
        #expect(recorder.signals == [.subscription("DropUntilOutput"), .finished])
        #expect(probe.orders == [[.cancel]])
    }

    @Test func passesOnUntilTheSignal() {
        let recorder = Recorder<Int, Oops>(.max(3)) { _, _ in .max(2) }
        probe.prefix(untilOutputFrom: signal).subscribe(recorder)
        #expect(probe.orders == [[.request(.max(3))]])
        #expect(signal.orders == [[.request(.max(1))]])
        #expect(probe.send(1) == .max(2))
        signal.send("now")
        #expect(probe.send(2) == .none)
        probe.send(completion: .failure(.one))
        #expect(recorder.signals == [.subscription("PrefixUntilOutput"), .value(1), .finished])
        #expect(probe.orders == [[.request(.max(3)), .cancel]])
        #expect(signal.orders == [[.request(.max(1)), .cancel]])
    }

    @Test func theEndOfTheSignalMeansNothingToAPrefix() {
        let recorder = Recorder<Int, Oops>()
        probe.prefix(untilOutputFrom: signal).subscribe(recorder)
        signal.send(completion: .failure(.two))
        signal.send("late")
        probe.send(1)
        probe.send(completion: .finished)
        #expect(recorder.signals == [.subscription("PrefixUntilOutput"), .value(1), .finished])
    }

    @Test func aSignalBeforeTheUpstreamLeavesNothing() {
        let recorder = Recorder<Int, Oops>()
        probe.prefix(untilOutputFrom: Just("now")).subscribe(recorder)
        probe.send(1)
        #expect(recorder.signals == [.subscription("PrefixUntilOutput"), .finished])
        #expect(probe.orders == [[.cancel]])
    }

    @Test func bothAreCancelledTheUpstreamFirst() {
        let operators: [(Probe<Int, Oops>) -> AnyPublisher<Int, Oops>] = [
            { $0.drop(untilOutputFrom: signal).eraseToAnyPublisher() },
            { $0.prefix(untilOutputFrom: signal).eraseToAnyPublisher() },
        ]
        for application in operators {
            let recorder = Recorder<Int, Oops>()
            application(probe).subscribe(recorder)
            recorder.cancel()
            signal.send("late")
            probe.send(1)
            probe.send(completion: .finished)
            #expect(recorder.signals.count == 1)
            #expect(probe.orders.last == [.request(.unlimited), .cancel])
            #expect(signal.orders.last == [.request(.max(1)), .cancel])
        }
    }

    @Test func theCompletionOfTheUpstreamCancelsTheSignal() {
        let recorder = Recorder<Int, Oops>()
        probe.drop(untilOutputFrom: signal).subscribe(recorder)
        probe.send(completion: .finished)
        signal.send("late")
        #expect(recorder.signals == [.subscription("DropUntilOutput"), .finished])
        #expect(signal.orders == [[.request(.max(1)), .cancel]])
    }

    @Test("An endless source does not hold up its own end")
    func aSourceIsNotBuffered() {
        let taken = Counter()
        let recorder = Recorder<Int, Never> { [signal] _, value in
            if value == 10 { signal.send("now") }
            return .none
        }
        let endless = sequence(first: 1) { value in
            taken.increment()
            return value + 1
        }
        endless.publisher.prefix(untilOutputFrom: signal).subscribe(recorder)
        #expect(recorder.values == Array(1...10))
        #expect(recorder.end == .finished)
        #expect(taken.value <= 11)
    }

    @Test("A signal from another thread does not overtake a value that is being delivered")
    func concurrentSignal() {
        for _ in 0..<200 {
            let values = PassthroughSubject<Int, Never>()
            let signal = PassthroughSubject<Void, Never>()
            let recorder = Recorder<Int, Never>()
            values.prefix(untilOutputFrom: signal).subscribe(recorder)
            concurrently(2) { index in
                if index == 0 {
                    for value in 0..<20 { values.send(value) }
                } else {
                    signal.send(())
                }
            }
            #expect(recorder.overlap <= 1)
            #expect(recorder.end == .finished)
            #expect(recorder.values == Array(0..<recorder.values.count))
            #expect(recorder.signals.last == .finished)
        }
    }
}
