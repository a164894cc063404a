import Streams
import StreamsTesting
import Testing

@Suite("asyncMap", .timeLimit(.minutes(15))) struct AsyncMapTests {
    private let probe = IntProbe()

    /// Work that waits until it is let go on, value by value.
    private final class Desk: Sendable {
        let begun: [CountdownLatch]
        let gates: [CountdownLatch]

        init(_ count: Int) {
            begun = (0..<count).map { _ in CountdownLatch() }
            gates = (0..<count).map { _ in CountdownLatch() }
        }

        func work(on value: Int) async -> Int {
            begun[value].fire()
            await gates[value].wait()
            return value
        }
    }

    @Test("Results come in the order of the values, whichever is there first")
    func order() async {
        let desk = Desk(3)
        let recorder = IntRecorder()
        count(to: 3).asyncMap(maxConcurrent: 3) { await desk.work(on: $0) }.subscribe(recorder)
        for value in 0..<3 { await desk.begun[value].wait() }
        for value in [2, 1] { desk.gates[value].fire() }
        #expect(recorder.values == [])
        desk.gates[0].fire()
        #expect(await recorder.wait())
        #expect(
            recorder.events == [
                .subscription("AsyncMap"), .value(0), .value(1), .value(2), .completion(.finished),
            ])
    }

    @Test("No more is under way than the bound allows, and nothing that nobody has asked for")
    func bounds() async {
        let desk = Desk(8)
        let recorder = IntRecorder(initialDemand: .max(3))
        // A value is there before the next one is asked for: where both happen at once, nothing can be said in between.
        probe.asyncMap(maxConcurrent: 2, executorPreference: InlineExecutor.shared) { await desk.work(on: $0) }
            .subscribe(recorder)
        #expect(probe.requests == [.max(2)])
        probe.send(0)
        probe.send(1)
        desk.gates[0].fire()
        #expect(await recorder.wait(forValues: 1))
        desk.gates[1].fire()
        probe.send(2)
        desk.gates[2].fire()
        #expect(await recorder.wait(forValues: 3))
        #expect(probe.requests.compactMap(\.max).reduce(0, +) == 3)
        recorder.request(.unlimited)
        #expect(probe.requests.last == .max(2))
        recorder.cancel()
    }

    @Test("What is thrown comes in its turn, cancels the upstream, and the work behind it")
    func failure() async {
        let (cancelled, started) = (CountdownLatch(), CountdownLatch())
        let desk = Desk(2)
        let recorder = IntRecorder()
        probe.asyncMap(maxConcurrent: 3) { value async throws(LawError) -> Int in
            if value == 1 { throw .other }
            if value == 0 { return await desk.work(on: 0) }
            await withTaskCancellationHandler {
                started.fire()
                await cancelled.wait()
            } onCancel: {
                cancelled.fire()
            }
            return value
        }.subscribe(recorder)
        for value in 0..<3 { probe.send(value) }
        await started.wait()
        #expect(recorder.values == [])
        desk.gates[0].fire()
        #expect(await recorder.wait())
        #expect(recorder.events.dropFirst() == [.value(0), .completion(.failure(.other))])
        // The work is cancelled after the upstream, and both after the subscriber has been told.
        await cancelled.wait()
        #expect(probe.cancellations == 1)
    }

    @Test("Errors of any type are thrown in asyncTryMap")
    func untypedFailure() async {
        let recorder = RecordingSubscriber<Int, any Error>()
        count(to: 3).asyncTryMap { value in
            if value == 1 { throw LawError.other }
            return value
        }.subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == [0])
        guard case .failure(let error) = recorder.completion else {
            Issue.record("there is no failure")
            return
        }
        #expect(error as? LawError == .other)
    }

    @Test("The upstream's failure waits for the results before it")
    func upstreamFailure() async {
        let desk = Desk(1)
        let recorder = IntRecorder()
        probe.asyncMap { await desk.work(on: $0) }.subscribe(recorder)
        probe.send(0)
        probe.send(completion: .failure(.failed))
        #expect(recorder.events.count == 1)
        desk.gates[0].fire()
        #expect(await recorder.wait())
        #expect(recorder.events.dropFirst() == [.value(0), .completion(.failure(.failed))])
    }

    @Test("Cancellation cancels the upstream and the tasks, and lets go of the subscriber at once")
    func cancellation() async {
        let lifetimes = LifetimeTracker()
        let (started, cancelled, gate) = (CountdownLatch(), CountdownLatch(), CountdownLatch())
        do {
            let recorder = IntRecorder()
            lifetimes.watch(recorder, as: "downstream")
            probe.asyncMap { value in
                await withTaskCancellationHandler {
                    started.fire()
                    await gate.wait()
                } onCancel: {
                    cancelled.fire()
                }
                return value
            }.subscribe(recorder)
            probe.send(0)
            await started.wait()
            recorder.cancel()
            #expect(recorder.events.count == 1)
        }
        await cancelled.wait()
        #expect(probe.cancellations == 1)
        #expect(lifetimes.alive == [])
        gate.fire()
    }

    @Test("Cancellation lets go of results that wait for those before them")
    func cancellationWithResults() async {
        final class Thing: Sendable {}
        let lifetimes = LifetimeTracker()
        let gate = CountdownLatch()
        let recorder = RecordingSubscriber<Thing, LawError>()
        // The second result is there when its value has been sent.
        probe.asyncMap(maxConcurrent: 2, executorPreference: InlineExecutor.shared) { value in
            if value == 0 { await gate.wait() }
            let thing = Thing()
            if value == 1 { lifetimes.watch(thing, as: "result") }
            return thing
        }.subscribe(recorder)
        probe.send(0)
        probe.send(1)
        #expect(lifetimes.alive == ["result"])
        recorder.cancel()
        #expect(lifetimes.alive == [])
        #expect(recorder.values.isEmpty)
        gate.fire()
    }

    @Test("On the pool, with yields, values stay in order")
    func pool() async {
        let recorder = IntRecorder(initialDemand: .max(1), demandPerValue: .max(1))
        count(to: 300).asyncMap(maxConcurrent: 8) { value in
            if value.isMultiple(of: 3) { await Task.yield() }
            return value
        }.subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == Array(0..<300))
        #expect(recorder.violations == [])
    }

    @Test("The elements of sequences come one sequence after the other")
    func flatMap() async {
        let recorder = IntRecorder()
        count(to: 3).asyncFlatMap { PromptNumbers(bound: $0) }.subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == [0, 0, 1])
        #expect(recorder.completion == .finished)
    }
}
