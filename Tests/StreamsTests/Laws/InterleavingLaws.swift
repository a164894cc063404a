import Streams
import StreamsTesting
import Testing

@Suite("Rules 1 to 4: random, reproducible interleavings of threads", .serialized)
struct InterleavingLaws {
    private static let steps = 6

    private enum Ending: Int, CaseIterable {
        case none
        case completion
        case cancellation
    }

    @Test("Threads that send, request, complete and cancel in any order keep the rules", arguments: OperatorCase.all)
    func interleavedCallsKeepTheRules(_ operatorCase: OperatorCase) {
        for ending in Ending.allCases {
            for isUnlimited in [true, false] {
                for random in SeededRandom.series(1, and: [994_233_260]) {
                    interleave(operatorCase, ending, isUnlimited, random)
                }
            }
        }
    }

    private func interleave(_ operatorCase: OperatorCase, _ ending: Ending, _ isUnlimited: Bool, _ random: SeededRandom)
    {
        let interleaver = ThreadInterleaver(4, random: random)
        let context = LawContext { interleaver.yield() }
        let subject = IntSubject()
        let recorder = IntRecorder(initialDemand: isUnlimited ? .unlimited : .max(random.pick(0...2))) { _, _ in
            interleaver.yield()
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        interleaver.run { thread in
            for step in 0..<Self.steps {
                interleaver.yield()
                switch thread {
                case 0, 1: subject.send(thread * 100 + step)
                case 2:
                    recorder.request(.max(random.pick(1...3)))
                    context.scheduler.advance()
                default:
                    guard random.pick(1...Self.steps) == 1 else { continue }
                    if ending == .completion { subject.send(completion: .finished) }
                    if ending == .cancellation { recorder.cancel() }
                }
            }
        }
        context.settle()
        subject.send(completion: .finished)
        context.settle()
        #expect(recorder.violations == [], "\(random)")
        for thread in 0...1 {
            let own = recorder.values.filter { $0 / 100 == thread }
            #expect(own == own.sorted() && Set(own).count == own.count, "\(random)")
        }
        if isUnlimited, ending != .cancellation { #expect(recorder.completion == .finished, "\(random)") }
        if isUnlimited, ending == .none, operatorCase.traits.isDisjoint(with: [.hot, .holdsBack]) {
            let count = operatorCase.output(of: 0..<(2 * Self.steps), isFinished: true).count
            #expect(recorder.values.count == count, "\(random)")
        }
    }

    @Test("Overlapping signals of a publisher that does not serialise them are detected")
    func detectsOverlappingSignals() {
        let interleaver = ThreadInterleaver(2, random: SeededRandom(seed: 7))
        let probe = IntProbe()
        let recorder = IntRecorder { _, _ in interleaver.yield() }
        probe.subscribe(recorder)
        interleaver.run { thread in
            for step in 0..<Self.steps { probe.send(thread * 100 + step) }
        }
        #expect(Set(recorder.violations) == [.overlappingSignals])
    }

    @Test("The same seed reproduces the order of the threads")
    func sameSeedReproducesTheOrder() {
        let runs = (0..<2).map { _ in
            let order = LockedValue<[Int]>([])
            let interleaver = ThreadInterleaver(3, random: SeededRandom(seed: 7))
            interleaver.run { thread in
                for _ in 0..<20 {
                    interleaver.yield()
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
