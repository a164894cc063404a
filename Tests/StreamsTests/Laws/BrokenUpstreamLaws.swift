import Streams
import StreamsTesting
import Testing

@Suite(
    "Rule 9: a breach from outside never stops the program, and signals out of turn are ignored", .serialized)
struct BrokenUpstreamLaws {
    /// Operators with a link of their own. The others hand the upstream's subscription down, and the next link ignores
    /// what is out of turn.
    private static let linked = OperatorCase.all.filter { !$0.traits.contains(.transparent) }
    private static let counting = OperatorCase.all.filter { $0.traits.contains(.countsDemand) }

    @Test("A second subscription is cancelled", arguments: linked)
    func secondSubscription(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let probe = IntProbe(retention: .always)
        let recorder = IntRecorder()
        operatorCase.apply(to: probe, on: context).subscribe(recorder)
        context.settle()
        probe.sendSubscription()
        context.settle()
        #expect(probe.cancellations == 1)
        probe.send(1)
        probe.send(completion: .finished)
        context.settle()
        #expect(recorder.events.dropFirst() == [.value(1), .completion(.finished)])
        #expect(recorder.violations == [])
    }

    @Test("Signals after the completion go no further", arguments: linked)
    func afterCompletion(_ operatorCase: OperatorCase) {
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
            #expect(recorder.values == [1])
            #expect(recorder.violations == [])
        }
    }

    @Test("Signals after cancellation go no further", arguments: linked)
    func afterCancellation(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let probe = IntProbe(retention: .always)
        let recorder = IntRecorder()
        operatorCase.apply(to: probe, on: context).subscribe(recorder)
        context.settle()
        recorder.cancel()
        probe.send(1)
        probe.send(completion: .finished)
        context.settle()
        #expect(recorder.events.count == 1)
        #expect(probe.cancellations == 1)
    }

    @Test(
        "Signals before the subscription go no further",
        arguments: linked)
    func beforeSubscription(_ operatorCase: OperatorCase) {
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

    @Test("Values nobody asked for, and everything else, never trap", arguments: OperatorCase.all)
    func anythingGoes(_ operatorCase: OperatorCase) {
        let chance = SeededRandom()
        for _ in 0..<50 {
            let context = LawContext()
            let sendsSubscription = chance.pick(0...1) == 0
            let probe = IntProbe(sendsSubscription: sendsSubscription, retention: .always)
            let recorder = IntRecorder(initialDemand: .max(chance.pick(0...2)))
            operatorCase.apply(to: probe, on: context).subscribe(recorder)
            for step in 0..<30 {
                switch chance.pick(0...9) {
                case 0: probe.sendSubscription()
                case 1: probe.send(completion: .finished)
                case 2: probe.send(completion: .failure(.other))
                case 3: recorder.request(.max(chance.pick(1...3)))
                case 4 where chance.pick(0...9) == 0: recorder.cancel()
                default: probe.send(step)
                }
                context.settle()
            }
            let breaches = Set(recorder.violations).subtracting([.valueWithoutDemand])
            let passesAll = operatorCase.traits.contains(.transparent)
            #expect(breaches.isEmpty || passesAll, "\(chance)")
        }
    }

    @Test("Values beyond the demand are ignored by operators that count it", arguments: counting)
    func excessValues(_ operatorCase: OperatorCase) {
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

    @Test("A sink ignores signals out of turn behind every operator", arguments: OperatorCase.all)
    func sink(_ operatorCase: OperatorCase) {
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
    func emptyRequest(_ operatorCase: OperatorCase) {
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
