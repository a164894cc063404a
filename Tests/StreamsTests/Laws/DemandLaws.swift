import Streams
import StreamsTesting
import Testing

@Suite("Rule 1: demand is obeyed, adds up, saturates, and may be requested from any thread", .serialized)
struct DemandLaws {
    /// The way in which a subscriber requests a number of values.
    private enum Requesting: CaseIterable {
        case atOnce
        case oneByOne
        case duringValues
        case byReturning
    }

    @Test(
        "Each number of requested values is delivered, and the completion after the last one",
        arguments: OperatorCase.all)
    func deliversEachNumberOfValues(_ operatorCase: OperatorCase) {
        for length in 0...3 {
            for isFinished in [true, false] {
                let output = operatorCase.output(of: 0..<length, isFinished: isFinished)
                let source = count(to: length)
                let upstream =
                    isFinished ? source.eraseToAnyPublisher() : source.neverCompleting().eraseToAnyPublisher()
                for demand in 0...(output.count + 1) {
                    for requesting in Requesting.allCases where demand > 0 || requesting == .atOnce {
                        let recorder = receive(demand, requesting, from: upstream, through: operatorCase)
                        let comment: Comment = "\(demand) of \(output), finished: \(isFinished), \(requesting)"
                        #expect(recorder.violations == [], comment)
                        if demand > output.count {
                            #expect(recorder.completion == (isFinished ? .finished : nil), comment)
                        }
                        if operatorCase.traits.contains(.hot) { continue }
                        #expect(recorder.values == Array(output.prefix(demand)), comment)
                        if demand < output.count || !isFinished {
                            #expect(recorder.completion == nil, comment)
                        } else if !operatorCase.traits.contains(.endsOnDemand), demand > 0 || length == 0 {
                            // Without demand, the upstream completes only if it has no values.
                            #expect(recorder.completion == .finished, comment)
                        }
                    }
                }
            }
        }
    }

    private func receive(
        _ demand: Int, _ requesting: Requesting, from upstream: IntPublisher, through operatorCase: OperatorCase
    ) -> IntRecorder {
        let context = LawContext()
        let received = Counter()
        let recorder = IntRecorder(
            initialDemand: .max(requesting == .atOnce ? demand : 1),
            demandForValue: { _ in requesting == .byReturning && received.increment() < demand ? .max(1) : .none }
        ) { recorder, event in
            guard event.value != nil, requesting == .duringValues, received.increment() < demand else { return }
            recorder.request(.max(1))
        }
        operatorCase.apply(to: upstream, on: context).subscribe(recorder)
        context.settle()
        if requesting == .oneByOne {
            for _ in 1..<demand {
                recorder.request(.max(1))
                context.settle()
            }
        }
        return recorder
    }

    /// A breach that depends on the requests is found in each run of the tests if one of the fixed series shows it.
    @Test("Requested values are delivered, and no others, for random requests", arguments: OperatorCase.all)
    func deliversRequestedValues(_ operatorCase: OperatorCase) {
        for random in SeededRandom.series(4) { deliverRequestedValues(operatorCase, random) }
    }

    private func deliverRequestedValues(_ operatorCase: OperatorCase, _ random: SeededRandom) {
        let context = LawContext()
        let recorder = IntRecorder(
            initialDemand: .max(random.pick(0...2)), demandForValue: { _ in .max(random.pick(0...1)) }
        ) { recorder, event in
            if case .value = event, random.pick(0...3) == 0 { recorder.request(.max(1)) }
        }
        operatorCase.apply(to: count(to: 200), on: context).subscribe(recorder)
        context.settle()
        for _ in 0..<200 where recorder.completion == nil {
            recorder.request(.max(random.pick(1...5)))
            context.settle()
            let isMet = recorder.outstandingDemand == .none || recorder.completion != nil
            #expect(isMet || operatorCase.traits.contains(.hot), "\(random)")
        }
        #expect(recorder.violations == [], "\(random)")
        #expect(recorder.completion == .finished, "\(random)")
        if operatorCase.traits.contains(.hot) {
            #expect(recorder.values == recorder.values.sorted(), "\(random)")
        } else {
            #expect(recorder.values == operatorCase.output(of: 0..<200, isFinished: true), "\(random)")
        }
    }

    @Test("Without demand no value is delivered", arguments: OperatorCase.all)
    func deliversNothingWithoutDemand(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let recorder = IntRecorder(initialDemand: .none)
        operatorCase.apply(to: count(to: 3), on: context).subscribe(recorder)
        context.settle()
        #expect(recorder.values.isEmpty)
        #expect(recorder.completion == nil || operatorCase.traits.contains(.hot))
        #expect(recorder.violations == [])
    }

    @Test("Demand beyond the largest number is unlimited", arguments: OperatorCase.all)
    func saturatesDemand(_ operatorCase: OperatorCase) {
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
        #expect(recorder.values == operatorCase.output(of: 0..<100))
        #expect(recorder.violations == [])
    }

    /// The threads run freely, so a breach may need several runs. ``InterleavingLaws`` has reproducible orders.
    @Test("Concurrent requests add up", arguments: OperatorCase.all)
    func addsUpConcurrentRequests(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let recorder = IntRecorder(initialDemand: .none)
        operatorCase.apply(to: count(to: 150), on: context).subscribe(recorder)
        context.settle()
        // combineLatest drops values of one input until every input has one, so the threads would race for the first
        // request.
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
        #expect(recorder.values == operatorCase.output(of: 0..<150, isFinished: true))
        #expect(recorder.completion == .finished)
    }
}
