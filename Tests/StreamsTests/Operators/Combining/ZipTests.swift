import Streams
import StreamsTesting
import Testing

@Suite("zip")
struct ZipTests {
    private let left = ProbePublisher<Int, TestError>(retention: .always)
    private let right = ProbePublisher<Int, TestError>(retention: .always)

    private func subscribe(_ initial: Subscribers.Demand = .unlimited) -> RecordingSubscriber<Int, TestError> {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: initial)
        left.zip(right) { $0 * 10 + $1 }.subscribe(recorder)
        return recorder
    }

    @Test("Values are paired in their order")
    func pairsValuesInOrder() {
        let recorder = subscribe()
        left.send(1)
        left.send(2)
        right.send(8)
        right.send(9)
        right.send(7)
        left.send(3)
        #expect(recorder.events == [.subscription("Zip"), .value(18), .value(29), .value(37)])
    }

    @Test("Three and four publishers are zipped")
    func zipsThreeAndFour() {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 2].publisher.zip([3, 4].publisher, [5, 6, 7].publisher) { $0 * 100 + $1 * 10 + $2 }.subscribe(recorder)
        #expect(recorder.events == [.subscription("Zip"), .value(135), .value(246), .finished])
        let wider = RecordingSubscriber<Int, Never>()
        let numbers = [1, 2].publisher
        numbers.zip(numbers, numbers, numbers) { $0 + $1 + $2 + $3 }.subscribe(wider)
        #expect(wider.events == [.subscription("Zip"), .value(4), .value(8), .finished])
    }

    @Test("A request goes to both, and additional demand is returned to the one that completed the pair")
    func returnsAdditionalDemand() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandPerValue: .max(2))
        left.zip(right) { $0 + $1 }.subscribe(recorder)
        #expect(left.send(1) == .none)
        #expect(right.send(1) == .max(2))
        #expect(left.commands == [[.request(.max(1)), .request(.max(2))]])
        #expect(right.commands == [[.request(.max(1))]])
    }

    @Test("A request during the delivery of a pair is returned to the one that completed the pair")
    func returnsReentrantRequest() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1)) { recorder, event in
            if event.value != nil { recorder.request(.max(2)) }
        }
        left.zip(right) { $0 + $1 }.subscribe(recorder)
        left.send(1)
        #expect(right.send(1) == .max(2))
        #expect(left.commands == [[.request(.max(1)), .request(.max(2))]])
        #expect(right.commands == [[.request(.max(1))]])
    }

    @Test("It finishes when one has finished and its values are used up, and cancels the other")
    func finishesWhenOneIsUsedUp() {
        let recorder = subscribe()
        left.send(1)
        left.send(completion: .finished)
        #expect(recorder.completion == nil)
        right.send(2)
        #expect(recorder.events == [.subscription("Zip"), .value(12), .finished])
        #expect(right.commands == [[.request(.max(64)), .request(.unlimited), .cancel]])
        #expect(left.commands == [[.request(.max(64)), .request(.unlimited)]])
    }

    @Test("It fails as soon as one fails")
    func failsAtOnce() {
        let recorder = subscribe()
        left.send(1)
        right.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("Zip"), .failure(.first)])
        #expect(left.commands == [[.request(.max(64)), .request(.unlimited), .cancel]])
    }

    @Test("An early completion follows the subscription")
    func deliversEarlyCompletionAfterSubscription() {
        let recorder = RecordingSubscriber<Int, TestError>()
        Empty<Int, TestError>().zip(left) { $0 + $1 }.subscribe(recorder)
        #expect(recorder.events == [.subscription("Zip"), .finished])
        let failed = RecordingSubscriber<Int, TestError>()
        Fail<Int, TestError>(error: .second).zip(left) { $0 + $1 }.subscribe(failed)
        #expect(failed.events == [.subscription("Zip"), .failure(.second)])
    }

    @Test("Cancellation releases stored values")
    func releasesValuesOnCancellation() {
        let lifetimes = LifetimeTracker()
        let values = PassthroughSubject<LifetimeToken, Never>()
        let subscription = values.zip(Empty<Int, Never>(completeImmediately: false)).sink { _ in }
        values.send(lifetimes.token("value"))
        #expect(lifetimes.alive == ["value"])
        subscription.cancel()
        #expect(lifetimes.alive == [])
    }

    @Test("A value that is queued at the end is released, even if the subscription is kept")
    func releasesValueQueuedAtTheEnd() {
        let lifetimes = LifetimeTracker()
        let values = PassthroughSubject<LifetimeToken, TestError>()
        let recorder = RecordingSubscriber<Int, TestError> { [right] _, event in
            guard event.value != nil else { return }
            right.send(completion: .failure(.first))
            values.send(lifetimes.token("late"))
        }
        values.zip(right) { $1 }.subscribe(recorder)
        values.send(lifetimes.token("value"))
        right.send(1)
        #expect(recorder.events == [.subscription("Zip"), .value(1), .failure(.first)])
        #expect(recorder.subscription != nil)
        #expect(lifetimes.alive == [])
    }

    @Test("An endless publisher is requested as many values from as are paired, in any place")
    func pairsEndlessPublishers() {
        let publishers: [(EndlessNumbers) -> AnyPublisher<Int, Never>] = [
            { $0.publisher.zip((0..<1_000).publisher) { $0 + $1 }.eraseToAnyPublisher() },
            { $0.probe().zip((0..<1_000).publisher) { $0 + $1 }.eraseToAnyPublisher() },
            { (0..<1_000).publisher.zip($0.publisher) { $0 + $1 }.eraseToAnyPublisher() },
            { $0.publisher.zip(EndlessNumbers().publisher) { $0 + $1 }.eraseToAnyPublisher() },
            { $0.publisher.prepend([Int]()).zip((0..<1_000).publisher) { $0 + $1 }.eraseToAnyPublisher() },
            {
                $0.publisher.zip((0..<1_000).publisher, EndlessNumbers().publisher) { $0 + $1 + $2 - $2 }
                    .eraseToAnyPublisher()
            },
        ]
        for make in publishers {
            let numbers = EndlessNumbers()
            let recorder = RecordingSubscriber<Int, Never>()
            make(numbers).prefix(500).subscribe(recorder)
            #expect(recorder.values == (0..<500).map { 2 * $0 })
            #expect(recorder.completion == .finished)
            #expect(numbers.taken < 700)
        }
    }

    @Test("An endless publisher waits for a subject, whose values are all paired")
    func pairsEndlessPublisherWithSubject() {
        let numbers = EndlessNumbers()
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        numbers.publisher.zip(subject) { $0 - $1 }.subscribe(recorder)
        for value in 0..<1_000 { subject.send(value) }
        #expect(recorder.values == Array(repeating: 0, count: 1_000))
        #expect(numbers.taken < 1_200)
    }

    @Test("Values from two threads keep their order, and none is lost")
    func pairsValuesOfTwoThreads() {
        let left = PassthroughSubject<Int, Never>()
        let right = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Bool, Never>()
        left.zip(right) { $0 == $1 }.subscribe(recorder)
        concurrently(2) { index in
            let subject = index == 0 ? left : right
            for value in 0..<2_000 { subject.send(value) }
        }
        #expect(recorder.values == Array(repeating: true, count: 2_000))
        #expect(recorder.violations == [])
    }
}
