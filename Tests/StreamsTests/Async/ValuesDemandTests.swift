import Streams
import StreamsTesting
import Testing

/// A source that drops what nobody has asked for is asked for all it has; what follows it, or takes turns with it, is
/// asked for what is awaited.
@Suite("values, subjects and demand", .timeLimit(.minutes(2)))
struct ValuesDemandTests {
    typealias Stream = AnyPublisher<Int, TestError>
    typealias Subject = PassthroughSubject<Int, TestError>

    /// An operator that goes on with another publisher where a subject has ended.
    struct Succession: Sendable, CustomTestStringConvertible {
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

    private static let successions = [
        Succession("append") { $0.append($1).eraseToAnyPublisher() },
        Succession("prepend") { $1.prepend($0).eraseToAnyPublisher() },
        Succession("append, among others") {
            $0.map { $0 }.append(Empty()).prepend(Empty()).append($1.map { $0 }).map { $0 }.eraseToAnyPublisher()
        },
        Succession("append of what appends") { $0.append(Empty().append($1)).eraseToAnyPublisher() },
        Succession("catch", after: .failure(.first)) { first, second in
            first.catch { _ in second }.eraseToAnyPublisher()
        },
        Succession("tryCatch", after: .failure(.first)) { first, second in
            first.tryCatch { _ in second }.mapError { _ in .first }.eraseToAnyPublisher()
        },
        Succession("retry", after: .failure(.first)) { inTurn($0, $1).retry(1).eraseToAnyPublisher() },
        Succession("retry, backing off", after: .failure(.first)) {
            inTurn($0, $1).retry(1, backoff: .constant(.zero), scheduler: ImmediateScheduler.shared)
                .eraseToAnyPublisher()
        },
        Succession("repeat") { inTurn($0, $1).repeat(1).eraseToAnyPublisher() },
        Succession("expand") { first, second in
            first.expand { $0 == 1 ? second : Empty().eraseToAnyPublisher() }.eraseToAnyPublisher()
        },
        Succession("flatMap") { first, second in
            [0].publisher.setFailureType(to: TestError.self).flatMap { _ in first.append(second) }.eraseToAnyPublisher()
        },
        Succession("concatMap") { first, second in
            [first.eraseToAnyPublisher(), second].publisher.setFailureType(to: TestError.self).concatMap { $0 }
                .eraseToAnyPublisher()
        },
        Succession("switchToLatest") { first, second in
            let publishers = CurrentValueSubject<Stream, TestError>(first.eraseToAnyPublisher())
            let replaced = first.handleEvents(receiveCompletion: { _ in publishers.send(second) })
            publishers.send(replaced.eraseToAnyPublisher())
            return publishers.switchToLatest().eraseToAnyPublisher()
        },
    ]

    /// Subscribes to one after the other.
    private static func inTurn(_ first: Subject, _ second: Stream) -> Deferred<Stream> {
        let turns = Counter()
        return Deferred { turns.increment() == 1 ? first.eraseToAnyPublisher() : second }
    }

    @Test("What follows a subject is asked for what is awaited", arguments: successions)
    func succession(_ succession: Succession) async throws {
        let (subject, numbers) = (Subject(), EndlessNumbers())
        var iterator = succession.stream(subject, numbers.stream).values.makeAsyncIterator()
        for value in 1...50 { subject.send(value) }
        subject.send(completion: succession.end)
        for expected in 1...50 { #expect(try await iterator.next() == expected) }
        #expect(numbers.taken <= 2)
        for expected in 0..<5 { #expect(try await iterator.next() == expected) }
        #expect(numbers.taken <= 7)
    }

    @Test("A subject's values that come to nothing make nobody else be asked for more", arguments: successions)
    func cameToNothing(_ succession: Succession) async throws {
        let (subject, numbers) = (Subject(), EndlessNumbers())
        var iterator = succession.stream(subject, numbers.stream).filter { $0 % 10 == 0 }.values.makeAsyncIterator()
        for value in 1...55 { subject.send(value) }
        subject.send(completion: succession.end)
        for expected in 1...5 { #expect(try await iterator.next() == expected * 10) }
        #expect(numbers.taken <= 2)
        for expected in 0..<5 { #expect(try await iterator.next() == expected * 10) }
        #expect(numbers.taken <= 43)
    }

    /// What does not go on asking others for all there is, only because a subject came along.
    private static let holdings: [@Sendable (Stream) -> Stream] = [
        { $0.buffer(size: 1, prefetch: .keepFull, whenFull: .dropNewest).eraseToAnyPublisher() },
        { $0.buffer(size: 1, prefetch: .keepFull, whenFull: .dropOldest).eraseToAnyPublisher() },
        { $0.buffer(size: 1, prefetch: .keepFull, whenFull: .customError { .first }).eraseToAnyPublisher() },
        { $0.limitRate(1).eraseToAnyPublisher() },
        { $0.withLatestFrom(Just(0).setFailureType(to: TestError.self)) { value, _ in value }.eraseToAnyPublisher() },
        { $0.race(with: Empty(completeImmediately: false)).eraseToAnyPublisher() },
        { stream in [0].publisher.setFailureType(to: TestError.self).flatMap { _ in stream }.eraseToAnyPublisher() },
        { stream in Just(0).setFailureType(to: TestError.self).flatMapLatest { _ in stream }.eraseToAnyPublisher() },
    ]

    @Test("A subject loses nothing, and what follows is not asked in place of what is kept", arguments: holdings)
    func holding(_ operation: @Sendable (Stream) -> Stream) async throws {
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
    @Test("The newest publisher is asked for what is awaited, and keeps what it sends unasked")
    func newest() async throws {
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

    @Test("Publishers that replace each other while they send lose nothing of the last one, and stop nobody")
    func replacedWhileSending() async throws {
        for _ in 0..<200 {
            let (publishers, first, last) = (PassthroughSubject<Stream, TestError>(), Subject(), Subject())
            var iterator = publishers.switchToLatest().filter { $0 % 2 == 0 }.values.makeAsyncIterator()
            publishers.send(first.eraseToAnyPublisher())
            await withTaskGroup { group in
                group.addTask { for _ in 0..<20 { first.send(1) } }
                group.addTask { publishers.send(last.eraseToAnyPublisher()) }
            }
            for value in 0..<20 { last.send(value) }
            last.send(completion: .finished)
            publishers.send(completion: .finished)
            var received: [Int] = []
            while let value = try await iterator.next() { received.append(value) }
            #expect(received == Array(stride(from: 0, to: 20, by: 2)))
        }
    }

    @Test("What a buffer holds comes before the failure")
    func bufferBeforeFailure() async {
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
