import Streams
import StreamsTesting
import Testing

@Suite("prefix and output")
struct OutputTests {
    @Test func prefixFinishesWithItsLastValue() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.prefix(2).subscribe(recorder)
        probe.send(1)
        #expect(recorder.completion == nil)
        probe.send(2)
        #expect(recorder.events == [.subscription("Output"), .value(1), .value(2), .finished])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
        probe.send(3)
        probe.send(completion: .failure(.first))
        #expect(recorder.values == [1, 2])
        #expect(recorder.completion == .finished)
    }

    @Test func emptyPrefixFinishesWithoutDemand() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        probe.prefix(0).subscribe(recorder)
        #expect(recorder.events == [.subscription("Output"), .finished])
        #expect(probe.commands == [[.cancel]])
    }

    @Test func outputPublishesARange() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(7), demandPerValue: .max(42))
        probe.output(in: 1...2).subscribe(recorder)
        #expect(probe.send(0) == .max(1))
        #expect(probe.send(1) == .max(42))
        #expect(probe.send(2) == .max(42))
        #expect(probe.send(3) == .none)
        #expect(recorder.events == [.subscription("Output"), .value(1), .value(2), .finished])
    }

    @Test func outputConvertsRanges() {
        let publisher = Empty<Int, Never>()
        #expect(publisher.prefix(.max).range == 0..<Int.max)
        #expect(publisher.output(at: 8).range == 8..<9)
        #expect(publisher.output(in: 8...).range == 8..<Int.max)
        #expect(publisher.output(in: ...8).range == 0..<9)
    }

    @Test func aShorterStreamEndsWithItsCompletion() {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 2].publisher.eraseToAnyPublisher().output(at: 5).subscribe(recorder)
        #expect(recorder.events == [.subscription("Output"), .finished])
    }

    @Test func aValueSentFromInsideTheLastOneIsNotDelivered() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, Never> { _, event in
            if event.value == 1 { probe.send(2) }
        }
        probe.prefix(1).subscribe(recorder)
        probe.send(1)
        #expect(recorder.events == [.subscription("Output"), .value(1), .finished])
    }

    @Test func cancellingDuringTheLastValueSuppressesTheCompletion() {
        let recorder = RecordingSubscriber<Int, Never> { recorder, event in
            if event.value != nil { recorder.cancel() }
        }
        [1, 2].publisher.eraseToAnyPublisher().prefix(1).subscribe(recorder)
        #expect(recorder.events == [.subscription("Output"), .value(1)])
    }
}
