import Streams
import StreamsTesting
import Testing

@Suite("switchIfEmpty")
struct SwitchIfEmptyTests {
    typealias Probe = ProbePublisher<Int, TestError>
    typealias Recorder = RecordingSubscriber<Int, TestError>

    let first = Probe(retention: .always)
    let second = Probe(retention: .always)

    @Test func subscribesToTheOtherIfTheFirstIsEmpty() {
        let recorder = Recorder(initialDemand: .max(3))
        first.switchIfEmpty(to: second).subscribe(recorder)
        #expect(second.subscriptionCount == 0)
        first.send(completion: .finished)
        #expect(second.commands == [[.request(.max(3))]])
        second.send(8)
        second.send(completion: .failure(.second))
        #expect(recorder.events == [.subscription("SwitchIfEmpty"), .value(8), .failure(.second)])
    }

    @Test func finishesWithTheFirstAfterAValue() {
        let recorder = Recorder()
        first.switchIfEmpty(to: second).subscribe(recorder)
        first.send(1)
        first.send(completion: .finished)
        #expect(second.subscriptionCount == 0)
        #expect(recorder.events == [.subscription("SwitchIfEmpty"), .value(1), .finished])
    }

    @Test func failsWithTheFirst() {
        let recorder = Recorder()
        first.switchIfEmpty(to: second).subscribe(recorder)
        first.send(completion: .failure(.first))
        #expect(second.subscriptionCount == 0)
        #expect(recorder.events == [.subscription("SwitchIfEmpty"), .failure(.first)])
    }

    @Test func aValueBeyondTheDemandDoesNotCount() {
        let recorder = Recorder(initialDemand: .none)
        first.switchIfEmpty(to: second).subscribe(recorder)
        first.send(1)
        first.send(completion: .finished)
        #expect(second.subscriptionCount == 1)
        recorder.request(.max(2))
        second.send(8)
        #expect(second.requests == [.max(2)])
        #expect(recorder.values == [8])
    }

    @Test func deliversAKnownValueOnRequest() {
        let recorder = Recorder(initialDemand: .none)
        let unlimited = Recorder()
        let publisher = Empty<Int, TestError>().switchIfEmpty(to: Just(8).setFailureType(to: TestError.self))
        publisher.subscribe(recorder)
        publisher.subscribe(unlimited)
        #expect(recorder.values == [])
        recorder.request(.max(1))
        #expect(recorder.events == [.subscription("SwitchIfEmpty"), .value(8), .finished])
        #expect(unlimited.events == recorder.events)
    }

    @Test func cancelsTheCurrentPublisher() {
        let recorder = Recorder()
        first.switchIfEmpty(to: second).subscribe(recorder)
        recorder.cancel()
        first.send(completion: .finished)
        #expect(first.cancellations == 1)
        #expect(second.subscriptionCount == 0)
        let other = Recorder()
        Empty().switchIfEmpty(to: second).subscribe(other)
        other.cancel()
        #expect(second.cancellations == 1)
    }

    @Test func aFailureOfTheOtherIsKnown() {
        let recorder = Recorder()
        Empty().switchIfEmpty(to: Fail(error: .second)).subscribe(recorder)
        #expect(recorder.events == [.subscription("SwitchIfEmpty"), .failure(.second)])
    }

    @Test func releasesTheOtherAtTheEnd() {
        let endings: [@Sendable (Probe, Recorder) -> Void] = [
            { probe, _ in probe.send(completion: .failure(.first)) }, { _, recorder in recorder.cancel() },
        ]
        for end in endings {
            let (probe, recorder) = (Probe(), Recorder())
            weak var other: Probe?
            do {
                let replacement = Probe()
                other = replacement
                probe.switchIfEmpty(to: replacement).subscribe(recorder)
            }
            #expect(other != nil)
            end(probe, recorder)
            #expect(other == nil)
        }
    }
}
