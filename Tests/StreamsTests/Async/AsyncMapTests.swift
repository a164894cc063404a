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

    @Test("As many values are requested as results may be computed or buffered, whatever the demand")
    func limitsConcurrentTasks() async {
        let gated = GatedWork(8)
        let recorder = IntRecorder(initialDemand: .none)
        // The inline executor delivers a value before the next one is requested, so the order of both is known.
        probe.asyncMap(maxConcurrent: 2, executorPreference: InlineExecutor.shared) { await gated.run($0) }
            .subscribe(recorder)
        #expect(probe.requests == [.max(2)])
        probe.send(0)
        probe.send(1)
        for value in [1, 0] { gated.gates[value].fire() }
        #expect(recorder.values == [])
        #expect(probe.requests == [.max(2)], "two results are buffered")
        recorder.request(.max(1))
        #expect(recorder.values == [0])
        recorder.request(.max(3))
        #expect(recorder.values == [0, 1])
        #expect(probe.requests == [.max(2), .max(1), .max(1)])
        probe.send(2)
        gated.gates[2].fire()
        #expect(recorder.values == [0, 1, 2])
        #expect(probe.requests == [.max(2), .max(1), .max(1), .max(1)])
        recorder.request(.unlimited)
        #expect(probe.requests.count == 4)
        recorder.cancel()
    }

    @Test("Values of a loop, which requests one at a time, are computed concurrently")
    func worksConcurrentlyForALoop() async {
        let gated = GatedWork(8)
        let values = Task {
            var received: [Int] = []
            for await value in (0..<8).publisher.asyncMap(maxConcurrent: 8, { await gated.run($0) }).values {
                received.append(value)
            }
            return received
        }
        for value in 0..<8 { await gated.started[value].wait() }
        for value in (0..<8).reversed() { gated.gates[value].fire() }
        #expect(await values.value == Array(0..<8))
    }

    @Test("Without an order, results are delivered when they are ready")
    func deliversUnorderedResults() async {
        let gated = GatedWork(4)
        let recorder = IntRecorder()
        count(to: 4).asyncMap(maxConcurrent: 3, ordered: false) { await gated.run($0) }.subscribe(recorder)
        for (index, value) in [2, 3, 1, 0].enumerated() {
            await gated.started[value].wait()
            gated.gates[value].fire()
            #expect(await recorder.wait(forValues: index + 1))
        }
        #expect(await recorder.wait())
        #expect(recorder.values == [2, 3, 1, 0])
        #expect(recorder.completion == .finished)
        #expect(recorder.violations == [])
    }

    @Test("Without an order, an error ends the stream at once, and a failure of the upstream follows all results")
    func endsUnorderedResults() async {
        let gated = GatedWork(2)
        let recorder = IntRecorder()
        probe.asyncMap(maxConcurrent: 2, ordered: false) { value async throws(LawError) -> Int in
            if value == 1 { throw .other }
            return await gated.run(value)
        }.subscribe(recorder)
        probe.send(0)
        await gated.started[0].wait()
        probe.send(1)
        #expect(await recorder.wait())
        #expect(recorder.events.dropFirst() == [.completion(.failure(.other))])
        gated.gates[0].fire()

        let last = IntRecorder()
        let source = IntProbe()
        source.asyncMap(maxConcurrent: 2, ordered: false) { await gated.run($0) }.subscribe(last)
        source.send(1)
        source.send(completion: .failure(.failed))
        #expect(last.completion == nil)
        gated.gates[1].fire()
        #expect(await last.wait())
        #expect(last.events.dropFirst() == [.value(1), .completion(.failure(.failed))])
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
