import Streams
import StreamsTesting
import Testing

@Suite(
    "Rule 9: breaches of the contract by the upstream are answered, never passed on by whoever can tell", .serialized)
struct BrokenUpstreamLaws {
    private static let vigilant = OperatorCase.all.filter { !$0.traits.contains(.transparent) }
    private static let silencing = vigilant.filter { !$0.traits.contains(.forwardsViolations) }
    private static let lenient = OperatorCase.all.filter { !$0.traits.contains(.trapsOnExcessValues) }
    private static let insistent = OperatorCase.all.filter { $0.traits.contains(.trapsOnExcessValues) }.map(\.name)

    @Test("A second subscription is cancelled", arguments: vigilant)
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

    @Test("Signals after the completion go no further", arguments: silencing)
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

    @Test("Signals after cancellation go no further", arguments: silencing)
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
        arguments: silencing.filter { $0.traits.isDisjoint(with: [.trapsOnExcessValues, .trapsOnEarlySignals]) })
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

    @Test("Values nobody asked for, and everything else, never trap", arguments: lenient)
    func anythingGoes(_ operatorCase: OperatorCase) {
        let chance = SeededRandom()
        for _ in 0..<50 {
            let context = LawContext()
            let sendsSubscription = operatorCase.traits.contains(.trapsOnEarlySignals) || chance.pick(0...1) == 0
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
            let passesAll = !operatorCase.traits.isDisjoint(with: [.transparent, .forwardsViolations])
            #expect(breaches.isEmpty || passesAll, "\(chance)")
        }
    }

    @Test("A value nobody asked for stops the program where an operator counts what it asks for", arguments: insistent)
    func unaskedValue(_ name: String) async {
        await #expect(processExitsWith: .failure) { [name = name as String] in
            let probe = IntProbe(retention: .always)
            let recorder = IntRecorder(initialDemand: .max(1))
            OperatorCase.all.first { $0.name == name }?.apply(to: probe).subscribe(recorder)
            probe.send(1)
            probe.send(2)
        }
        await #expect(processExitsWith: .success) { [name = name as String] in
            let probe = IntProbe(retention: .always)
            let recorder = IntRecorder(initialDemand: .max(1))
            OperatorCase.all.first { $0.name == name }?.apply(to: probe).subscribe(recorder)
            probe.send(1)
            recorder.cancel()
            probe.send(2)
        }
    }
}
