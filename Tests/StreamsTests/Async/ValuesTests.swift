import Streams
import StreamsTesting
import Testing

@Suite("values", .timeLimit(.minutes(15)))
struct ValuesTests {
    typealias Source<Failure: Error> = ProbePublisher<Int, Failure>

    @Test("All values of a sequence are delivered in order, then nil")
    func deliversAllValuesThenNil() async {
        var iterator = (1...1000).publisher.values.makeAsyncIterator()
        var received: [Int] = []
        while let value = await iterator.next() { received.append(value) }
        #expect(received == Array(1...1000))
        #expect(await iterator.next() == nil)
    }

    @Test("A failure is thrown once, after the values")
    func throwsTheFailureOnce() async {
        let subject = PassthroughSubject<Int, TestError>()
        var iterator = subject.values.makeAsyncIterator()
        subject.send(1)
        subject.send(completion: .failure(.first))
        do throws(TestError) {
            #expect(try await iterator.next() == 1)
            _ = try await iterator.next()
            Issue.record("the failure is missing")
        } catch {
            #expect(error == .first)
        }
        await #expect(throws: Never.self) { try await iterator.next() == nil }
    }

    @Test("A loop throws the publisher's failure")
    func loopThrowsTheFailure() async {
        let publisher = Fail<Int, TestError>(error: .first)
        do {
            for try await _ in publisher.values { Issue.record("unexpected value") }
        } catch {
            #expect(error as? TestError == .first)
        }
    }

    @Test("A signal before the subscription ends the sequence")
    func endsOnSignalsBeforeTheSubscription() async {
        let (early, failing) = (
            ProbePublisher<Int, TestError>(sendsSubscription: false),
            ProbePublisher<Int, TestError>(sendsSubscription: false)
        )
        var first = early.values.makeAsyncIterator()
        early.send(1)
        await #expect(throws: Never.self) { try await first.next() == nil }
        var second = failing.values.makeAsyncIterator()
        failing.send(completion: .failure(.first))
        await #expect(throws: TestError.first) { try await second.next() }
        await #expect(throws: Never.self) { try await second.next() == nil }
    }

    @Test("Every iteration subscribes")
    func everyIterationSubscribes() async {
        let values = [1, 2].publisher.values
        for _ in 0..<2 {
            var received: [Int] = []
            for await value in values { received.append(value) }
            #expect(received == [1, 2])
        }
        let source = Source<Never>()
        let sourceValues = source.values
        let first = sourceValues.makeAsyncIterator()
        let second = sourceValues.makeAsyncIterator()
        #expect(source.subscriptionCount == 2)
        withExtendedLifetime((first, second)) {}
    }

    @Test("Awaiting a value requests one value of a source that obeys demand")
    func requestsOneValueAtATime() async {
        let source = Source<Never>(retention: .always, onRequest: { source, _ in source.send(source.requests.count) })
        var iterator = source.values.makeAsyncIterator()
        #expect(source.commands == [[]])
        #expect(await iterator.next() == 1)
        #expect(source.commands == [[.request(.max(1))]])
        #expect(await iterator.next() == 2)
        #expect(source.commands == [[.request(.max(1)), .request(.max(1))]])
    }

    @Test("Values that a subject sends before they are awaited are delivered")
    func losesNoValueOfASubject() async {
        let subject = PassthroughSubject<Int, Never>()
        var iterator = subject.filter { $0 > 0 }.values.makeAsyncIterator()
        for value in 0...100_000 { subject.send(value) }
        subject.send(completion: .finished)
        var expected = 0
        while let value = await iterator.next() {
            expected += 1
            guard value == expected else { break }
        }
        #expect(expected == 100_000)
    }

    @Test("A subject that an operator subscribes to later loses nothing")
    func losesNoValueOfALaterSubject() async {
        let subject = PassthroughSubject<Int, Never>()
        let streams: [AnyPublisher<Int, Never>] = [
            subject.prepend(Empty<Int, Never>()).eraseToAnyPublisher(),
            subject.prepend(Empty<Int, Never>()).filter { $0 > 0 }.eraseToAnyPublisher(),
            [0].publisher.flatMap { _ in subject }.eraseToAnyPublisher(),
            [0].publisher.flatMap(maxPublishers: .max(1)) { _ in subject }.map { $0 }.eraseToAnyPublisher(),
            Fail<Int, TestError>(error: .first).catch { _ in subject }.eraseToAnyPublisher(),
            Deferred { subject }.share().eraseToAnyPublisher(),
            subject.prepend(Empty<Int, Never>()).replaceEmpty(with: 0).eraseToAnyPublisher(),
            subject.prepend(Empty<Int, Never>()).zip((0...1000).publisher) { value, _ in value }.eraseToAnyPublisher(),
        ]
        var iterators = streams.map { $0.values.makeAsyncIterator() }
        for value in 1...100 { subject.send(value) }
        subject.send(completion: .finished)
        for index in iterators.indices {
            var received: [Int] = []
            while let value = await iterators[index].next() { received.append(value) }
            #expect(received == Array(1...100), "stream \(index)")
        }
    }

    @Test("A subject that follows other values loses nothing behind any operator")
    func losesNoValueOfASubjectAfterOtherValues() async {
        let subject = PassthroughSubject<Int, Never>()
        let late = [0].publisher.append(subject)
        let streams: [AnyPublisher<Int, Never>] = [
            late.zip((0...).publisher) { value, _ in value }.eraseToAnyPublisher(),
            late.zip([0].publisher.append(subject)) { value, _ in value }.eraseToAnyPublisher(),
            late.zip([0].publisher.append(subject)) { value, _ in value }.append(101).eraseToAnyPublisher(),
            late.withLatestFrom(Just(0)) { value, _ in value }.eraseToAnyPublisher(),
            late.append(101).eraseToAnyPublisher(),
            late.setFailureType(to: TestError.self).catch { _ in Just(0) }.eraseToAnyPublisher(),
            late.replaceEmpty(with: 0).eraseToAnyPublisher(),
        ]
        var iterators = streams.map { $0.values.makeAsyncIterator() }
        for index in iterators.indices { #expect(await iterators[index].next() == 0, "stream \(index)") }
        for value in 1...100 { subject.send(value) }
        subject.send(completion: .finished)
        for index in iterators.indices {
            var received: [Int] = []
            while let value = await iterators[index].next() { received.append(value) }
            #expect(Array(received.prefix(100)) == Array(1...100), "stream \(index)")
        }
    }

    @Test("A subject subscribed to on a scheduler loses nothing")
    func losesNoValueOnAScheduler() async {
        let scheduler = TestScheduler()
        let subject = PassthroughSubject<Int, Never>()
        let streams: [AnyPublisher<Int, Never>] = [
            subject.subscribe(on: scheduler).dropFirst(1).eraseToAnyPublisher(),
            subject.subscribe(on: scheduler).dropFirst(0).eraseToAnyPublisher(),
            subject.subscribe(on: scheduler).drop(untilOutputFrom: Just(0)).eraseToAnyPublisher(),
            subject.subscribe(on: scheduler).race(with: Empty(completeImmediately: false)).eraseToAnyPublisher(),
        ]
        var iterators = streams.map { $0.values.makeAsyncIterator() }
        // The first advance subscribes, the second requests.
        scheduler.advance()
        scheduler.advance()
        for value in 1...100 { subject.send(value) }
        subject.send(completion: .finished)
        for index in iterators.indices {
            var received: [Int] = []
            while let value = await iterators[index].next() { received.append(value) }
            #expect(received == Array((index == 0 ? 2 : 1)...100), "stream \(index)")
        }
    }

    @Test("A source that an operator subscribes to later receives only requested demand")
    func requestsOnlyAwaitedValuesOfALaterSource() async {
        let source = Source<Never>(retention: .always, onRequest: { source, _ in source.send(source.requests.count) })
        var iterator = source.prepend(Empty<Int, Never>()).flatMap { Just($0) }.values.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        var endless = (0...).publisher.flatMap(maxPublishers: .max(1)) { Just($0) }.values.makeAsyncIterator()
        for expected in 0..<10 { #expect(await endless.next() == expected) }
        var concatenated = (1...).publisher.prepend(0).values.makeAsyncIterator()
        for expected in 0..<10 { #expect(await concatenated.next() == expected) }
        withExtendedLifetime(source) {}
    }

    @Test("A source combined with a subject receives only requested demand")
    func requestsOnlyAwaitedValuesBesideASubject() async {
        let subject = PassthroughSubject<Int, Never>()
        let late = Empty<Int, Never>().append(subject)
        let sources = (0..<5).map { _ in
            Source<Never>(retention: .always, onRequest: { source, _ in source.send(0) })
        }
        let streams: [AnyPublisher<Int, Never>] = [
            subject.zip(sources[0]) { value, _ in value }.eraseToAnyPublisher(),
            sources[1].zip(subject, late) { _, value, _ in value }.eraseToAnyPublisher(),
            sources[2].withLatestFrom(subject) { _, value in value }.eraseToAnyPublisher(),
            sources[3].zip(subject) { _, value in value }.map { $0 }.append(4).eraseToAnyPublisher(),
            PassthroughSubject<Int, Never>().race(with: sources[4]).map { $0 + 1 }.eraseToAnyPublisher(),
        ]
        var iterators = streams.map { $0.values.makeAsyncIterator() }
        for value in 1...3 { subject.send(value) }
        for index in iterators.indices {
            #expect(await iterators[index].next() == (index == 2 ? 3 : 1), "stream \(index)")
            #expect(sources[index].commands == [[.request(.max(1))]], "stream \(index)")
        }
    }

    @Test("Pairs are buffered for an operator that requests a few at a time")
    func buffersPairs() async {
        let subject = PassthroughSubject<Int, Never>()
        let late = [0].publisher.append(subject)
        let pairs = late.zip([0].publisher.append(subject)) { value, _ in value }
        var iterator = pairs.buffer(size: 1, prefetch: .keepFull, whenFull: .dropNewest).values.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        for value in 1...10 { subject.send(value) }
        subject.send(completion: .finished)
        for expected in 1...10 { #expect(await iterator.next() == expected) }
        #expect(await iterator.next() == nil)
    }

    @Test("Complete pairs are delivered before the failure")
    func deliversPairsBeforeTheFailure() async {
        let first = PassthroughSubject<Int, TestError>()
        let second = PassthroughSubject<Int, TestError>()
        var iterator = first.zip(second) { $0 + $1 }.values.makeAsyncIterator()
        for value in 1...3 { first.send(value) }
        for value in 1...4 { second.send(value) }
        first.send(completion: .failure(.first))
        var received: [Int] = []
        await #expect(throws: TestError.first) {
            while let value = try await iterator.next() { received.append(value) }
        }
        #expect(received == [2, 4, 6])
    }

    @Test("The current value is delivered first, then every later one")
    func deliversTheCurrentValueFirst() async {
        let subject = CurrentValueSubject<Int, Never>(0)
        var iterator = subject.values.makeAsyncIterator()
        subject.send(1)
        subject.send(2)
        var received: [Int?] = []
        for _ in 0..<3 { received.append(await iterator.next()) }
        #expect(received == [0, 1, 2])
    }

    @Test("Values sent by another thread are delivered in order")
    func deliversConcurrentSendsInOrder() async {
        let subject = PassthroughSubject<Int, Never>()
        var iterator = subject.values.makeAsyncIterator()
        async let sender: Void = Self.send(20_000, to: subject)
        var received: [Int] = []
        while let value = await iterator.next() { received.append(value) }
        await sender
        #expect(received == Array(0..<20_000))
    }

    @concurrent
    private static func send(_ count: Int, to subject: PassthroughSubject<Int, Never>) async {
        for value in 0..<count { subject.send(value) }
        subject.send(completion: .finished)
    }

    @Test("Releasing the last copy of the iterator cancels the upstream")
    func releasingTheLastCopyCancels() async {
        let source = Source<Never>(retention: .always)
        var iterator: AsyncPublisher<Source<Never>>.Iterator? = source.values.makeAsyncIterator()
        var copy = iterator
        iterator = nil
        #expect(source.commands == [[]])
        withExtendedLifetime(copy) {}
        copy = nil
        #expect(source.commands == [[.cancel]])
        withExtendedLifetime((iterator, copy)) {}
    }

    @Test("Leaving a loop cancels the subscription")
    func leavingALoopCancels() async {
        let source = Source<Never>(retention: .always, onRequest: { source, _ in source.send(1) })
        for await _ in source.values { break }
        #expect(source.commands == [[.request(.max(1)), .cancel]])
    }

    @Test("The completion does not cancel the subscription")
    func completionDoesNotCancel() async {
        let source = Source<TestError>(
            retention: .always, onRequest: { source, _ in source.send(completion: .failure(.first)) })
        var iterator = source.values.makeAsyncIterator()
        await #expect(throws: TestError.first) { try await iterator.next() }
        #expect(source.commands == [[.request(.max(1))]])
    }

    @Test("A second subscription is cancelled, and values after the completion are ignored")
    func ignoresBreachesOfTheContract() async {
        let source = Source<Never>(retention: .always, onRequest: { source, _ in source.send(source.requests.count) })
        let second = Source<Never>(retention: .always)
        var iterator = source.values.makeAsyncIterator()
        var received: [Int?] = [await iterator.next(), await iterator.next()]
        second.subscribe(AnySubscriber(receiveSubscription: { source.send(subscription: $0) }))
        #expect(second.commands == [[.cancel]])
        source.send(completion: .finished)
        source.send(3)
        received.append(await iterator.next())
        #expect(received == [1, 2, nil])
    }

    @Test("An unrequested value is kept")
    func keepsAnUnrequestedValue() async {
        let source = Source<Never>()
        var iterator = source.values.makeAsyncIterator()
        source.send(1)
        source.send(completion: .finished)
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == nil)
    }
}
