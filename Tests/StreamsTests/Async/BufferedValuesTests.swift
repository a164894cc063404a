import Streams
import StreamsTesting
import Testing

@Suite("bufferedValues", .timeLimit(.minutes(15))) struct BufferedValuesTests {
    typealias Strategy = Publishers.BufferingStrategy<LawError>

    @Test("Values that a subject sends before another task iterates are delivered there")
    func subscribesAtOnce() async throws {
        let subject = PassthroughSubject<Int, Never>()
        let values = subject.bufferedValues(size: 10, whenFull: .dropNewest)
        for value in 1...3 { subject.send(value) }
        let task = Task {
            var received: [Int] = []
            for await value in values { received.append(value) }
            return received
        }
        subject.send(4)
        subject.send(completion: .finished)
        #expect(await task.value == [1, 2, 3, 4])
    }

    /// Returns what a sequence delivers of five values that a subject sends before a failure, and the failure.
    private func received(_ whenFull: Strategy, size: Int = 2) async throws -> [String] {
        let subject = IntSubject()
        var iterator = subject.bufferedValues(size: size, whenFull: whenFull).makeAsyncIterator()
        for value in 1...5 { subject.send(value) }
        subject.send(completion: .failure(.failed))
        return try await Self.rest(of: &iterator)
    }

    /// Returns the values and the failure that are left.
    private static func rest(of iterator: inout AsyncBufferedValues<Int, LawError>.Iterator) async throws -> [String] {
        var rest: [String] = []
        do throws(LawError) {
            while let value = try await iterator.next() { rest.append("\(value)") }
        } catch {
            rest.append("\(error)")
        }
        #expect(try await iterator.next() == nil)
        return rest
    }

    @Test("The strategy decides which values of a subject are buffered, and the failure follows them, once")
    func buffersByStrategy() async throws {
        #expect(try await received(.dropNewest) == ["1", "2", "failed"])
        #expect(try await received(.dropOldest) == ["4", "5", "failed"])
        #expect(try await received(.customError { .other }) == ["1", "2", "other"])
        #expect(try await received(.dropNewest, size: 10) == ["1", "2", "3", "4", "5", "failed"])
        #expect(try await received(.dropOldest, size: 0) == ["failed"])
        #expect(try await received(.dropNewest, size: -1) == ["failed"])
    }

    @Test("A full buffer that fails cancels the upstream")
    func overflowCancels() async throws {
        let probe = IntProbe(retention: .always)
        var iterator = probe.bufferedValues(size: 1, whenFull: .customError { .other }).makeAsyncIterator()
        probe.send(1)
        #expect(probe.cancellations == 0)
        probe.send(2)
        #expect(probe.cancellations == 1)
        probe.send(3)
        #expect(try await Self.rest(of: &iterator) == ["1", "other"])
    }

    @Test("The error closure, and a dropped value that is released, may use the stream on other threads")
    func callsNothingUnderTheLock() {
        let calls = Counter()
        let full = ProbePublisher<Payload?, LawError>(retention: .always)
        let failing = full.bufferedValues(
            size: 1,
            whenFull: .customError {
                if calls.increment() == 1 { onAnotherThread { full.send(nil) } }
                return .other
            })
        full.send(nil)
        full.send(nil)
        #expect(calls.value == 2)

        let releases = Counter()
        let probe = ProbePublisher<Payload?, LawError>(retention: .always)
        let newest = probe.bufferedValues(size: 1, whenFull: .dropOldest)
        probe.send(
            Payload {
                releases.increment()
                onAnotherThread { probe.send(nil) }
            })
        probe.send(nil)
        #expect(releases.value == 1)
        withExtendedLifetime((failing, newest)) {}
    }

    @Test("A source that obeys demand is asked for what the buffer holds and for what is awaited")
    func requestsWhatFits() async throws {
        let requested = CountdownLatch(count: 4)
        let probe = ProbePublisher<Int, Never>(onRequest: { _, _ in requested.fire() })
        let values = probe.bufferedValues(size: 3, whenFull: .dropNewest)
        var iterator = values.makeAsyncIterator()
        #expect(probe.requests == [.max(3)])
        probe.send(1)
        probe.send(2)
        #expect(probe.requests == [.max(3)])
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == 2)
        #expect(probe.requests == [.max(3), .max(1), .max(1)])
        let task = Task {
            var iterator = values.makeAsyncIterator()
            return await iterator.next()
        }
        await requested.wait()
        #expect(probe.requests == [.max(3), .max(1), .max(1), .max(1)])
        for value in 3...6 { probe.send(value) }
        #expect(await task.value == 3)
        for value in 4...6 { #expect(await iterator.next() == value) }
        #expect(probe.requests.reduce(Subscribers.Demand.none, +) == .max(9))
    }

    @Test("A source that emits inside its requests fills the buffer at once, and loses nothing", arguments: [0, 1, 16])
    func fillsTheBuffer(_ size: Int) async {
        let numbers = EndlessNumbers()
        let source: ProbePublisher<Int, Never> = numbers.probe()
        var iterator = source.bufferedValues(size: size, whenFull: .dropNewest).makeAsyncIterator()
        #expect(numbers.taken == size)
        for value in 0..<100 {
            #expect(await iterator.next() == value)
            #expect(numbers.taken <= value + 1 + size)
        }
    }

    @Test("The largest size overflows no count")
    func takesTheLargestSize() async {
        let probe = ProbePublisher<Int, Never>()
        let values = probe.bufferedValues(size: .max, whenFull: .dropNewest)
        let waiting = Task(executorPreference: InlineExecutor.shared) {
            var iterator = values.makeAsyncIterator()
            return await iterator.next()
        }
        probe.send(1)
        #expect(await waiting.value == 1)
        waiting.cancel()
    }

    @Test("Releasing the sequence and its iterators cancels and releases the values")
    func releasingCancels() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<LifetimeToken, Never>()
        do {
            let iterator: AsyncBufferedValues<LifetimeToken, Never>.Iterator
            do {
                let values = probe.bufferedValues(size: 2, whenFull: .dropNewest)
                probe.send(lifetimes.token("value"))
                iterator = values.makeAsyncIterator()
            }
            #expect(probe.cancellations == 0)
            #expect(lifetimes.alive == ["value"])
            withExtendedLifetime(iterator) {}
        }
        #expect(probe.cancellations == 1)
        #expect(lifetimes.alive == [])
    }

    @Test("A cancelled task ends the sequence and cancels the upstream")
    func cancellingTheTaskCancels() async {
        let probe = ProbePublisher<Int, Never>()
        let values = probe.bufferedValues(size: 2, whenFull: .dropNewest)
        probe.send(1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = values.makeAsyncIterator()
            return await iterator.next()
        }
        #expect(await task.value == nil)
        #expect(probe.cancellations == 1)

        let representable = PassthroughSubject<Int, Cancelled>()
        let throwing = representable.bufferedValues(size: 2, whenFull: .dropNewest)
        let waiting = Task {
            var iterator = throwing.makeAsyncIterator()
            return try await iterator.next()
        }
        waiting.cancel()
        await #expect(throws: Cancelled.self) { try await waiting.value }
    }

    @Test("Several tasks share all values of a source that obeys demand")
    func severalTasksShareAllValues() async {
        let values = (0..<10_000).publisher.bufferedValues(size: 7, whenFull: .dropNewest)
        let received = await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var received: [Int] = []
                    for await value in values { received.append(value) }
                    return received
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(received.sorted() == Array(0..<10_000))
    }

    @Test("Values of concurrent senders keep each sender's order", arguments: [4, 10_000])
    func keepsTheOrderOfConcurrentSenders(_ size: Int) async {
        let subject = PassthroughSubject<Int, Never>()
        let values = subject.bufferedValues(size: size, whenFull: .dropOldest)
        let task = Task {
            var received: [Int] = []
            for await value in values { received.append(value) }
            return received
        }
        concurrently(4) { thread in
            for step in 0..<500 { subject.send(thread * 1000 + step) }
        }
        subject.send(-1)
        subject.send(completion: .finished)
        let received = await task.value
        #expect(received.last == -1)
        for thread in 0..<4 {
            let steps = received.dropLast().filter { $0 / 1000 == thread }
            #expect(steps == steps.sorted())
            if size == 10_000 { #expect(steps.count == 500) }
        }
    }
}

private struct Cancelled: CancellationRepresentable {
    static let cancellation = Cancelled()
}

/// A value that calls a closure when it is released.
private final class Payload: Sendable {
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }
}
