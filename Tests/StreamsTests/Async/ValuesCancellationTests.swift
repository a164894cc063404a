import Streams
import StreamsTesting
import Testing

@Suite("values: cancellation and several tasks", .timeLimit(.minutes(15)))
struct ValuesCancellationTests {
    typealias Source<Failure: Error> = ProbePublisher<Int, Failure>

    /// Iterators are not `Sendable`: sharing one between tasks is what is tried out here.
    struct Shared<Iterator>: @unchecked Sendable {
        // Safe because the iterator's own state is behind a lock.
        let iterator: Iterator
    }

    @Test("Cancelling the task that waits cancels the subscription, and it gets nil")
    func waiting() async {
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

    @Test("A cancelled task gets nothing more, not even what is there already")
    func dropsWhatIsKept() async {
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

    @Test("A value that comes while the subscription is being cancelled is dropped")
    func silence() async {
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

    @Test("Several tasks may wait for one iterator: each gets a value, and the end")
    func severalTasks() async {
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

    @Test("Several tasks share all values of a source that waits for demand")
    func sharedSequence() async {
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

    @Test("Cancelling at random moments ends every task and every subscription")
    func randomMoments() async {
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

    @Test("Values that are kept are released with the iterator")
    func releasesValues() async {
        let subject = PassthroughSubject<Parcel, Never>()
        var iterator: AsyncPublisher<PassthroughSubject<Parcel, Never>>.Iterator? = subject.values.makeAsyncIterator()
        weak var parcel: Parcel?
        do {
            let sent = Parcel()
            parcel = sent
            subject.send(sent)
        }
        withExtendedLifetime(iterator) {}
        #expect(parcel != nil)
        iterator = nil
        withExtendedLifetime(iterator) {}
        #expect(parcel == nil)
        withExtendedLifetime(subject) {}
    }
}

/// A value whose life can be followed.
private final class Parcel: Sendable {}
