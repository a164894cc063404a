import Streams
import StreamsTesting
import Testing

@Suite("Rule 4: everything is reentrant, and nothing is lost or reordered", .serialized)
struct ReentrancyLaws {
    @Test("Values sent while a value is delivered follow in order", arguments: OperatorCase.all)
    func deliversNestedSendsInOrder(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let sent = Counter()
        let recorder = IntRecorder { _, event in
            guard event.value != nil, sent.value < 50 else { return }
            for _ in 0..<10 { subject.send(sent.increment()) }
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        for _ in operatorCase.opening { subject.send(sent.increment()) }
        context.settle()
        #expect(sent.value > 50)
        #expect(recorder.values == operatorCase.output(of: 1...sent.value))
        #expect(recorder.violations == [])
    }

    @Test(
        "A completion sent while a value is delivered follows the value, and later values are ignored",
        arguments: OperatorCase.all)
    func deliversANestedCompletionAfterTheValue(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let next = operatorCase.opening.upperBound
        let recorder = IntRecorder { recorder, event in
            guard event.value != nil, recorder.values.count == 1 else { return }
            subject.send(next)
            subject.send(completion: .finished)
            subject.send(-1)
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        for value in operatorCase.opening { subject.send(value) }
        context.settle()
        subject.send(-2)
        context.settle()
        let output = operatorCase.output(of: 0...next, isFinished: true)
        #expect(recorder.events.dropFirst() == output.map { .value($0) } + [.completion(.finished)])
        #expect(recorder.violations == [])
    }

    @Test("Values sent by another thread while a value is delivered follow in order", arguments: OperatorCase.all)
    func deliversSendsOfAnotherThreadInOrder(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let sent = Counter()
        let recorder = IntRecorder { recorder, event in
            guard event.value != nil, recorder.values.count == 1 else { return }
            onAnotherThread { for _ in 0..<20 { subject.send(sent.increment()) } }
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        for _ in operatorCase.opening { subject.send(sent.increment()) }
        context.settle()
        subject.send(sent.increment())
        context.settle()
        #expect(sent.value > 20)
        #expect(recorder.values == operatorCase.output(of: 1...sent.value))
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
        if !operatorCase.traits.contains(.hot) {
            #expect(recorder.values == operatorCase.output(of: 0..<300, isFinished: true))
        }
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
        let output = operatorCase.output(of: 0..<3, isFinished: true)
        #expect(recorder.events.dropFirst() == output.map { .value($0) } + [.completion(.finished)])
    }

    @Test("A subscriber may subscribe another one while it receives a value", arguments: OperatorCase.all)
    func subscribesWhileAValueIsDelivered(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let another = IntRecorder()
        let publisher = operatorCase.apply(to: subject, on: context)
        let recorder = IntRecorder { [publisher = UncheckedTransfer(publisher)] recorder, event in
            if event.value != nil, recorder.values.count == 1 { publisher.value.subscribe(another) }
        }
        publisher.subscribe(recorder)
        context.settle()
        for value in operatorCase.opening { subject.send(value) }
        context.settle()
        for value in 2..<5 { subject.send(value) }
        context.settle()
        #expect(recorder.values == operatorCase.output(of: operatorCase.opening + Array(2..<5)))
        let later = operatorCase.output(of: 2..<5)
        #expect(another.values == (operatorCase.traits.contains(.replays) ? recorder.values : later))
        #expect(recorder.violations + another.violations == [])
    }
}
