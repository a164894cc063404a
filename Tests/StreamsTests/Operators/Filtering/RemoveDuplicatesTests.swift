import Streams
import StreamsTesting
import Testing

@Suite("removeDuplicates and tryRemoveDuplicates")
struct RemoveDuplicatesTests {
    @Test func dropsConsecutiveDuplicates() {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 1, 2, 2, 2, 1].publisher.eraseToAnyPublisher().removeDuplicates().subscribe(recorder)
        #expect(recorder.events == [.subscription("RemoveDuplicates"), .value(1), .value(2), .value(1), .finished])
    }

    @Test func comparesWithThePreviousValueEvenIfItWasDropped() {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 2, 3, 5].publisher.removeDuplicates { $1 - $0 == 1 }.subscribe(recorder)
        #expect(recorder.values == [1, 5])
    }

    @Test func requestsAnotherValueForEachDroppedOne() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2), demandPerValue: .max(5))
        probe.removeDuplicates().subscribe(recorder)
        #expect(probe.send(1) == .max(5))
        #expect(probe.send(1) == .max(1))
        #expect(probe.commands == [[.request(.max(2))]])
    }

    @Test func failsWithTheThrownError() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>()
        probe.tryRemoveDuplicates { if $1 == 0 { throw TestError.second } else { $0 == $1 } }.subscribe(recorder)
        for value in [1, 1, 0, 2] { probe.send(value) }
        probe.send(completion: .finished)
        #expect(recorder.transcript == ["subscription TryRemoveDuplicates", "1", "failure second"])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test func deliversNothingAfterCancellation() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.removeDuplicates().subscribe(recorder)
        recorder.cancel()
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("RemoveDuplicates")])
    }

    @Test func releasesThePreviousValueAtTheEnd() {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<LifetimeToken, Never>()
        let recorder = RecordingSubscriber<Bool, Never>()
        subject.removeDuplicates { _, _ in false }.map { _ in true }.subscribe(recorder)
        subject.send(lifetimes.token("value"))
        #expect(lifetimes.alive == ["value"])
        subject.send(completion: .finished)
        #expect(lifetimes.alive == [])
    }
}
