import Streams
import StreamsTesting
import Testing

@Suite("Rules 1 to 4, in random orders that come again with their seed", .serialized)
struct InterleavingLaws {
    private static let steps = 6

    private enum CompletionMapping: Int, CaseIterable {
        case none
        case completion
        case cancellation
    }

    @Test(
        "Several threads send, ask and end a stream, and go on inside each other's callbacks",
        arguments: OperatorCase.all)
    func operators(_ operatorCase: OperatorCase) {
        for ending in CompletionMapping.allCases {
            let chance = SeededRandom()
            let turns = ThreadInterleaver(4, chance: chance)
            let context = LawContext { turns.pass() }
            let subject = IntSubject()
            let isUnlimited = chance.pick(0...1) == 0
            let recorder = IntRecorder(initialDemand: isUnlimited ? .unlimited : .max(chance.pick(0...2))) { _, _ in
                turns.pass()
            }
            operatorCase.apply(to: subject, on: context).subscribe(recorder)
            context.settle()
            turns.play { thread in
                for step in 0..<Self.steps {
                    turns.pass()
                    switch thread {
                    case 0, 1: subject.send(thread * 100 + step)
                    case 2:
                        recorder.request(.max(chance.pick(1...3)))
                        context.scheduler.advance()
                    default:
                        guard chance.pick(1...Self.steps) == 1 else { continue }
                        if ending == .completion { subject.send(completion: .finished) }
                        if ending == .cancellation { recorder.cancel() }
                    }
                }
            }
            context.settle()
            subject.send(completion: .finished)
            context.settle()
            #expect(recorder.violations == [], "\(chance)")
            for thread in 0...1 {
                let own = recorder.values.filter { $0 / 100 == thread }
                #expect(own == own.sorted() && Set(own).count == own.count, "\(chance)")
            }
            if isUnlimited, ending != .cancellation { #expect(recorder.completion == .finished, "\(chance)") }
            if isUnlimited, ending == .none, operatorCase.traits.isDisjoint(with: [.hot, .holdsBack]) {
                #expect(recorder.values.count == 2 * Self.steps, "\(chance)")
            }
        }
    }

    @Test("A publisher that keeps no order among its threads is found out")
    func disorder() {
        let turns = ThreadInterleaver(2, chance: SeededRandom(seed: 7))
        let probe = IntProbe()
        let recorder = IntRecorder { _, _ in turns.pass() }
        probe.subscribe(recorder)
        turns.play { thread in
            for step in 0..<Self.steps { probe.send(thread * 100 + step) }
        }
        #expect(Set(recorder.violations) == [.overlappingSignals])
    }

    @Test("Threads that take turns take the same ones again with the same seed")
    func replay() {
        let runs = (0..<2).map { _ in
            let order = LockedValue<[Int]>([])
            let turns = ThreadInterleaver(3, chance: SeededRandom(seed: 7))
            turns.play { thread in
                for _ in 0..<20 {
                    turns.pass()
                    order.update { $0.append(thread) }
                }
            }
            return order.value
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0].count == 60)
        #expect(Set(runs[0].prefix(20)).count > 1)
    }
}
