import Streams
import StreamsTesting
import Testing

@Suite("AsyncSequence.publisher", .timeLimit(.minutes(15))) struct AsyncSequencePublisherTests {
    @Test("Every subscriber receives all elements, then the completion")
    func deliversElementsToEverySubscriber() async {
        let publisher = SynchronousNumbers(bound: 200).publisher
        for demand in [Subscribers.Demand.unlimited, .max(1)] {
            let recorder = IntRecorder(initialDemand: demand, demandPerValue: .max(1))
            publisher.subscribe(recorder)
            #expect(await recorder.wait())
            #expect(recorder.values == Array(0..<200))
            #expect(recorder.completion == .finished)
            #expect(recorder.violations == [])
        }
    }

    @Test("Only requested elements are awaited")
    func awaitsOnlyRequestedElements() async {
        let pulls = Counter()
        let recorder = IntRecorder(initialDemand: .none)
        SynchronousNumbers(bound: 10, hook: { pulls.increment() }).publisher.subscribe(recorder)
        #expect(pulls.value == 0)
        recorder.request(.max(2))
        #expect(await recorder.wait(forValues: 2))
        #expect(pulls.value == 2)
        recorder.request(.max(3))
        #expect(await recorder.wait(forValues: 5))
        #expect(pulls.value == 5)
        recorder.cancel()
    }

    @Test("The error that the sequence throws is the failure")
    func thrownErrorIsTheFailure() async {
        let recorder = IntRecorder()
        SynchronousNumbers(bound: 2, failure: .other).publisher.subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.events.dropFirst() == [.value(0), .value(1), .completion(.failure(.other))])
    }

    @Test("Cancellation ends the iteration")
    func cancellationEndsTheIteration() async {
        let ended = CountdownLatch()
        let recorder = RecordingSubscriber<Int, Never>()
        let continuation: AsyncStream<Int>.Continuation
        do {
            // Only the iteration keeps the sequence, which terminates when it is released outside of `next()`.
            let (stream, source) = AsyncStream.makeStream(of: Int.self)
            continuation = source
            continuation.onTermination = { _ in ended.fire() }
            stream.publisher.subscribe(recorder)
        }
        continuation.yield(1)
        #expect(await recorder.wait(forValues: 1))
        recorder.cancel()
        await ended.wait()
        #expect(recorder.events == [.subscription("AsyncSequence"), .value(1)])
    }

    @Test("Cancellation releases the subscriber even if the iterator ignores it")
    func cancellationReleasesTheSubscriber() async {
        let lifetimes = LifetimeTracker()
        let (started, gate) = (CountdownLatch(), CountdownLatch())
        let uncancellable = SynchronousNumbers(bound: 1).delayed(by: started, gate)
        do {
            let recorder = IntRecorder()
            lifetimes.watch(recorder, as: "downstream")
            uncancellable.publisher.subscribe(recorder)
            await started.wait()
            recorder.cancel()
        }
        #expect(lifetimes.alive == [])
        gate.fire()
    }

    @Test("An asynchronous sequence converted to a publisher and back keeps its elements")
    func roundTripKeepsTheElements() async throws {
        var received: [Int] = []
        for try await value in SynchronousNumbers(bound: 100).publisher.values { received.append(value) }
        #expect(received == Array(0..<100))
    }
}

extension SynchronousNumbers {
    /// Returns a sequence that waits for a gate before each number and ignores cancellation.
    fileprivate func delayed(by started: CountdownLatch, _ gate: CountdownLatch) -> AsyncMapSequence<
        SynchronousNumbers, Int
    > {
        map { number in
            started.fire()
            await gate.wait()
            return number
        }
    }
}
