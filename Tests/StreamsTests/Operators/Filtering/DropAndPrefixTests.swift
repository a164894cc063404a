import Streams
import StreamsTesting
import Testing

@Suite("dropFirst, replaceEmpty and collect by count")
struct DropAndPrefixTests {
    @Test func requestsDroppedValuesInAddition() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(42), demandPerValue: .max(3))
        probe.dropFirst(2).subscribe(recorder)
        #expect(probe.commands == [[.request(.max(44))]])
        #expect(probe.send(1) == .none)
        #expect(probe.send(2) == .none)
        #expect(probe.send(3) == .max(3))
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("Drop"), .value(3), .failure(.first)])
    }

    @Test func requestsNothingIfNothingIsDropped() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        probe.dropFirst(0).subscribe(recorder)
        #expect(probe.commands == [[]])
        recorder.request(.max(1))
        #expect(probe.commands == [[.request(.max(1))]])
    }

    @Test func deliversItsSubscriptionBeforeALateUpstream() {
        let late = LatePublisher()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
        late.dropFirst(1).subscribe(recorder)
        #expect(recorder.events == [.subscription("Drop")])
        let subscription = RecordingSubscription()
        late.subscriber?.receive(subscription: subscription)
        #expect(subscription.entries == ["max(2)"])
        recorder.request(.max(5))
        recorder.cancel()
        #expect(subscription.entries == ["max(2)", "max(5)", "cancel"])
    }

    @Test func deliversCompletionOfLateUpstreamAfterSubscription() {
        nonisolated(unsafe) let late = LatePublisher()
        let recorder = RecordingSubscriber<Int, Never> { _, event in
            // Before the upstream is subscribed to, which could complete.
            if case .subscription = event { #expect(late.subscriber == nil) }
        }
        late.dropFirst(1).subscribe(recorder)
        late.subscriber?.receive(subscription: Subscriptions.empty)
        late.subscriber?.receive(completion: .finished)
        #expect(recorder.events == [.subscription("Drop"), .finished])
    }

    @Test func dropsCompletionOfLateUpstreamAfterCancellation() {
        nonisolated(unsafe) let late = LatePublisher()
        let recorder = RecordingSubscriber<Int, Never> { recorder, event in
            if case .subscription = event { recorder.cancel() }
        }
        late.dropFirst(1).subscribe(recorder)
        late.subscriber?.receive(subscription: Subscriptions.empty)
        late.subscriber?.receive(completion: .finished)
        #expect(recorder.events == [.subscription("Drop")])
    }

    @Test func losesNoAwaitedValuesOfASubject() async {
        let subject = PassthroughSubject<Int, Never>()
        var iterator = subject.dropFirst(1).values.makeAsyncIterator()
        for value in 1...4 { subject.send(value) }
        subject.send(completion: .finished)
        var received: [Int] = []
        while let value = await iterator.next() { received.append(value) }
        #expect(received == [2, 3, 4])
    }

    @Test func anEmptyStreamIsReplacedOnDemand() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        probe.replaceEmpty(with: 9).subscribe(recorder)
        probe.send(completion: .finished)
        #expect(recorder.events == [.subscription("ReplaceEmpty")])
        recorder.request(.max(1))
        #expect(recorder.events == [.subscription("ReplaceEmpty"), .value(9), .finished])
    }

    @Test func aStreamThatIsNotEmptyOrFailsIsNotReplaced() {
        let full = RecordingSubscriber<Int, Never>()
        [1, 2].publisher.replaceEmpty(with: 9).subscribe(full)
        #expect(full.events == [.subscription("ReplaceEmpty"), .value(1), .value(2), .finished])
        let failed = RecordingSubscriber<Int, TestError>()
        Fail(error: TestError.first).replaceEmpty(with: 9).subscribe(failed)
        #expect(failed.events == [.subscription("ReplaceEmpty"), .failure(.first)])
        let cancelled = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        probe.replaceEmpty(with: 9).subscribe(cancelled)
        probe.send(completion: .finished)
        cancelled.cancel()
        cancelled.request(.max(1))
        #expect(cancelled.events == [.subscription("ReplaceEmpty")])
    }

    @Test func collectingAsksForThePartsOfWhatIsAskedFor() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<[Int], TestError>(initialDemand: .max(2), demandPerValue: .max(3))
        probe.collect(4).subscribe(recorder)
        #expect(probe.commands == [[.request(.max(8))]])
        for value in 1...3 { #expect(probe.send(value) == .none) }
        #expect(probe.send(4) == .max(12))
        probe.send(5)
        probe.send(completion: .finished)
        #expect(recorder.events == [.subscription("CollectByCount"), .value([1, 2, 3, 4]), .value([5]), .finished])
    }

    @Test func whatIsCollectedGoesWithAFailureAndWithCancellation() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<[Int], TestError>()
        probe.collect(4).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("CollectByCount"), .failure(.first)])
        let cancelled = RecordingSubscriber<[Int], TestError>()
        probe.collect(2).subscribe(cancelled)
        probe.send(1)
        cancelled.cancel()
        probe.send(2)
        probe.send(completion: .finished)
        #expect(cancelled.events == [.subscription("CollectByCount")])
    }
}

/// A publisher that keeps its subscription back.
private struct Completed: Publisher {
    typealias Output = Int
    typealias Failure = Never

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subscriber.receive(completion: .finished)
    }
}

private final class LatePublisher: Publisher {
    typealias Output = Int
    typealias Failure = Never

    private(set) var subscriber: AnySubscriber<Int, Never>?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        self.subscriber = AnySubscriber(subscriber)
    }
}
