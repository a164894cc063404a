import Streams
import StreamsTesting
import Testing

@Suite("Rule 9: a breach from outside never stops the program", .serialized)
struct BrokenUpstreamLaws {
    @Test("A second subscription is cancelled", arguments: OperatorCase.all.filter(\.isStateful))
    func cancelsASecondSubscription(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let probe = IntProbe(retention: .always)
        let recorder = IntRecorder()
        operatorCase.apply(to: probe, on: context).subscribe(recorder)
        context.settle()
        probe.sendSubscription()
        context.settle()
        #expect(probe.cancellations == 1)
        for value in 0..<3 { probe.send(value) }
        probe.send(completion: .finished)
        context.settle()
        let output = operatorCase.output(of: 0..<3, isFinished: true)
        #expect(recorder.events.dropFirst() == output.map { .value($0) } + [.completion(.finished)])
        #expect(recorder.violations == [])
    }

    @Test("Signals after the completion are ignored", arguments: OperatorCase.all.filter(\.isStateful))
    func ignoresSignalsAfterCompletion(_ operatorCase: OperatorCase) {
        for completion in [Subscribers.Completion<LawError>.finished, .failure(.failed)]
        where completion == .finished || !operatorCase.traits.contains(.recovers) {
            let context = LawContext()
            let probe = IntProbe(retention: .always)
            let recorder = IntRecorder()
            operatorCase.apply(to: probe, on: context).subscribe(recorder)
            context.settle()
            probe.send(1)
            probe.send(completion: completion)
            context.settle()
            probe.send(2)
            probe.send(completion: .finished)
            probe.send(completion: .failure(.other))
            context.settle()
            #expect(recorder.values == operatorCase.output(of: [1], isFinished: completion == .finished))
            #expect(recorder.violations == [])
        }
    }

    @Test("Signals after the cancellation are ignored", arguments: OperatorCase.all.filter(\.isStateful))
    func ignoresSignalsAfterCancellation(_ operatorCase: OperatorCase) {
        for count in 0..<4 {
            let context = LawContext()
            let probe = IntProbe(retention: .always)
            let recorder = IntRecorder()
            operatorCase.apply(to: probe, on: context).subscribe(recorder)
            context.settle()
            for value in 0..<count { probe.send(value) }
            context.settle()
            recorder.cancel()
            probe.send(count)
            probe.send(completion: .finished)
            context.settle()
            #expect(recorder.values == operatorCase.output(of: 0..<count))
            #expect(recorder.completion == nil)
            #expect(probe.cancellations == 1)
        }
    }

    @Test("Signals before the subscription are ignored", arguments: OperatorCase.all.filter(\.isStateful))
    func ignoresSignalsBeforeSubscription(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let probe = IntProbe(sendsSubscription: false, retention: .always)
        let recorder = IntRecorder()
        operatorCase.apply(to: probe, on: context).subscribe(recorder)
        context.settle()
        probe.send(1)
        probe.send(completion: .finished)
        context.settle()
        #expect(!recorder.violations.contains(.signalBeforeSubscription))
    }

    @Test("Random signals, also unrequested values, never stop the program", arguments: OperatorCase.all)
    func survivesRandomSignals(_ operatorCase: OperatorCase) {
        for random in SeededRandom.series(50) {
            let context = LawContext()
            let sendsSubscription = random.pick(0...1) == 0
            let probe = IntProbe(sendsSubscription: sendsSubscription, retention: .always)
            let recorder = IntRecorder(initialDemand: .max(random.pick(0...2)))
            operatorCase.apply(to: probe, on: context).subscribe(recorder)
            for step in 0..<30 {
                switch random.pick(0...9) {
                case 0: probe.sendSubscription()
                case 1: probe.send(completion: .finished)
                case 2: probe.send(completion: .failure(.other))
                case 3: recorder.request(.max(random.pick(1...3)))
                case 4 where random.pick(0...9) == 0: recorder.cancel()
                default: probe.send(step)
                }
                context.settle()
            }
            let breaches = Set(recorder.violations).subtracting([.valueWithoutDemand])
            let forwardsBreaches = operatorCase.traits.contains(.transparent)
            #expect(breaches.isEmpty || forwardsBreaches, "\(random)")
        }
    }

    @Test(
        "Values beyond the demand are ignored by operators that count it",
        arguments: OperatorCase.all.filter(\.countsDemand))
    func ignoresValuesBeyondTheDemand(_ operatorCase: OperatorCase) {
        let probe = IntProbe(retention: .always)
        let recorder = IntRecorder(initialDemand: .max(1))
        operatorCase.apply(to: probe).subscribe(recorder)
        probe.send(1)
        probe.send(2)
        #expect(recorder.values == [1])
        recorder.request(.max(1))
        probe.send(3)
        probe.send(completion: .finished)
        #expect(recorder.values == [1, 3])
        #expect(recorder.violations == [])
    }

    @Test("A sink behind any operator ignores signals out of turn", arguments: OperatorCase.all)
    func sinkIgnoresSignalsOutOfTurn(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let probe = IntProbe(sendsSubscription: false, retention: .always)
        let signals = Locked<[String]>([])
        let sink = operatorCase.apply(to: probe, on: context).sink(
            receiveCompletion: { _ in signals.withLock { $0.append("completion") } },
            receiveValue: { _ in signals.withLock { $0.append("value") } })
        context.settle()
        probe.send(1)
        context.settle()
        #expect(signals.withLock { $0 } == [])
        withExtendedLifetime(sink) {}
    }

    @Test("A request for nothing is ignored", arguments: OperatorCase.all)
    func ignoresARequestForNothing(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let probe = IntProbe()
        let recorder = IntRecorder(initialDemand: .none)
        operatorCase.apply(to: probe, on: context).subscribe(recorder)
        context.settle()
        recorder.subscription?.request(.none)
        context.settle()
        probe.send(completion: .finished)
        context.settle()
        #expect(recorder.values == [])
    }
}
