import Streams
import StreamsTesting
import Testing

@Suite("Rule 4: everything is reentrant, and nothing is lost or reordered", .serialized)
struct ReentrancyLaws {
    @Test("Values sent while a value is delivered follow in order", arguments: OperatorCase.all)
    func deliversNestedSendsInOrder(_ operatorCase: OperatorCase) {
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

    @Test(
        "A completion sent while a value is delivered follows the value, and later values are ignored",
        arguments: OperatorCase.all)
    func deliversANestedCompletionAfterTheValue(_ operatorCase: OperatorCase) {
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

    @Test("Values sent by another thread while a value is delivered follow in order", arguments: OperatorCase.all)
    func deliversSendsOfAnotherThreadInOrder(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let recorder = IntRecorder { _, event in
            guard event == .value(0) else { return }
            onAnotherThread { for value in 1...20 { subject.send(value) } }
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

    @Test("Requests made while a value is delivered do not nest deliveries", arguments: OperatorCase.all)
    func servesNestedRequestsWithoutNesting(_ operatorCase: OperatorCase) {
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

    @Test("Requests and cancellation after the completion do nothing", arguments: OperatorCase.all)
    func ignoresCallsAfterCompletion(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let recorder = IntRecorder(keepsSubscription: true)
        operatorCase.apply(to: count(to: 3), on: context).subscribe(recorder)
        context.settle()
        recorder.request(.max(1))
        recorder.cancel()
        recorder.request(.unlimited)
        context.settle()
        #expect(recorder.events.dropFirst() == [.value(0), .value(1), .value(2), .completion(.finished)])
    }

    @Test("A subscriber may subscribe another one while it receives a value", arguments: OperatorCase.all)
    func subscribesWhileAValueIsDelivered(_ operatorCase: OperatorCase) {
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
