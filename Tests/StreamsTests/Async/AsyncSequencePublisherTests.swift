import Streams
import StreamsTesting
import Testing

@Suite("AsyncSequence.publisher", .timeLimit(.minutes(15))) struct AsyncSequencePublisherTests {
    @Test("The elements come, then the completion, anew for each subscriber")
    func elements() async {
        let publisher = PromptNumbers(bound: 200).publisher
        for demand in [Subscribers.Demand.unlimited, .max(1)] {
            let recorder = IntRecorder(initialDemand: demand, demandPerValue: .max(1))
            publisher.subscribe(recorder)
            #expect(await recorder.wait())
            #expect(recorder.values == Array(0..<200))
            #expect(recorder.completion == .finished)
            #expect(recorder.violations == [])
        }
    }

    @Test("No element is awaited that nobody has asked for")
    func demand() async {
        let pulls = Counter()
        let recorder = IntRecorder(initialDemand: .none)
        PromptNumbers(bound: 10, hook: { pulls.increment() }).publisher.subscribe(recorder)
        #expect(pulls.value == 0)
        recorder.request(.max(2))
        #expect(await recorder.wait(forValues: 2))
        #expect(pulls.value == 2)
        recorder.request(.max(3))
        #expect(await recorder.wait(forValues: 5))
        #expect(pulls.value == 5)
        recorder.cancel()
    }

    @Test("What the sequence throws is the failure, of its own type")
    func failure() async {
        let recorder = IntRecorder()
        PromptNumbers(bound: 2, failure: .other).publisher.subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.events.dropFirst() == [.value(0), .value(1), .completion(.failure(.other))])
    }

    @Test("Cancellation ends the iteration")
    func cancellation() async {
        let ended = CountdownLatch()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        continuation.onTermination = { _ in ended.fire() }
        let recorder = RecordingSubscriber<Int, Never>()
        stream.publisher.subscribe(recorder)
        continuation.yield(1)
        #expect(await recorder.wait(forValues: 1))
        recorder.cancel()
        await ended.wait()
        #expect(recorder.events == [.subscription("AsyncSequence"), .value(1)])
    }

    @Test("An iterator that does not heed cancellation does not keep the subscriber")
    func release() async {
        let lifetimes = LifetimeTracker()
        let (started, gate) = (CountdownLatch(), CountdownLatch())
        let stubborn = PromptNumbers(bound: 1).prefixed(by: started, gate)
        do {
            let recorder = IntRecorder()
            lifetimes.watch(recorder, as: "downstream")
            stubborn.publisher.subscribe(recorder)
            await started.wait()
            recorder.cancel()
        }
        #expect(lifetimes.alive == [])
        gate.fire()
    }

    @Test("There and back again")
    func values() async throws {
        var received: [Int] = []
        for try await value in PromptNumbers(bound: 100).publisher.values { received.append(value) }
        #expect(received == Array(0..<100))
    }
}

extension PromptNumbers {
    /// Numbers that come after a gate has been opened, whatever is cancelled meanwhile.
    fileprivate func prefixed(by started: CountdownLatch, _ gate: CountdownLatch) -> AsyncMapSequence<
        PromptNumbers, Int
    > {
        map { number in
            started.fire()
            await gate.wait()
            return number
        }
    }
}
