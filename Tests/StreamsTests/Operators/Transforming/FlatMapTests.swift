import Streams
import StreamsTesting
import Testing

@Suite("flatMap")
struct FlatMapTests {
    @Test func publishesValuesOfInnerPublishers() {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 2].publisher.flatMap { [$0, $0 * 10].publisher }.subscribe(recorder)
        #expect(
            recorder.events == [
                .subscription("FlatMap"), .value(1), .value(10), .value(2), .value(20), .finished,
            ])
    }

    @Test func deliversSubscriptionBeforeSubscribing() {
        let recorder = RecordingSubscriber<Int, Never>()
        let source = Deferred { () -> Just<Int> in
            #expect(recorder.events == [.subscription("FlatMap")])
            return Just(1)
        }
        source.flatMap { Just($0 * 10) }.subscribe(recorder)
        #expect(recorder.events == [.subscription("FlatMap"), .value(10), .finished])
    }

    @Test func cancelsOuterPublisherLast() {
        let log = Locked<[String]>([])
        let outer = ProbePublisher<Int, Never>(onCancel: { log.withLock { $0.append("outer") } })
        let inner = ProbePublisher<Int, Never>(onCancel: { log.withLock { $0.append("inner") } })
        let recorder = RecordingSubscriber<Int, Never>()
        outer.flatMap { _ in inner }.subscribe(recorder)
        outer.send(0)
        outer.send(0)
        recorder.cancel()
        #expect(log.withLock { $0 } == ["inner", "inner", "outer"])
    }

    @Test func finishesWithLastInnerPublisher() {
        let outer = ProbePublisher<Int, TestError>(retention: .always)
        let inner = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        outer.flatMap { _ in inner }.subscribe(recorder)
        outer.send(0)
        outer.send(0)
        outer.send(completion: .finished)
        inner.send(completion: .finished, to: 0)
        inner.send(7, to: 1)
        #expect(recorder.completion == nil)
        inner.send(completion: .finished, to: 1)
        #expect(recorder.events == [.subscription("FlatMap"), .value(7), .finished])
    }

    @Test func finishesWithOuterPublisherIfThatIsLast() {
        let outer = ProbePublisher<Int, TestError>(retention: .always)
        let inner = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        outer.flatMap { _ in inner }.subscribe(recorder)
        outer.send(0)
        inner.send(completion: .finished)
        #expect(recorder.completion == nil)
        outer.send(completion: .finished)
        #expect(recorder.completion == .finished)
    }

    @Test func innerFailureCancelsOthers() {
        let outer = ProbePublisher<Int, TestError>(retention: .always)
        let inner = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        outer.flatMap { _ in inner }.subscribe(recorder)
        outer.send(0)
        outer.send(0)
        inner.send(completion: .failure(.second), to: 0)
        inner.send(1, to: 1)
        outer.send(0)
        outer.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("FlatMap"), .failure(.second)])
        #expect(outer.commands == [[.request(.unlimited), .cancel]])
        #expect(inner.commands == [[.request(.unlimited)], [.request(.unlimited), .cancel]])
    }

    @Test func outerFailureCancelsInnerPublishers() {
        let outer = ProbePublisher<Int, TestError>(retention: .always)
        let inner = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        outer.flatMap { _ in inner }.subscribe(recorder)
        outer.send(0)
        outer.send(completion: .failure(.first))
        #expect(recorder.completion == .failure(.first))
        #expect(inner.commands == [[.request(.unlimited), .cancel]])
    }

    @Test func cancelsAllPublishers() {
        let outer = ProbePublisher<Int, TestError>(retention: .always)
        let inner = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        outer.flatMap { _ in inner }.subscribe(recorder)
        outer.send(0)
        outer.send(0)
        recorder.cancel()
        #expect(outer.commands == [[.request(.unlimited), .cancel]])
        #expect(inner.commands == [[.request(.unlimited), .cancel], [.request(.unlimited), .cancel]])
        inner.send(1, to: 0)
        inner.send(completion: .failure(.first), to: 1)
        outer.send(0)
        #expect(inner.subscriptionCount == 2)
        #expect(recorder.events == [.subscription("FlatMap")])
    }

    @Test func requestsOneValueAtATimeWithLimitedDemand() {
        let outer = ProbePublisher<Int, TestError>(retention: .always)
        let inner = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
        outer.flatMap { _ in inner }.subscribe(recorder)
        outer.send(0)
        outer.send(0)
        #expect(inner.commands == [[.request(.max(1))], [.request(.max(1))]])
        #expect(inner.send(1, to: 0) == .max(1))
        #expect(inner.send(2, to: 0) == .none)
        #expect(inner.send(3, to: 1) == .none)
        #expect(recorder.values == [1])
        recorder.request(.max(1))
        #expect(recorder.values == [1, 2])
        #expect(inner.commands == [[.request(.max(1)), .request(.max(1))], [.request(.max(1))]])
    }

    @Test func deliversBufferedValuesBeforeCompletion() {
        let outer = ProbePublisher<Int, TestError>(retention: .always)
        let inner = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        outer.flatMap { _ in inner }.subscribe(recorder)
        outer.send(0)
        inner.send(1)
        inner.send(completion: .finished)
        outer.send(completion: .finished)
        #expect(recorder.events == [.subscription("FlatMap")])
        recorder.request(.max(1))
        #expect(recorder.events == [.subscription("FlatMap"), .value(1), .finished])
    }

    @Test func requestsUnlimitedDemandFromInnerPublishers() {
        let outer = ProbePublisher<Int, TestError>(retention: .always)
        let inner = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(
            initialDemand: .max(1), demandForValue: { value in value == 1 ? .unlimited : .none })
        outer.flatMap { _ in inner }.subscribe(recorder)
        outer.send(0)
        outer.send(0)
        #expect(inner.send(1, to: 0) == .unlimited)
        #expect(inner.commands == [[.request(.max(1))], [.request(.max(1)), .request(.unlimited)]])
    }

    @Test func cancelsEndlessPublisherAfterUnlimitedRequestInCallback() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1)) { recorder, event in
            guard let value = event.value else { return }
            if value == 0 { recorder.request(.unlimited) }
            if value == 9 { recorder.cancel() }
        }
        Just(0).flatMap { ($0...).publisher }.subscribe(recorder)
        #expect(recorder.values == Array(0...9))
    }

    @Test("Unlimited demand requested during the delivery of a buffered value is requested after it")
    func unlimitedDemandDuringDelivery() {
        let produced = Counter()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1)) { recorder, event in
            guard let value = event.value else { return }
            if value == 1 { recorder.request(.unlimited) }
            if value == 9 { recorder.cancel() }
        }
        let numbers = (0..<10_000).publisher.handleEvents(receiveOutput: { _ in produced.increment() })
        Just(0).flatMap { _ in numbers }.subscribe(recorder)
        recorder.request(.max(1))
        #expect(recorder.values == Array(0...9))
        #expect(produced.value == 10)
    }

    @Test func limitsInnerPublishers() {
        let outer = ProbePublisher<Int, TestError>(retention: .always)
        let inner = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        outer.flatMap(maxPublishers: .max(2)) { _ in inner }.subscribe(recorder)
        #expect(outer.commands == [[.request(.max(2))]])
        outer.send(0)
        outer.send(0)
        inner.send(completion: .finished, to: 0)
        #expect(outer.commands == [[.request(.max(2)), .request(.max(1))]])
    }

    @Test func deliversValuesSentInCallbackAfterwards() {
        let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        let recorder = RecordingSubscriber<Int, Never> { _, event in
            guard let value = event.value else { return }
            if value == 1 {
                second.send(2)
                first.send(3)
            }
        }
        [first, second].publisher.flatMap { $0 }.subscribe(recorder)
        first.send(1)
        #expect(recorder.values == [1, 2, 3])
        #expect(recorder.violations == [])
    }

    @Test func mixesPublishersThatCannotFail() {
        let (neither, outer, inner) = (
            RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, TestError>(),
            RecordingSubscriber<Int, TestError>()
        )
        Just(1).flatMap { Just($0) }.subscribe(neither)
        Just(1).setFailureType(to: TestError.self).flatMap { Just($0) }.subscribe(outer)
        Just(1).flatMap { _ in Fail<Int, TestError>(error: .second) }.subscribe(inner)
        #expect(neither.completion == .finished)
        #expect(outer.values == [1])
        #expect(inner.completion == .failure(.second))
    }

    @Test func valuesRequestedOneByOneLeaveStackFlat() {
        let delivered = Counter()
        onSmallStack {
            let subscriber = AnySubscriber<Int, Never>(
                receiveSubscription: { $0.request(.max(1)) },
                receiveValue: { _ in
                    delivered.increment()
                    return .max(1)
                })
            [0, 1].publisher.flatMap { _ in (0..<50_000).publisher }.subscribe(subscriber)
        }
        #expect(delivered.value == 100_000)
    }

    @Test func serialisesValuesOfManyThreads() {
        let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        let recorder = RecordingSubscriber<Int, Never>()
        subjects.publisher.flatMap { $0 }.subscribe(recorder)
        concurrently(4) { index in
            for number in 0..<2_000 { subjects[index].send(index * 10_000 + number) }
            subjects[index].send(completion: .finished)
        }
        #expect(recorder.violations == [])
        #expect(recorder.completion == .finished)
        for index in 0..<4 {
            let own = recorder.values.filter { $0 / 10_000 == index }
            #expect(own == (0..<2_000).map { index * 10_000 + $0 })
        }
    }

    @Test func obeysDemandOfManyThreads() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        (0..<4).publisher.flatMap { index in (0..<2_000).map { index * 10_000 + $0 }.publisher }.subscribe(recorder)
        concurrently(4) { _ in
            for _ in 0..<1_000 { recorder.request(.max(1)) }
        }
        #expect(recorder.values.count == 4_000)
        #expect(recorder.completion == nil)
        recorder.request(.unlimited)
        #expect(recorder.values.count == 8_000)
        #expect(recorder.violations == [])
        #expect(recorder.completion == .finished)
    }

    @Test func releasesEverythingOnConcurrentCancellation() {
        let lifetimes = LifetimeTracker()
        let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
        let recorder = RecordingSubscriber<Int, Never>()
        let attach: (LifetimeToken) -> Void = { token in
            let open: @Sendable (PassthroughSubject<Int, Never>) -> PassthroughSubject<Int, Never> = {
                _ = token
                return $0
            }
            subjects.publisher.flatMap(open).subscribe(recorder)
        }
        attach(lifetimes.token("closure"))
        concurrently(4) { index in
            if index == 3 { return recorder.cancel() }
            for number in 0..<1_000 { subjects[index].send(number) }
        }
        let delivered = recorder.values.count
        for subject in subjects { subject.send(0) }
        #expect(recorder.values.count == delivered)
        #expect(lifetimes.alive == [])
    }

    @Test func releasesBufferedValuesOnCancellation() {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<LifetimeToken, Never>()
        let recorder = RecordingSubscriber<ObjectIdentifier, Never>(initialDemand: .none)
        let identifiers = Just(0).flatMap { _ in subject }.map { ObjectIdentifier($0) }
        identifiers.subscribe(recorder)
        subject.send(lifetimes.token("value"))
        #expect(lifetimes.alive == ["value"])
        recorder.cancel()
        #expect(lifetimes.alive == [])
    }
}
