import Streams
import Testing

@Suite("prefix, output and first")
struct OutputTests {
    @Test func prefixFinishesWithTheLastValue() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>()
        probe.prefix(2).subscribe(recorder)
        probe.send(1)
        #expect(recorder.end == nil)
        probe.send(2)
        #expect(recorder.signals == [.subscription("Output"), .value(1), .value(2), .finished])
        #expect(probe.orders == [[.request(.unlimited), .cancel]])
        probe.send(3)
        probe.send(completion: .failure(.one))
        #expect(recorder.values == [1, 2])
        #expect(recorder.end == .finished)
    }

    @Test func emptyPrefixFinishesWithoutDemand() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>(.none)
        probe.prefix(0).subscribe(recorder)
        #expect(recorder.signals == [.subscription("Output"), .finished])
        #expect(probe.orders == [[.cancel]])
    }

    @Test func outputPassesOnARange() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>(.max(7)) { _, _ in .max(42) }
        probe.output(in: 1...2).subscribe(recorder)
        #expect(probe.send(0) == .max(1))
        #expect(probe.send(1) == .max(42))
        #expect(probe.send(2) == .max(42))
        #expect(probe.send(3) == .none)
        #expect(recorder.signals == [.subscription("Output"), .value(1), .value(2), .finished])
    }

    @Test func outputTranslatesRanges() {
        let publisher = Empty<Int, Never>()
        #expect(publisher.prefix(.max).range == 0..<Int.max)
        #expect(publisher.output(at: 8).range == 8..<9)
        #expect(publisher.output(in: 8...).range == 8..<Int.max)
        #expect(publisher.output(in: ...8).range == 0..<9)
    }

    @Test func aShorterStreamEndsAsItDoes() {
        let recorder = Recorder<Int, Never>()
        [1, 2].publisher.eraseToAnyPublisher().output(at: 5).subscribe(recorder)
        #expect(recorder.signals == [.subscription("Output"), .finished])
    }

    @Test func aValueSentFromInsideTheLastOneIsNotDelivered() {
        let probe = Probe<Int, Never>()
        let recorder = Recorder<Int, Never> { _, value in
            if value == 1 { probe.send(2) }
            return .none
        }
        probe.prefix(1).subscribe(recorder)
        probe.send(1)
        #expect(recorder.signals == [.subscription("Output"), .value(1), .finished])
    }

    @Test func cancellingInTheLastValueLeavesTheCompletionOut() {
        let recorder = Recorder<Int, Never> { recorder, _ in
            recorder.cancel()
            return .none
        }
        [1, 2].publisher.eraseToAnyPublisher().prefix(1).subscribe(recorder)
        #expect(recorder.signals == [.subscription("Output"), .value(1)])
    }

    @Test func firstKeepsTheValueUntilItIsAskedFor() {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = Recorder<Int, Never>(.none)
        subject.first().subscribe(recorder)
        subject.send(1)
        subject.send(2)
        #expect(recorder.signals == [.subscription("First")])
        recorder.request(.max(1))
        #expect(recorder.signals == [.subscription("First"), .value(1), .finished])
    }

    @Test func firstOfNothingCompletes() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>(.none)
        probe.first().subscribe(recorder)
        probe.send(completion: .failure(.one))
        #expect(recorder.signals == [.subscription("First"), .failure("one")])
        #expect(probe.orders == [[.request(.unlimited)]])
    }

    @Test func firstIsSilentAfterCancellation() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>()
        probe.first().subscribe(recorder)
        recorder.cancel()
        probe.send(1)
        #expect(recorder.signals == [.subscription("First")])
        #expect(probe.orders == [[.request(.unlimited), .cancel]])
    }
}
