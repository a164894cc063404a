import StreamsFoundation
import StreamsTesting
import Testing

@Suite("RunLoop and OperationQueue as schedulers", .timeLimit(.minutes(15)))
struct SchedulerTests {
    /// A thread that sleeps in its run loop until it is told to end.
    final class LoopThread: @unchecked Sendable {
        // Safe because a run loop is only handed work here.
        let loop: RunLoop
        private let thread: Thread

        init() {
            let box = Handover<RunLoop>()
            thread = Thread {
                let current = RunLoop.current
                let keepAlive = Timer(timeInterval: 3600, repeats: true) { _ in }
                current.add(keepAlive, forMode: .default)
                box.put(current)
                while !Thread.current.isCancelled { _ = current.run(mode: .default, before: .distantFuture) }
                keepAlive.invalidate()
            }
            thread.start()
            loop = box.take()
        }

        func end() {
            thread.cancel()
            loop.schedule {}
        }
    }

    @Test("A run loop that sleeps in another thread is woken, and delivers in order on its thread")
    func runLoop() async {
        let thread = LoopThread()
        defer { thread.end() }
        let recorder = RecordingSubscriber<Int, Never>()
        (0..<100).publisher.receive(on: thread.loop).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == Array(0..<100))
        #expect(recorder.violations == [])
    }

    @Test("A run loop delivers later, and repeats until it is cancelled")
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

    @Test("An operation queue delivers in order, whether or not it works on several operations at once")
    func operationQueue() async {
        let recorder = RecordingSubscriber<Int, Never>()
        (0..<100).publisher.receive(on: OperationQueue()).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == Array(0..<100))
    }

    @Test("Delayed work is an operation of its queue, which waits for it; repeated work ends with its cancellation")
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
        // Not with a barrier: Foundation's may block its queue for good while an operation of it ends or is cancelled.
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

    @Test("Times of a run loop and of an operation queue are types of their own, which are archived alike")
    func times() throws {
        let kinds: [any Dating.Type] = [RunLoop.SchedulerTimeType.self, OperationQueue.SchedulerTimeType.self]
        #expect(Set(kinds.map { ObjectIdentifier($0) }).count == 2)
        let date = Date(timeIntervalSinceReferenceDate: 10)
        let encoder = JSONEncoder()
        #expect(try encoder.encode(RunLoop.SchedulerTimeType(date)) == Data(#"{"date":10}"#.utf8))
        #expect(try encoder.encode(OperationQueue.SchedulerTimeType(date)) == Data(#"{"date":10}"#.utf8))
        let stride = OperationQueue.SchedulerTimeType.Stride.milliseconds(1500)
        #expect(try encoder.encode(stride) == Data(#"{"magnitude":1.5}"#.utf8))
    }
}

/// What a program may have both kinds of time conform to, as they are different types in Combine.
private protocol Dating {}

extension RunLoop.SchedulerTimeType: Dating {}
extension OperationQueue.SchedulerTimeType: Dating {}

/// Hands one value from a thread to another that waits for it.
final class Handover<Value>: @unchecked Sendable {
    // Safe because the value is written before the signal and read after it.
    private var value: Value?
    private let isThere = DispatchSemaphore(value: 0)

    func put(_ value: Value) {
        self.value = value
        isThere.signal()
    }

    func take() -> Value {
        isThere.wait()
        guard let value else { preconditionFailure("nothing was handed over") }
        return value
    }
}
