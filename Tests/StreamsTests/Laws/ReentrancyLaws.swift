import Streams
import StreamsTesting
import Testing

@Suite("Rule 4: re-entrant and concurrent calls are legal, and lose and reorder nothing", .serialized)
struct ReentrancyLaws {
    @Test("Values sent from inside values follow in order", arguments: OperatorCase.all)
    func sendInsideValue(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let recorder = IntRecorder { _, event in
            guard case .value(let value) = event, value.isMultiple(of: 10), value < 50 else { return }
            for next in 1...10 { subject.send(value + next) }
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        subject.send(0)
        context.settle()
        #expect(recorder.values == Array(0...50))
        #expect(recorder.violations == [])
    }

    @Test("A completion sent from inside a value follows it, and ends what is sent later", arguments: OperatorCase.all)
    func completeInsideValue(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let recorder = IntRecorder { _, event in
            guard event == .value(1) else { return }
            subject.send(2)
            subject.send(completion: .finished)
            subject.send(3)
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        subject.send(1)
        context.settle()
        subject.send(4)
        context.settle()
        #expect(recorder.events.dropFirst() == [.value(1), .value(2), .completion(.finished)])
        #expect(recorder.violations == [])
    }

    @Test("Values sent by another thread during a value follow it in order", arguments: OperatorCase.all)
    func sendElsewhereDuringValue(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let recorder = IntRecorder { _, event in
            guard event == .value(0) else { return }
            elsewhere { for value in 1...20 { subject.send(value) } }
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        subject.send(0)
        context.settle()
        subject.send(21)
        context.settle()
        #expect(recorder.values == Array(0...21))
        #expect(recorder.violations == [])
    }

    @Test("Requests from inside values are met without nesting", arguments: OperatorCase.all)
    func requestInsideValue(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let recorder = IntRecorder(initialDemand: .max(1)) { recorder, event in
            if case .value = event { recorder.request(.max(1)) }
        }
        operatorCase.apply(to: count(to: 300), on: context).subscribe(recorder)
        context.settle()
        #expect(recorder.violations == [])
        #expect(recorder.completion == .finished)
        if !operatorCase.traits.contains(.hot) { #expect(recorder.values == Array(0..<300)) }
    }

    @Test("Requests and cancellation inside and after the completion do nothing", arguments: OperatorCase.all)
    func callsAfterCompletion(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let keeper = IntRecorder(keepsSubscription: true)
        operatorCase.apply(to: count(to: 3), on: context).subscribe(keeper)
        context.settle()
        keeper.request(.max(1))
        keeper.cancel()
        keeper.request(.unlimited)
        context.settle()
        #expect(keeper.events.dropFirst() == [.value(0), .value(1), .value(2), .completion(.finished)])
    }

    @Test("Subscribing from inside a value is legal", arguments: OperatorCase.all)
    func subscribeInsideValue(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let another = IntRecorder()
        let publisher = operatorCase.apply(to: subject, on: context)
        let recorder = IntRecorder { [publisher = UncheckedTransfer(publisher)] _, event in
            if event == .value(1) { publisher.value.subscribe(another) }
        }
        publisher.subscribe(recorder)
        context.settle()
        subject.send(1)
        context.settle()
        subject.send(2)
        context.settle()
        #expect(recorder.values == [1, 2])
        #expect(another.values == (operatorCase.traits.contains(.replays) ? [1, 2] : [2]))
        #expect(recorder.violations + another.violations == [])
    }
}
