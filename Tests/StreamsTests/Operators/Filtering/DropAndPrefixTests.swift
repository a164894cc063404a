import Streams
import Testing

@Suite("drop, prefix, replaceEmpty, ignoreOutput and collect by count")
struct DropAndPrefixTests {
    @Test func whatIsDroppedIsAskedForInAddition() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>(.max(42)) { _, _ in .max(3) }
        probe.dropFirst(2).subscribe(recorder)
        #expect(probe.orders == [[.request(.max(44))]])
        #expect(probe.send(1) == .none)
        #expect(probe.send(2) == .none)
        #expect(probe.send(3) == .max(3))
        probe.send(completion: .failure(.one))
        #expect(recorder.signals == [.subscription("Drop"), .value(3), .failure("one")])
    }

    @Test func droppingNothingAsksForNothing() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>(.none)
        probe.dropFirst(0).subscribe(recorder)
        #expect(probe.orders == [[]])
        recorder.request(.max(1))
        #expect(probe.orders == [[.request(.max(1))]])
    }

    @Test func aSubscriberDoesNotWaitForALateUpstream() {
        let late = LatePublisher()
        let recorder = Recorder<Int, Never>(.max(1))
        late.dropFirst(1).subscribe(recorder)
        #expect(recorder.signals == [.subscription("Drop")])
        let subscription = ProbeSubscription()
        late.subscriber?.receive(subscription: subscription)
        #expect(subscription.orders == [.request(.max(2))])
        recorder.request(.max(5))
        recorder.cancel()
        #expect(subscription.orders == [.request(.max(2)), .request(.max(5)), .cancel])
    }

    @Test func nothingIsLostBetweenTheValuesOfASubjectThatAreAwaited() async {
        let subject = PassthroughSubject<Int, Never>()
        var iterator = subject.dropFirst(1).values.makeAsyncIterator()
        for value in 1...4 { subject.send(value) }
        subject.send(completion: .finished)
        var received: [Int] = []
        while let value = await iterator.next() { received.append(value) }
        #expect(received == [2, 3, 4])
    }

    @Test func dropWhileAsksForAnotherValue() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>(.max(1)) { _, _ in .max(7) }
        probe.drop { $0 < 3 }.subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(3) == .max(7))
        #expect(probe.send(1) == .max(7))
        #expect(recorder.signals == [.subscription("DropWhile"), .value(3), .value(1)])
        #expect(probe.orders == [[.request(.max(1))]])
    }

    @Test func dropWhileLooksNoFurtherThanTheFirst() {
        let calls = Counter()
        let recorder = Recorder<Int, any Error>()
        [1, 2, 1, 1].publisher.tryDrop { value in
            calls.increment()
            return value == 1
        }.subscribe(recorder)
        #expect(recorder.signals == [.subscription("TryDropWhile"), .value(2), .value(1), .value(1), .finished])
        #expect(calls.value == 2)
    }

    @Test func prefixWhileCancelsAndFinishes() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>(.max(5))
        probe.prefix { $0 < 2 }.subscribe(recorder)
        probe.send(1)
        #expect(probe.send(2) == .none)
        probe.send(1)
        probe.send(completion: .failure(.one))
        #expect(recorder.signals == [.subscription("PrefixWhile"), .value(1), .finished])
        #expect(probe.orders == [[.request(.max(5)), .cancel]])
    }

    @Test func whatAClosureThrowsEndsTheStream() {
        let operators: [@Sendable (Probe<Int, Oops>) -> AnyPublisher<Int, any Error>] = [
            { $0.tryDrop { _ in throw Oops.two }.eraseToAnyPublisher() },
            { $0.tryPrefix { _ in throw Oops.two }.eraseToAnyPublisher() },
        ]
        for application in operators {
            let probe = Probe<Int, Oops>()
            let recorder = Recorder<Int, any Error>()
            application(probe).subscribe(recorder)
            probe.send(1)
            probe.send(2)
            #expect(recorder.values == [])
            #expect(recorder.end == .failure("two"))
            #expect(probe.orders == [[.request(.unlimited), .cancel]])
        }
    }

    @Test func ignoredOutputIsAskedForAllTheSame() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Never, Oops>(.none)
        probe.ignoreOutput().subscribe(recorder)
        #expect(probe.orders == [[.request(.unlimited)]])
        probe.send(1)
        probe.send(completion: .failure(.one))
        #expect(recorder.end == .failure("one"))
    }

    @Test func anEmptyStreamIsReplacedOnDemand() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>(.none)
        probe.replaceEmpty(with: 9).subscribe(recorder)
        probe.send(completion: .finished)
        #expect(recorder.signals == [.subscription("ReplaceEmpty")])
        recorder.request(.max(1))
        #expect(recorder.signals == [.subscription("ReplaceEmpty"), .value(9), .finished])
    }

    @Test func aStreamThatIsNotEmptyOrFailsIsNotReplaced() {
        let full = Recorder<Int, Never>()
        [1, 2].publisher.replaceEmpty(with: 9).subscribe(full)
        #expect(full.signals == [.subscription("ReplaceEmpty"), .value(1), .value(2), .finished])
        let failed = Recorder<Int, Oops>()
        Fail(error: Oops.one).replaceEmpty(with: 9).subscribe(failed)
        #expect(failed.signals == [.subscription("ReplaceEmpty"), .failure("one")])
        let cancelled = Recorder<Int, Oops>(.none)
        let probe = Probe<Int, Oops>()
        probe.replaceEmpty(with: 9).subscribe(cancelled)
        probe.send(completion: .finished)
        cancelled.cancel()
        cancelled.request(.max(1))
        #expect(cancelled.signals == [.subscription("ReplaceEmpty")])
    }

    @Test func collectingAsksForThePartsOfWhatIsAskedFor() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<[Int], Oops>(.max(2)) { _, _ in .max(3) }
        probe.collect(4).subscribe(recorder)
        #expect(probe.orders == [[.request(.max(8))]])
        for value in 1...3 { #expect(probe.send(value) == .none) }
        #expect(probe.send(4) == .max(12))
        probe.send(5)
        probe.send(completion: .finished)
        #expect(recorder.signals == [.subscription("CollectByCount"), .value([1, 2, 3, 4]), .value([5]), .finished])
    }

    @Test func whatIsCollectedGoesWithAFailureAndWithCancellation() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<[Int], Oops>()
        probe.collect(4).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.one))
        #expect(recorder.signals == [.subscription("CollectByCount"), .failure("one")])
        let cancelled = Recorder<[Int], Oops>()
        probe.collect(2).subscribe(cancelled)
        probe.send(1)
        cancelled.cancel()
        probe.send(2)
        probe.send(completion: .finished)
        // An upstream that completes all the same is taken at its word, but what was collected is gone.
        #expect(cancelled.signals == [.subscription("CollectByCount"), .finished])
    }
}

/// A publisher that keeps its subscription back.
private final class LatePublisher: Publisher {
    typealias Output = Int
    typealias Failure = Never

    private(set) var subscriber: AnySubscriber<Int, Never>?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        self.subscriber = AnySubscriber(subscriber)
    }
}
