import Streams
import StreamsTesting
import Testing

@Suite("values: cancellation and several tasks", .timeLimit(.minutes(15)))
struct ValuesCancellationTests {
    typealias Source<Failure: Error> = ProbePublisher<Int, Failure>

    /// A wrapper that shares an iterator between tasks, although iterators are not `Sendable`.
    struct Shared<Iterator>: @unchecked Sendable {
        // Safe because a lock guards the iterator's state.
        let iterator: Iterator
    }

    @Test("Cancelling the waiting task cancels the subscription and returns nil")
    func cancelsAWaitingTask() async {
        let requested = CountdownLatch()
        let source = Source<Never>(retention: .always, onRequest: { _, _ in requested.fire() })
        let task = Task {
            var iterator = source.values.makeAsyncIterator()
            let first = await iterator.next()
            let second = await iterator.next()
            return [first, second]
        }
        await requested.wait()
        task.cancel()
        #expect(await task.value == [nil, nil])
        #expect(source.commands == [[.request(.max(1)), .cancel]])
    }

    @Test("A cancelled task receives nil, even if values are buffered")
    func cancellationDropsBufferedValues() async {
        let subject = PassthroughSubject<Int, Never>()
        let task = Task {
            var iterator = subject.values.makeAsyncIterator()
            subject.send(1)
            subject.send(2)
            let first = await iterator.next()
            withUnsafeCurrentTask { $0?.cancel() }
            let second = await iterator.next()
            return [first, second]
        }
        #expect(await task.value == [1, nil])
    }

    @Test("Signals after the cancellation are dropped")
    func dropsSignalsAfterCancellation() async {
        let source = Source<TestError>(retention: .always)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = source.values.makeAsyncIterator()
            return try await iterator.next()
        }
        let result = await task.result
        source.send(1)
        source.send(completion: .failure(.first))
        #expect(throws: Never.self) { try result.get() == nil }
        #expect(source.commands == [[.cancel]])
    }

    @Test("Several tasks that wait for one iterator receive a value or the end each")
    func servesSeveralWaitingTasks() async {
        let requested = CountdownLatch(count: 3)
        let source = Source<Never>(retention: .always, onRequest: { _, _ in requested.fire() })
        let shared = Shared(iterator: source.values.makeAsyncIterator())
        let received = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var iterator = shared.iterator
                    return await iterator.next()
                }
            }
            await requested.wait()
            source.send(1)
            source.send(2)
            source.send(completion: .finished)
            return await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        #expect(received.compactMap(\.self).sorted() == [1, 2])
        #expect(received.count == 3)
        #expect(source.commands == [Array(repeating: .request(.max(1)), count: 3)])
    }

    @Test("Several tasks share all values of a source that obeys demand")
    func severalTasksShareAllValues() async {
        let shared = Shared(iterator: (0..<10_000).publisher.values.makeAsyncIterator())
        let received = await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var iterator = shared.iterator
                    var values: [Int] = []
                    while let value = await iterator.next() { values.append(value) }
                    return values
                }
            }
            return await group.reduce(into: [Int]()) { $0 += $1 }
        }
        #expect(received.sorted() == Array(0..<10_000))
    }

    @Test("Cancellation at any moment ends the task")
    func cancellationEndsTheTaskAtAnyMoment() async {
        for round in 0..<500 {
            let subject = PassthroughSubject<Int, Never>()
            let task = Task {
                var count = 0
                for await _ in subject.values { count += 1 }
                return count
            }
            let sending = Task { for value in 0..<round { subject.send(value) } }
            if round.isMultiple(of: 2) { await Task.yield() }
            task.cancel()
            #expect(await task.value <= round)
            await sending.value
        }
    }

    @Test("Releasing the iterator releases buffered values")
    func releasesBufferedValues() async {
        let subject = PassthroughSubject<Payload, Never>()
        var iterator: AsyncPublisher<PassthroughSubject<Payload, Never>>.Iterator? = subject.values.makeAsyncIterator()
        weak var payload: Payload?
        do {
            let sent = Payload()
            payload = sent
            subject.send(sent)
        }
        withExtendedLifetime(iterator) {}
        #expect(payload != nil)
        iterator = nil
        withExtendedLifetime(iterator) {}
        #expect(payload == nil)
        withExtendedLifetime(subject) {}
    }
}

/// A value with a reference that tests its release.
private final class Payload: Sendable {}
