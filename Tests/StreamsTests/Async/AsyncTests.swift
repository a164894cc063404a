import Streams
import StreamsTesting
import Testing

@Suite("Operators.Async", .timeLimit(.minutes(15))) struct AsyncTests {
    @Test("Every subscriber's first request starts the work, and the result completes the stream")
    func startsTheWorkOnRequest() async {
        let starts = Counter()
        let publisher = Operators.Async { starts.increment() }
        let (first, second) = (RecordingSubscriber<Int, Never>(initialDemand: .none), RecordingSubscriber<Int, Never>())
        publisher.subscribe(first)
        #expect(starts.value == 0)
        publisher.subscribe(second)
        #expect(await second.wait())
        #expect(second.events == [.subscription("Async"), .value(1), .completion(.finished)])
        first.request(.max(1))
        first.request(.max(1))
        #expect(await first.wait())
        #expect(first.values == [2])
        #expect(starts.value == 2)
    }

    @Test("The thrown error is the failure")
    func thrownErrorIsTheFailure() async {
        let publisher = Operators.Async { () async throws(LawError) -> Int in throw .failed }
        let recorder = IntRecorder()
        publisher.subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.completion == .failure(.failed))
        let untyped = Operators.Async { () async throws -> Int in throw LawError.other }
        let errors = RecordingSubscriber<Int, any Error>()
        untyped.subscribe(errors)
        #expect(await errors.wait())
        guard case .failure(let error) = errors.completion else {
            return #expect(Bool(false), "the failure is missing")
        }
        #expect(error as? LawError == .other)
    }

    @Test("Cancellation cancels the task and drops its result")
    func cancellationDropsTheResult() async {
        let (started, cancelled, returned) = (CountdownLatch(), CountdownLatch(), CountdownLatch())
        let publisher = Deferred(async: { () async -> Int in
            await withTaskCancellationHandler {
                started.fire()
                await cancelled.wait()
            } onCancel: {
                cancelled.fire()
            }
            defer { returned.fire() }
            return 1
        })
        let recorder = RecordingSubscriber<Int, Never>()
        publisher.subscribe(recorder)
        await started.wait()
        recorder.cancel()
        await returned.wait()
        #expect(recorder.events == [.subscription("Async")])
        #expect(recorder.violations == [])
    }

    @Test("A subscriber that cancels before its first request starts no work")
    func startsNothingAfterEarlyCancellation() {
        let starts = Counter()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        Operators.Async(executorPreference: InlineExecutor.shared) { starts.increment() }.subscribe(recorder)
        recorder.cancel()
        recorder.request(.unlimited)
        #expect(starts.value == 0)
    }
}
