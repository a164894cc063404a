import Streams
import StreamsTesting
import Testing

@Suite("delayingErrors")
struct DelayingErrorsTests {
    typealias Probe = ProbePublisher<Int, TestError>
    typealias Recorder = RecordingSubscriber<Int, TestError>

    let probes = (0..<3).map { _ in Probe(retention: .always) }

    @Test func deliversTheFirstFailureAfterTheOthersHaveCompleted() {
        let recorder = Recorder()
        probes.merge().delayingErrors().subscribe(recorder)
        probes[1].send(completion: .failure(.second))
        probes[0].send(1)
        probes[0].send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("Merge"), .value(1)])
        probes[2].send(3)
        probes[2].send(completion: .finished)
        #expect(recorder.events == [.subscription("Merge"), .value(1), .value(3), .failure(.second)])
        #expect(probes.map(\.cancellations) == [0, 0, 0])
    }

    @Test func finishesWithoutAFailure() {
        let recorder = Recorder()
        probes[0].merge(with: probes[1]).delayingErrors().subscribe(recorder)
        for probe in probes.prefix(2) { probe.send(completion: .finished) }
        #expect(recorder.events == [.subscription("Merge"), .finished])
    }

    @Test func subscribesToThePublishersAfterOneThatFailsAtOnce() {
        let failing = Fail<Int, TestError>(error: .first)
        let (one, two) = (single(1), single(2))
        let merged: [AnyPublisher<Int, TestError>] = [
            failing.merge(with: one).delayingErrors().eraseToAnyPublisher(),
            failing.merge(with: one, two).delayingErrors().eraseToAnyPublisher(),
            failing.merge(with: one, two, one).delayingErrors().eraseToAnyPublisher(),
            failing.merge(with: one, two, one, two).delayingErrors().eraseToAnyPublisher(),
            failing.merge(with: one, two, one, two, one).delayingErrors().eraseToAnyPublisher(),
            failing.merge(with: one, two, one, two, one, two).delayingErrors().eraseToAnyPublisher(),
            failing.merge(with: one, two, one, two, one, two, one).delayingErrors().eraseToAnyPublisher(),
        ]
        for (index, publisher) in merged.enumerated() {
            let recorder = Recorder()
            publisher.subscribe(recorder)
            #expect(recorder.values == Array([1, 2, 1, 2, 1, 2, 1].prefix(index + 1)))
            #expect(recorder.completion == .failure(.first))
        }
    }

    @Test func deliversAFailureAfterTheBufferedValues() {
        let recorder = Recorder(initialDemand: .none)
        probes.merge().delayingErrors().subscribe(recorder)
        for (value, probe) in probes.enumerated() { probe.send(value) }
        probes[0].send(completion: .failure(.first))
        for probe in probes.dropFirst() { probe.send(completion: .finished) }
        recorder.request(.max(2))
        #expect(recorder.events == [.subscription("Merge"), .value(0), .value(1)])
        recorder.request(.max(1))
        #expect(recorder.events.dropFirst(3) == [.value(2), .failure(.first)])
        #expect(recorder.violations == [])
    }

    @Test func aFailureNeedsNoDemand() {
        let recorder = Recorder(initialDemand: .none)
        probes.merge().delayingErrors().subscribe(recorder)
        for probe in probes { probe.send(completion: .failure(.first)) }
        #expect(recorder.events == [.subscription("Merge"), .failure(.first)])
    }

    @Test func flatMapWaitsForTheOuterAndTheInnerPublishers() {
        let recorder = Recorder()
        let outer = Probe(retention: .always)
        outer.flatMap { [probes] in probes[$0] }.delayingErrors().subscribe(recorder)
        outer.send(0)
        outer.send(1)
        probes[0].send(completion: .failure(.first))
        probes[1].send(1)
        outer.send(2)
        outer.send(completion: .failure(.second))
        probes[1].send(completion: .finished)
        probes[2].send(2)
        #expect(recorder.events == [.subscription("FlatMap"), .value(1), .value(2)])
        probes[2].send(completion: .finished)
        #expect(recorder.completion == .failure(.first))
        #expect(outer.cancellations == 0)
    }

    @Test func flatMapDelaysAFailureOfTheOuterPublisher() {
        let recorder = Recorder()
        let outer = Probe(retention: .always)
        outer.flatMap { [probes] in probes[$0] }.delayingErrors().subscribe(recorder)
        outer.send(0)
        outer.send(completion: .failure(.second))
        probes[0].send(1)
        #expect(recorder.completion == nil)
        probes[0].send(completion: .finished)
        #expect(recorder.events.dropFirst() == [.value(1), .failure(.second)])
    }

    @Test func flatMapRequestsAnotherPublisherForOneThatHasFailed() {
        let recorder = Recorder()
        let outer = Probe(retention: .always)
        outer.flatMap(maxPublishers: .max(1)) { [probes] in probes[$0] }.delayingErrors().subscribe(recorder)
        outer.send(0)
        probes[0].send(completion: .failure(.first))
        #expect(outer.requests == [.max(1), .max(1)])
        outer.send(1)
        outer.send(completion: .finished)
        probes[1].send(completion: .finished)
        #expect(recorder.completion == .failure(.first))
    }

    @Test func concatMapContinuesAfterAFailure() {
        let recorder = Recorder()
        (0..<4).publisher.setFailureType(to: TestError.self).concatMap { number in
            number == 1 ? Fail(error: TestError.first).eraseToAnyPublisher() : single(number)
        }.delayingErrors().subscribe(recorder)
        #expect(recorder.values == [0, 2, 3])
        #expect(recorder.completion == .failure(.first))
    }

    @Test func delaysFailuresThatAreKnown() {
        let recorder = Recorder()
        (0..<4).publisher.setFailureType(to: TestError.self).flatMap { value -> Result<Int, TestError>.Publisher in
            value == 1 ? .init(.first) : .init(value)
        }.delayingErrors().subscribe(recorder)
        #expect(recorder.values == [0, 2, 3])
        #expect(recorder.completion == .failure(.first))
    }

    @Test func aPublisherThatIsMergedAfterwardsDoesNotDelayItsFailure() {
        let recorder = Recorder()
        probes[0].merge(with: probes[1]).delayingErrors().merge(with: probes[2]).subscribe(recorder)
        probes[0].send(completion: .failure(.first))
        #expect(recorder.completion == nil)
        probes[2].send(completion: .failure(.second))
        #expect(recorder.completion == .failure(.second))
        #expect(probes[1].cancellations == 1)
    }

    @Test func cancellationReleasesTheFailure() {
        let lifetimes = LifetimeTracker()
        let probes = (0..<2).map { _ in ProbePublisher<Int, TokenError>(retention: .always) }
        let recorder = RecordingSubscriber<Int, TokenError>()
        probes.merge().delayingErrors().subscribe(recorder)
        probes[0].send(completion: .failure(TokenError(token: lifetimes.token("failure"))))
        #expect(lifetimes.alive == ["failure"])
        recorder.cancel()
        #expect(lifetimes.alive == [])
        #expect(probes[1].cancellations == 1)
        #expect(recorder.completion == nil)
    }

    @Test func endsWithoutPublishers() {
        let recorder = Recorder()
        [Probe]().merge().delayingErrors().subscribe(recorder)
        #expect(recorder.events == [.subscription("Merge"), .finished])
    }

    private struct TokenError: Error {
        let token: LifetimeToken
    }
}

private func single(_ value: Int) -> AnyPublisher<Int, TestError> {
    Just(value).setFailureType(to: TestError.self).eraseToAnyPublisher()
}
