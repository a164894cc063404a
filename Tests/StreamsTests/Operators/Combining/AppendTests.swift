import Streams
import StreamsTesting
import Testing

@Suite("append and prepend")
struct AppendTests {
    @Test func appendsInAllForms() {
        let recorder = RecordingSubscriber<Int, Never>()
        let base = Just(1)
        base.append(2, 3).append([4, 5]).append(Just(6)).subscribe(recorder)
        #expect(recorder.values == [1, 2, 3, 4, 5, 6])
        #expect(recorder.completion == .finished)
    }

    @Test func prependsInAllForms() {
        let recorder = RecordingSubscriber<Int, Never>()
        let base = Just(6)
        base.prepend(4, 5).prepend([2, 3]).prepend(Just(1)).subscribe(recorder)
        #expect(recorder.values == [1, 2, 3, 4, 5, 6])
        #expect(recorder.completion == .finished)
    }

    @Test func subscribesToSecondAfterFirstHasFinished() {
        let first = ProbePublisher<Int, TestError>(retention: .always)
        let second = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(3))
        first.append(second).subscribe(recorder)
        first.send(1)
        #expect(second.subscriptionCount == 0)
        first.send(completion: .finished)
        #expect(second.commands == [[.request(.max(2))]])
        second.send(completion: .failure(.second))
        #expect(recorder.events == [.subscription("Concatenate"), .value(1), .failure(.second)])
    }

    @Test func appendsNothingToAFailure() {
        let first = ProbePublisher<Int, TestError>(retention: .always)
        let second = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        first.append(second).subscribe(recorder)
        first.send(completion: .failure(.first))
        #expect(second.subscriptionCount == 0)
        #expect(recorder.completion == .failure(.first))
    }

    @Test func ignoresUnrequestedValues() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
        probe.append(9).subscribe(recorder)
        probe.send(1)
        probe.send(2)
        recorder.request(.max(1))
        probe.send(3)
        #expect(recorder.events == [.subscription("Concatenate"), .value(1), .value(3)])
    }

    @Test func releasesSecondAtTheEnd() {
        let endings: [@Sendable (ProbePublisher<Int, TestError>, RecordingSubscriber<Int, TestError>) -> Void] = [
            { probe, _ in probe.send(completion: .failure(.first)) }, { _, recorder in recorder.cancel() },
        ]
        for end in endings {
            let probe = ProbePublisher<Int, TestError>(retention: .always)
            let recorder = RecordingSubscriber<Int, TestError>()
            weak var second: ProbePublisher<Int, TestError>?
            do {
                let suffix = ProbePublisher<Int, TestError>(retention: .always)
                second = suffix
                probe.append(suffix).subscribe(recorder)
            }
            #expect(second != nil)
            end(probe, recorder)
            #expect(second == nil)
        }
    }

    @Test func cancelsCurrentPublisher() {
        let first = ProbePublisher<Int, TestError>(retention: .always)
        let second = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        first.append(second).subscribe(recorder)
        recorder.cancel()
        first.send(completion: .finished)
        #expect(first.commands == [[.request(.unlimited), .cancel]])
        #expect(second.subscriptionCount == 0)
        #expect(recorder.events == [.subscription("Concatenate")])
    }
}
