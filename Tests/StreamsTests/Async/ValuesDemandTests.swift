import Streams
import StreamsTesting
import Testing

/// A source that drops unrequested values receives an unlimited request. A source that follows it or alternates with it
/// receives requests only for awaited values.
@Suite("values, subjects and demand", .timeLimit(.minutes(2)))
struct ValuesDemandTests {
    typealias Stream = AnyPublisher<Int, TestError>
    typealias Subject = PassthroughSubject<Int, TestError>

    /// An operator that continues with another publisher when a subject has ended.
    struct Continuation: Sendable, CustomTestStringConvertible {
        let name: String
        let end: Subscribers.Completion<TestError>
        let stream: @Sendable (Subject, Stream) -> Stream

        init(
            _ name: String, after end: Subscribers.Completion<TestError> = .finished,
            _ stream: @escaping @Sendable (Subject, Stream) -> Stream
        ) {
            self.name = name
            self.end = end
            self.stream = stream
        }

        var testDescription: String { name }
    }

    private static let continuations = [
        Continuation("append") { $0.append($1).eraseToAnyPublisher() },
        Continuation("prepend") { $1.prepend($0).eraseToAnyPublisher() },
        Continuation("append between other operators") {
            $0.map { $0 }.append(Empty()).prepend(Empty()).append($1.map { $0 }).map { $0 }.eraseToAnyPublisher()
        },
        Continuation("append of a publisher with append") { $0.append(Empty().append($1)).eraseToAnyPublisher() },
        Continuation("catch", after: .failure(.first)) { first, second in
            first.catch { _ in second }.eraseToAnyPublisher()
        },
        Continuation("tryCatch", after: .failure(.first)) { first, second in
            first.tryCatch { _ in second }.mapError { _ in .first }.eraseToAnyPublisher()
        },
        Continuation("retry", after: .failure(.first)) { oneAfterAnother($0, $1).retry(1).eraseToAnyPublisher() },
        Continuation("retry with backoff", after: .failure(.first)) {
            oneAfterAnother($0, $1).retry(1, backoff: .constant(.zero), scheduler: ImmediateScheduler.shared)
                .eraseToAnyPublisher()
        },
        Continuation("repeat") { oneAfterAnother($0, $1).repeat(1).eraseToAnyPublisher() },
        Continuation("expand") { first, second in
            first.expand { $0 == 1 ? second : Empty().eraseToAnyPublisher() }.eraseToAnyPublisher()
        },
        Continuation("flatMap") { first, second in
            [0].publisher.setFailureType(to: TestError.self).flatMap { _ in first.append(second) }.eraseToAnyPublisher()
        },
        Continuation("concatMap") { first, second in
            [first.eraseToAnyPublisher(), second].publisher.setFailureType(to: TestError.self).concatMap { $0 }
                .eraseToAnyPublisher()
        },
        Continuation("switchToLatest") { first, second in
            let publishers = CurrentValueSubject<Stream, TestError>(first.eraseToAnyPublisher())
            let replaced = first.handleEvents(receiveCompletion: { _ in publishers.send(second) })
            publishers.send(replaced.eraseToAnyPublisher())
            return publishers.switchToLatest().eraseToAnyPublisher()
        },
    ]

    /// Resubscriptions a publisher whose first subscription is to a subject, and each later one to another publisher.
    private static func oneAfterAnother(_ first: Subject, _ second: Stream) -> Deferred<Stream> {
        let subscriptions = Counter()
        return Deferred { subscriptions.increment() == 1 ? first.eraseToAnyPublisher() : second }
    }

    @Test("A publisher after a subject receives requests only for awaited values", arguments: continuations)
    func requestsOnlyAwaitedValuesAfterASubject(_ continuation: Continuation) async throws {
        let (subject, numbers) = (Subject(), EndlessNumbers())
        var iterator = continuation.stream(subject, numbers.stream).values.makeAsyncIterator()
        for value in 1...50 { subject.send(value) }
        subject.send(completion: continuation.end)
        for expected in 1...50 { #expect(try await iterator.next() == expected) }
        #expect(numbers.taken <= 2)
        for expected in 0..<5 { #expect(try await iterator.next() == expected) }
        #expect(numbers.taken <= 7)
    }

    @Test("Filtered values of a subject add no demand on the next publisher", arguments: continuations)
    func filteredValuesAddNoDemand(_ continuation: Continuation) async throws {
        let (subject, numbers) = (Subject(), EndlessNumbers())
        var iterator = continuation.stream(subject, numbers.stream).filter { $0 % 10 == 0 }.values.makeAsyncIterator()
        for value in 1...55 { subject.send(value) }
        subject.send(completion: continuation.end)
        for expected in 1...5 { #expect(try await iterator.next() == expected * 10) }
        #expect(numbers.taken <= 2)
        for expected in 0..<5 { #expect(try await iterator.next() == expected * 10) }
        #expect(numbers.taken <= 43)
    }

    /// The operators that do not extend a subject's unlimited request to its successors.
    private static let boundedOperators: [@Sendable (Stream) -> Stream] = [
        { $0.buffer(size: 1, prefetch: .keepFull, whenFull: .dropNewest).eraseToAnyPublisher() },
        { $0.buffer(size: 1, prefetch: .keepFull, whenFull: .dropOldest).eraseToAnyPublisher() },
        { $0.buffer(size: 1, prefetch: .keepFull, whenFull: .customError { .first }).eraseToAnyPublisher() },
        { $0.limitRate(1).eraseToAnyPublisher() },
        { $0.withLatestFrom(Just(0).setFailureType(to: TestError.self)) { value, _ in value }.eraseToAnyPublisher() },
        { $0.race(with: Empty(completeImmediately: false)).eraseToAnyPublisher() },
        { stream in [0].publisher.setFailureType(to: TestError.self).flatMap { _ in stream }.eraseToAnyPublisher() },
        { stream in Just(0).setFailureType(to: TestError.self).flatMapLatest { _ in stream }.eraseToAnyPublisher() },
    ]

    @Test(
        "A subject loses nothing, and its buffered values add no demand on the next publisher",
        arguments: boundedOperators)
    func bufferedValuesAddNoDemand(_ operation: @Sendable (Stream) -> Stream) async throws {
        let (subject, numbers) = (Subject(), EndlessNumbers())
        let late = (-3..<0).publisher.setFailureType(to: TestError.self).append(subject).append(numbers.stream)
        var iterator = operation(late.eraseToAnyPublisher()).values.makeAsyncIterator()
        for expected in -3..<0 { #expect(try await iterator.next() == expected) }
        for value in 1...50 { subject.send(value) }
        subject.send(completion: .finished)
        for expected in 1...50 { #expect(try await iterator.next() == expected) }
        for expected in 0..<5 { #expect(try await iterator.next() == expected) }
        #expect(numbers.taken <= 7)
    }
}

extension ValuesDemandTests {
    @Test("switchToLatest requests awaited values and buffers unrequested ones")
    func switchToLatestRequestsAwaitedValues() async throws {
        let (publishers, subject, numbers) = (PassthroughSubject<Stream, TestError>(), Subject(), EndlessNumbers())
        var iterator = publishers.switchToLatest().values.makeAsyncIterator()
        publishers.send(numbers.stream)
        #expect(numbers.taken <= 1)
        for expected in 0..<3 { #expect(try await iterator.next() == expected) }
        publishers.send(subject.eraseToAnyPublisher())
        for value in 1...10 { subject.send(-value) }
        publishers.send(numbers.stream)
        subject.send(-11)
        #expect(numbers.taken <= 5)
        for expected in 1...10 { #expect(try await iterator.next() == -expected) }
        for expected in 0..<3 { #expect(try await iterator.next() == expected) }
        #expect(numbers.taken <= 8)
        publishers.send(subject.eraseToAnyPublisher())
        subject.send(100)
        #expect(try await iterator.next() == 100)
    }

    @Test("Publishers replaced while they send lose no value of the last publisher")
    func replacementLosesNoValueOfTheLastPublisher() async throws {
        for _ in 0..<200 {
            let (publishers, first, last) = (PassthroughSubject<Stream, TestError>(), Subject(), Subject())
            var iterator = publishers.switchToLatest().filter { $0 % 2 == 0 }.values.makeAsyncIterator()
            publishers.send(first.eraseToAnyPublisher())
            // On threads of their own: tasks would wait for those that all tests share.
            concurrently(2) { index in
                if index == 0 { publishers.send(last.eraseToAnyPublisher()) }
                for _ in 0..<20 where index == 1 { first.send(1) }
            }
            for value in 0..<20 { last.send(value) }
            last.send(completion: .finished)
            publishers.send(completion: .finished)
            var received: [Int] = []
            while let value = try await iterator.next() { received.append(value) }
            #expect(received == Array(stride(from: 0, to: 20, by: 2)))
        }
    }

    @Test("Buffered values are delivered before the failure")
    func deliversBufferedValuesBeforeTheFailure() async {
        let subject = Subject()
        let late = (0..<3).publisher.setFailureType(to: TestError.self).append(subject)
        let buffer = late.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest)
        var iterator = buffer.values.makeAsyncIterator()
        var received: [Int] = []
        await #expect(throws: TestError.first) {
            while let value = try await iterator.next() {
                received.append(value)
                guard value == 2 else { continue }
                for value in 3..<8 { subject.send(value) }
                subject.send(completion: .failure(.first))
            }
        }
        #expect(received == Array(0..<8))
    }
}

extension EndlessNumbers {
    fileprivate var stream: ValuesDemandTests.Stream {
        publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    }
}
