import StreamsFoundation
import StreamsTesting
import Testing

@Suite("RunLoop and OperationQueue as schedulers", .timeLimit(.minutes(15)))
struct SchedulerTests {
    /// A thread that runs its run loop until `end()` is called.
    final class LoopThread: @unchecked Sendable {
        // Safe because the run loop is only used to schedule actions.
        let loop: RunLoop
        private let thread: Thread

        init() {
            let promise = BlockingPromise<RunLoop>()
            thread = Thread {
                let current = RunLoop.current
                let keepAlive = Timer(timeInterval: 3600, repeats: true) { _ in }
                current.add(keepAlive, forMode: .default)
                promise.fulfill(current)
                while !Thread.current.isCancelled { _ = current.run(mode: .default, before: .distantFuture) }
                keepAlive.invalidate()
            }
            thread.start()
            loop = promise.wait()
        }

        func end() {
            thread.cancel()
            loop.schedule {}
        }
    }

    @Test("A run loop on another thread wakes up and delivers in order")
    func runLoop() async {
        let thread = LoopThread()
        defer { thread.end() }
        let recorder = RecordingSubscriber<Int, Never>()
        (0..<100).publisher.receive(on: thread.loop).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == Array(0..<100))
        #expect(recorder.violations == [])
    }

    @Test("A run loop delays actions, and repeats them until the cancellation")
    func runLoopTimers() async {
        let thread = LoopThread()
        defer { thread.end() }
        let recorder = RecordingSubscriber<Int, Never>()
        Just(1).delay(for: .milliseconds(20), scheduler: thread.loop).subscribe(recorder)
        let ticks = PassthroughSubject<Int, Never>()
        let repeated = RecordingSubscriber<Int, Never>()
        ticks.prefix(3).subscribe(repeated)
        let work = thread.loop.schedule(after: thread.loop.now, interval: .milliseconds(5)) { ticks.send(0) }
        #expect(await recorder.wait())
        #expect(await repeated.wait())
        work.cancel()
        #expect(repeated.values == [0, 0, 0])
    }

    // Nothing runs the main run loop of the test process, whose main function is asynchronous.
    @Test("The main run loop delivers in order, delays and repeats in a program with an asynchronous main function")
    func mainRunLoop() async {
        let recorder = RecordingSubscriber<Int, Never>()
        (0..<100).publisher.receive(on: RunLoop.main).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == Array(0..<100))
        let delayed = RecordingSubscriber<Bool, Never>()
        Just(()).delay(for: .milliseconds(20), scheduler: RunLoop.main).map { dispatchPreconditionHolds() }
            .subscribe(delayed)
        #expect(await delayed.wait())
        #expect(delayed.values == [true])
        let ticks = PassthroughSubject<Int, Never>()
        let repeated = RecordingSubscriber<Int, Never>()
        ticks.prefix(3).subscribe(repeated)
        let work = RunLoop.main.schedule(after: RunLoop.main.now, interval: .milliseconds(5)) { ticks.send(0) }
        #expect(await repeated.wait())
        work.cancel()
    }

    @Test("A concurrent operation queue delivers in order")
    func operationQueue() async {
        let recorder = RecordingSubscriber<Int, Never>()
        (0..<100).publisher.receive(on: OperationQueue()).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == Array(0..<100))
    }

    @Test("A delayed action is an operation of its queue, and a repeated action ends with its cancellation")
    func operationQueueTimers() async {
        let queue = OperationQueue()
        let recorder = RecordingSubscriber<Int, Never>()
        Just(1).delay(for: .milliseconds(20), scheduler: queue).subscribe(recorder)
        #expect(queue.operationCount == 1)
        #expect(await recorder.wait())
        let ticks = PassthroughSubject<Int, Never>()
        let repeated = RecordingSubscriber<Int, Never>()
        ticks.prefix(3).subscribe(repeated)
        let work = queue.schedule(after: queue.now, interval: .milliseconds(5)) { ticks.send(0) }
        #expect(await repeated.wait())
        work.cancel()
        // A barrier of Foundation may block its queue forever while an operation ends or is cancelled.
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                queue.waitUntilAllOperationsAreFinished()
                done.resume()
            }
        }
        #expect(queue.operationCount <= 1)
    }

    @Test("Durations are seconds")
    func durations() {
        #expect(RunLoop.SchedulerTimeType.Stride.milliseconds(2).timeInterval == 0.002)
        #expect(OperationQueue.SchedulerTimeType.Stride.nanoseconds(2).timeInterval == 2e-9)
        #expect((1.5 as RunLoop.SchedulerTimeType.Stride) + .seconds(2) == .seconds(3.5))
        let start = RunLoop.SchedulerTimeType(Date(timeIntervalSinceReferenceDate: 10))
        #expect(start.distance(to: start.advanced(by: .seconds(-3))) == .seconds(-3))
    }

    @Test("Run loops and operation queues have different types of time with the same encoding")
    func times() throws {
        let kinds: [any SchedulerDate.Type] = [RunLoop.SchedulerTimeType.self, OperationQueue.SchedulerTimeType.self]
        #expect(Set(kinds.map { ObjectIdentifier($0) }).count == 2)
        let date = Date(timeIntervalSinceReferenceDate: 10)
        let encoder = JSONEncoder()
        #expect(try encoder.encode(RunLoop.SchedulerTimeType(date)) == Data(#"{"date":10}"#.utf8))
        #expect(try encoder.encode(OperationQueue.SchedulerTimeType(date)) == Data(#"{"date":10}"#.utf8))
        let stride = OperationQueue.SchedulerTimeType.Stride.milliseconds(1500)
        #expect(try encoder.encode(stride) == Data(#"{"magnitude":1.5}"#.utf8))
    }
}

/// Returns true on the main queue, and stops the program elsewhere.
private func dispatchPreconditionHolds() -> Bool {
    dispatchPrecondition(condition: .onQueue(.main))
    return true
}

/// A protocol that a program may conform both types of time to, as in Combine.
private protocol SchedulerDate {}

extension RunLoop.SchedulerTimeType: SchedulerDate {}
extension OperationQueue.SchedulerTimeType: SchedulerDate {}

/// A value that one thread sets and another thread waits for.
final class BlockingPromise<Value>: @unchecked Sendable {
    // Safe because the value is written before the signal and read after it.
    private var value: Value?
    private let isSet = DispatchSemaphore(value: 0)

    func fulfill(_ value: Value) {
        self.value = value
        isSet.signal()
    }

    func wait() -> Value {
        isSet.wait()
        guard let value else { preconditionFailure("the promise has no value") }
        return value
    }
}
