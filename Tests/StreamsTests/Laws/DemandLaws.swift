import Streams
import StreamsTesting
import Testing

@Suite("Rule 1: demand is obeyed, adds up and saturates, from any thread and inside callbacks", .serialized)
struct DemandLaws {
    @Test("Whatever is asked for in whatever way arrives, and no more", arguments: OperatorCase.all)
    func randomDemand(_ operatorCase: OperatorCase) {
        let chance = SeededRandom()
        let context = LawContext()
        let recorder = IntRecorder(
            initialDemand: .max(chance.pick(0...2)), demandForValue: { _ in .max(chance.pick(0...1)) }
        ) { recorder, event in
            if case .value = event, chance.pick(0...3) == 0 { recorder.request(.max(1)) }
        }
        operatorCase.apply(to: count(to: 200), on: context).subscribe(recorder)
        context.settle()
        for _ in 0..<200 where recorder.completion == nil {
            recorder.request(.max(chance.pick(1...5)))
            context.settle()
            let isMet = recorder.outstandingDemand == .none || recorder.completion != nil
            #expect(isMet || operatorCase.traits.contains(.hot), "\(chance)")
        }
        #expect(recorder.violations == [], "\(chance)")
        #expect(recorder.completion == .finished, "\(chance)")
        if operatorCase.traits.contains(.hot) {
            #expect(recorder.values == recorder.values.sorted(), "\(chance)")
        } else {
            #expect(recorder.values == Array(0..<200), "\(chance)")
        }
    }

    @Test("Without demand there are no values", arguments: OperatorCase.all)
    func noDemand(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let recorder = IntRecorder(initialDemand: .none)
        operatorCase.apply(to: count(to: 3), on: context).subscribe(recorder)
        context.settle()
        #expect(recorder.values.isEmpty)
        #expect(recorder.completion == nil || operatorCase.traits.contains(.hot))
        #expect(recorder.violations == [])
    }

    @Test("Demand too large to count is unlimited", arguments: OperatorCase.all)
    func saturation(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let recorder = IntRecorder(initialDemand: .max(.max), demandPerValue: .max(.max))
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        recorder.request(.max(.max))
        recorder.request(.max(1))
        for value in 0..<50 { subject.send(value) }
        context.settle()
        recorder.request(.unlimited)
        recorder.request(.max(.max))
        for value in 50..<100 { subject.send(value) }
        context.settle()
        #expect(recorder.values == Array(0..<100))
        #expect(recorder.violations == [])
    }

    @Test("Requests from several threads at once all count", arguments: OperatorCase.all)
    func concurrentRequests(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let recorder = IntRecorder(initialDemand: .none)
        operatorCase.apply(to: count(to: 150), on: context).subscribe(recorder)
        context.settle()
        // It drops the values of one input until the others have one, and the threads would race for the first request.
        if operatorCase.name.hasPrefix("combineLatest") { recorder.request(.max(1)) }
        concurrently(4) { _ in
            for _ in 0..<50 {
                recorder.request(.max(1))
                context.scheduler.advance()
            }
        }
        context.settle()
        #expect(recorder.violations == [])
        if operatorCase.traits.contains(.hot) { return }
        #expect(recorder.values == Array(0..<150))
        #expect(recorder.completion == .finished)
    }
}
