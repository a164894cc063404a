import Streams
import StreamsTesting
import Testing

/// Sources that emit from inside `receive(subscriber:)` and `request(_:)`, on the calling thread.
@Suite("Rules 1, 4 and 5: sources that emit while they are subscribed to, connected or requested", .serialized)
struct SynchronousSourceLaws {
    @Test(
        "An endless source delivers, and ends with the cancellation",
        arguments: OperatorCase.all.filter(\.deliversEndlessSources))
    func deliversValuesOfAnEndlessSource(_ operatorCase: OperatorCase) {
        for (demand, isOurs) in [
            (Subscribers.Demand.unlimited, true), (.unlimited, false), (.max(1), true), (.max(1), false),
        ] {
            let numbers = EndlessNumbers()
            let recorder = IntRecorder(initialDemand: demand, demandPerValue: .max(1)) { recorder, event in
                if event.value != nil, recorder.values.count == 5 { recorder.cancel() }
            }
            let endless =
                isOurs
                ? numbers.publisher.setFailureType(to: LawError.self).eraseToAnyPublisher()
                : numbers.probe().eraseToAnyPublisher()
            operatorCase.apply(to: endless).subscribe(recorder)
            #expect(recorder.values.count == 5)
            #expect(recorder.values == recorder.values.sorted())
            #expect(numbers.taken < 200)
            #expect(recorder.violations == [])
        }
    }

    @Test(
        "A cancellation reaches a source that emits while it is subscribed to",
        arguments: OperatorCase.all.filter(\.isPushing))
    func cancelsASourceThatEmitsWhileItIsSubscribedTo(_ operatorCase: OperatorCase) {
        let sent = Counter()
        let source = IntPublisher.create { subscriber in
            while !subscriber.isCancelled, sent.value < 10_000 { subscriber.send(sent.increment()) }
            return AnyCancellable {}
        }
        let recorder = IntRecorder { recorder, event in
            if event.value == 3 { recorder.cancel() }
        }
        operatorCase.apply(to: source).subscribe(recorder)
        #expect(recorder.values == operatorCase.output(of: 1...4).filter { $0 <= 3 })
        #expect(sent.value < 20)
    }

    @Test("Values that a source sends inside nested requests are delivered", arguments: OperatorCase.all)
    func deliversValuesSentInsideNestedRequests(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let sent = Counter()
        let probe = IntProbe(onRequest: { probe, demand in
            var remaining = demand
            while remaining > .none, sent.value < 5 {
                remaining -= 1
                remaining += probe.send(sent.increment())
                if sent.value == 5 { probe.send(completion: .finished) }
            }
        })
        let recorder = IntRecorder(initialDemand: .max(1)) { recorder, event in
            if event.value != nil { recorder.request(.max(1)) }
        }
        operatorCase.apply(to: probe, on: context).subscribe(recorder)
        for _ in 0..<10 { context.settle() }
        recorder.request(.max(2))
        context.settle()
        #expect(recorder.completion == .finished)
        if operatorCase.traits.contains(.hot) { return }
        #expect(recorder.values == operatorCase.output(of: 1...5, isFinished: true))
    }
}
