import Streams
import StreamsTesting
import Testing

@Suite("asyncMap", .timeLimit(.minutes(15))) struct AsyncMapTests {
    private let probe = IntProbe()

    /// Asynchronous work that suspends until the test opens the gate of its value.
    private final class GatedWork: Sendable {
        let started: [CountdownLatch]
        let gates: [CountdownLatch]

        init(_ count: Int) {
            started = (0..<count).map { _ in CountdownLatch() }
            gates = (0..<count).map { _ in CountdownLatch() }
        }

        func run(_ value: Int) async -> Int {
            started[value].fire()
            await gates[value].wait()
            return value
        }
    }

    @Test("Results are delivered in the order of the values")
    func deliversResultsInOrder() async {
        let gated = GatedWork(3)
        let recorder = IntRecorder()
        count(to: 3).asyncMap(maxConcurrent: 3) { await gated.run($0) }.subscribe(recorder)
        for value in 0..<3 { await gated.started[value].wait() }
        for value in [2, 1] { gated.gates[value].fire() }
        #expect(recorder.values == [])
        gated.gates[0].fire()
        #expect(await recorder.wait())
        #expect(
            recorder.events == [
                .subscription("AsyncMap"), .value(0), .value(1), .value(2), .completion(.finished),
            ])
    }

    @Test("No more tasks run than the bound and the demand allow")
    func limitsConcurrentTasks() async {
        let gated = GatedWork(8)
        let recorder = IntRecorder(initialDemand: .max(3))
        // The inline executor delivers a value before the next one is requested, so the order of both is known.
        probe.asyncMap(maxConcurrent: 2, executorPreference: InlineExecutor.shared) { await gated.run($0) }
            .subscribe(recorder)
        #expect(probe.requests == [.max(2)])
        probe.send(0)
        probe.send(1)
        gated.gates[0].fire()
        #expect(await recorder.wait(forValues: 1))
        gated.gates[1].fire()
        probe.send(2)
        gated.gates[2].fire()
        #expect(await recorder.wait(forValues: 3))
        #expect(probe.requests.compactMap(\.max).reduce(0, +) == 3)
        recorder.request(.unlimited)
        #expect(probe.requests.last == .max(2))
        recorder.cancel()
    }

    @Test("A thrown error follows earlier results and cancels the upstream and later tasks")
    func thrownErrorFollowsEarlierResults() async {
        let (cancelled, started) = (CountdownLatch(), CountdownLatch())
        let gated = GatedWork(2)
        let recorder = IntRecorder()
        probe.asyncMap(maxConcurrent: 3) { value async throws(LawError) -> Int in
            if value == 1 { throw .other }
            if value == 0 { return await gated.run(0) }
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
        gated.gates[0].fire()
        #expect(await recorder.wait())
        #expect(recorder.events.dropFirst() == [.value(0), .completion(.failure(.other))])
        // The upstream is cancelled before the tasks, and both after the failure is delivered.
        await cancelled.wait()
        #expect(probe.cancellations == 1)
    }

    @Test("asyncTryMap fails with errors of any type")
    func asyncTryMapFailsWithAnyError() async {
        let recorder = RecordingSubscriber<Int, any Error>()
        count(to: 3).asyncTryMap { value in
            if value == 1 { throw LawError.other }
            return value
        }.subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == [0])
        guard case .failure(let error) = recorder.completion else {
            Issue.record("the failure is missing")
            return
        }
        #expect(error as? LawError == .other)
    }

    @Test("The upstream's failure follows the results of earlier values")
    func upstreamFailureFollowsResults() async {
        let gated = GatedWork(1)
        let recorder = IntRecorder()
        probe.asyncMap { await gated.run($0) }.subscribe(recorder)
        probe.send(0)
        probe.send(completion: .failure(.failed))
        #expect(recorder.events.count == 1)
        gated.gates[0].fire()
        #expect(await recorder.wait())
        #expect(recorder.events.dropFirst() == [.value(0), .completion(.failure(.failed))])
    }

    @Test("Cancellation cancels the upstream and the tasks and releases the subscriber")
    func cancelsUpstreamAndTasks() async {
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

    @Test("Cancellation releases buffered results")
    func cancellationReleasesBufferedResults() async {
        final class Result: Sendable {}
        let lifetimes = LifetimeTracker()
        let gate = CountdownLatch()
        let recorder = RecordingSubscriber<Result, LawError>()
        // The inline executor finishes the second task before send returns.
        probe.asyncMap(maxConcurrent: 2, executorPreference: InlineExecutor.shared) { value in
            if value == 0 { await gate.wait() }
            let result = Result()
            if value == 1 { lifetimes.watch(result, as: "result") }
            return result
        }.subscribe(recorder)
        probe.send(0)
        probe.send(1)
        #expect(lifetimes.alive == ["result"])
        recorder.cancel()
        #expect(lifetimes.alive == [])
        #expect(recorder.values.isEmpty)
        gate.fire()
    }

    @Test("Results of tasks that yield on the thread pool stay in order")
    func keepsTheOrderOnTheThreadPool() async {
        let recorder = IntRecorder(initialDemand: .max(1), demandPerValue: .max(1))
        count(to: 300).asyncMap(maxConcurrent: 8) { value in
            if value.isMultiple(of: 3) { await Task.yield() }
            return value
        }.subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == Array(0..<300))
        #expect(recorder.violations == [])
    }

    @Test("asyncFlatMap concatenates the sequences")
    func asyncFlatMapConcatenatesSequences() async {
        let recorder = IntRecorder()
        count(to: 3).asyncFlatMap { SynchronousNumbers(bound: $0) }.subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == [0, 0, 1])
        #expect(recorder.completion == .finished)
    }
}
