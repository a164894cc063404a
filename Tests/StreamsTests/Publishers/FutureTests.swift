import StreamsTesting
import Testing

@testable import Streams

@Suite struct FutureTests {
    /// Returns a future without a result, and its promise.
    private func makeFuture<Failure: Error>(
        _ failure: Failure.Type = Failure.self
    ) -> (future: Future<Int, Failure>, promise: Future<Int, Failure>.Promise) {
        let kept = Locked<Future<Int, Failure>.Promise?>(nil)
        let future = Future<Int, Failure> { promise in kept.withLock { $0 = promise } }
        return (future, { result in kept.withLock { $0 }?(result) })
    }

    @Test func deliversTheFirstResultToEarlyAndLateSubscribers() {
        let (future, promise) = makeFuture(Never.self)
        let early = RecordingSubscriber<Int, Never>()
        future.subscribe(early)
        #expect(early.transcript == ["subscription Future"])
        promise(.success(1))
        promise(.success(2))
        let late = RecordingSubscriber<Int, Never>()
        future.subscribe(late)
        #expect(early.transcript == ["subscription Future", "1", "finished"])
        #expect(late.transcript == early.transcript)
    }

    @Test func aValueWaitsForDemandAndAFailureDoesNot() {
        let (future, promise) = makeFuture(Never.self)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        future.subscribe(recorder)
        promise(.success(1))
        #expect(recorder.transcript.count == 1)
        recorder.request(.max(1))
        #expect(recorder.transcript.dropFirst() == ["1", "finished"])
        let (failing, failingPromise) = makeFuture(TestError.self)
        let failed = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        failing.subscribe(failed)
        failingPromise(.failure(.first))
        #expect(failed.transcript.dropFirst() == ["failure first"])
    }

    @Test func cancellationReleasesSubscriberAndSubscription() {
        let (future, promise) = makeFuture(Never.self)
        var recorder: RecordingSubscriber<Int, Never>? = RecordingSubscriber()
        let weak = Weak(object: recorder)
        if let recorder { future.subscribe(recorder) }
        var subscription = recorder?.subscription
        recorder = nil
        #expect(weak.object != nil)
        subscription?.cancel()
        weak.object?.releaseSubscription()
        #expect(weak.object == nil)
        let weakSubscription = Weak(object: subscription.map { $0 as AnyObject })
        subscription = nil
        #expect(weakSubscription.object == nil)
        let cancelling = RecordingSubscriber<Int, Never> { recorder, _ in recorder.cancel() }
        future.subscribe(cancelling)
        promise(.success(1))
        #expect(cancelling.values.isEmpty)
    }

    @Test func waitingSubscribersReceiveTheResultInOrder() {
        let (future, promise) = makeFuture(Never.self)
        let order = Locked<[Int]>([])
        let recorders = (0..<4).map { index in
            RecordingSubscriber<Int, Never> { _, event in
                if event.value != nil { order.withLock { $0.append(index) } }
            }
        }
        for recorder in recorders { future.subscribe(recorder) }
        recorders[1].cancel()
        promise(.success(1))
        #expect(order.withLock { $0 } == [0, 2, 3])
    }

    @Test func aValueOutlivesTheFutureUntilItIsRequested() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        do {
            let (future, promise) = makeFuture(Never.self)
            future.subscribe(recorder)
            promise(.success(1))
        }
        recorder.request(.max(1))
        #expect(recorder.transcript == ["subscription Future", "1", "finished"])
    }

    @Test func anAbandonedPromiseReleasesWaitingSubscribers() {
        weak var released: RecordingSubscriber<Int, Never>?
        do {
            let recorder = RecordingSubscriber<Int, Never>()
            released = recorder
            makeFuture(Never.self).future.subscribe(recorder)
            #expect(recorder.transcript == ["subscription Future"])
            recorder.releaseSubscription()
        }
        #expect(released == nil)
    }

    @Test func theValueCanBeAwaited() async throws {
        let (future, promise) = makeFuture(Never.self)
        async let value = future.value
        promise(.success(5))
        #expect(await value == 5)
        let (failing, failingPromise) = makeFuture(TestError.self)
        failingPromise(.failure(.second))
        await #expect(throws: TestError.second) { try await failing.value }
    }

    @Test func cancellingTheTaskEndsTheWait() async {
        let (future, promise) = makeFuture(TestError.self)
        let task = Task { try await future.value }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        promise(.success(1))
    }

    @Test func deliversOneResultToAllIfThePromiseIsKeptConcurrently() {
        for _ in 0..<300 {
            let (future, promise) = makeFuture(Never.self)
            let recorders = (0..<3).map { _ in RecordingSubscriber<Int, Never>() }
            concurrently(6) { thread in
                if thread.isMultiple(of: 2) {
                    promise(.success(thread))
                } else {
                    future.subscribe(recorders[thread / 2])
                }
            }
            let values = Set(recorders.map(\.values))
            #expect(values.count == 1 && values.first?.count == 1)
        }
    }
}
