import Streams
import StreamsTesting
import Testing

/// Publishers that say what they deliver, and the operators that deliver it without a subscription.
@Suite struct KnownOutcomeTests {
    typealias Outcome = Result<Int?, TestError>

    private static let publishers: [(name: String, outcome: Outcome?, events: AnyPublisher<Int, TestError>)] = [
        entry("Just", Just(1).setFailureType(to: TestError.self)),
        entry("Optional", Optional(1).publisher.setFailureType(to: TestError.self)),
        entry("Optional, nil", Optional<Int>.none.publisher.setFailureType(to: TestError.self)),
        entry("Result", Result<Int, TestError>.success(1).publisher),
        entry("Result, failure", Result<Int, TestError>.failure(.first).publisher),
        entry("Empty", Empty<Int, TestError>()),
        entry("Empty, without an end", Empty<Int, TestError>(completeImmediately: false)),
        entry("Fail", Fail<Int, TestError>(error: .first)),
        entry("another one", [1].publisher.setFailureType(to: TestError.self)),
    ]

    private static func entry<P: Publisher<Int, TestError>>(
        _ name: String, _ publisher: P
    ) -> (String, Outcome?, AnyPublisher<Int, TestError>) {
        (name, publisher._knownOutcome, publisher.eraseToAnyPublisher())
    }

    @Test func whatIsKnownIsDelivered() {
        for (name, outcome, publisher) in Self.publishers {
            let recorder = RecordingSubscriber<Int, TestError>()
            publisher.subscribe(recorder)
            switch outcome {
            case .success(let value?): #expect(recorder.events.dropFirst() == [.value(value), .finished], "\(name)")
            case .success(nil): #expect(recorder.events.dropFirst() == [.finished], "\(name)")
            case .failure(let error): #expect(recorder.events.dropFirst() == [.failure(error)], "\(name)")
            case nil: #expect(["Empty, without an end", "another one"].contains(name))
            }
        }
    }

    /// The same as by subscriptions, for any mixture of publishers and any demand.
    @Test func flatMapDeliversTheSame() {
        let random = SeededRandom()
        for _ in 0..<500 {
            let (inners, demands) = Self.script(random)
            let limit = [Subscribers.Demand.unlimited, .max(1), .max(2)][random.pick(0...2)]
            let known = Self.events(demands, of: inners) { $0.flatMap(maxPublishers: limit) { $0 } }
            let subscribed = Self.events(demands, of: inners) {
                $0.flatMap(maxPublishers: limit) { $0.eraseToAnyPublisher() }
            }
            #expect(known == subscribed, "\(random)")
        }
    }

    @Test func switchToLatestDeliversTheSame() {
        let random = SeededRandom()
        for _ in 0..<500 {
            let (inners, demands) = Self.script(random)
            let known = Self.events(demands, of: inners) { $0.switchToLatest() }
            let subscribed = Self.events(demands, of: inners) { $0.map { $0.eraseToAnyPublisher() }.switchToLatest() }
            #expect(known == subscribed, "\(random)")
        }
    }

    @Test func catchDeliversTheSame() {
        let random = SeededRandom()
        for _ in 0..<500 {
            let (inners, demands) = Self.script(random)
            let known = Self.events(demands, of: inners) { publishers in
                publishers.map(\.value).tryMap { if $0 == 6 { throw TestError.first } else { $0 } }
                    .mapError { $0 as? TestError ?? .second }.catch { _ in inners[10] }.catch { _ in inners[11] }
            }
            let subscribed = Self.events(demands, of: inners) { publishers in
                publishers.map(\.value).tryMap { if $0 == 6 { throw TestError.first } else { $0 } }
                    .mapError { $0 as? TestError ?? .second }.catch { _ in inners[10].eraseToAnyPublisher() }
                    .catch { _ in inners[11].eraseToAnyPublisher() }
            }
            #expect(known == subscribed, "\(random)")
        }
    }

    /// Publishers to send, and requests before some of them.
    private static func script(_ random: SeededRandom) -> ([KnownOrNot], [Int: Subscribers.Demand]) {
        let inners = (0..<12).map { KnownOrNot(value: $0, kind: random.pick(0...7)) }
        var demands: [Int: Subscribers.Demand] = [:]
        for _ in 0..<4 { demands[random.pick(0...11)] = .max(random.pick(1...3)) }
        demands[random.pick(0...1) == 0 ? 0 : random.pick(0...11)] = .unlimited
        return (inners, demands)
    }

    /// Sends publishers one after the other, with a request before some of them.
    private static func events<P: Publisher<Int, TestError>>(
        _ demands: [Int: Subscribers.Demand], of inners: [KnownOrNot],
        by flatten: (PassthroughSubject<KnownOrNot, TestError>) -> P
    ) -> [RecordingSubscriber<Int, TestError>.Event] {
        let subject = PassthroughSubject<KnownOrNot, TestError>()
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        flatten(subject).subscribe(recorder)
        for (place, inner) in inners.enumerated() {
            if let demand = demands[place] { recorder.request(demand) }
            subject.send(inner)
        }
        subject.send(completion: .finished)
        recorder.request(.unlimited)
        return recorder.events
    }
}

extension KnownOutcomeTests {
    @Test func switchToLatestCancelsThePreviousPublisherBeforeTheValue() {
        let log = Locked<[String]>([])
        let inner = ProbePublisher<Int, Never>(onCancel: { log.withLock { $0.append("cancelled") } })
        let subject = PassthroughSubject<Either<ProbePublisher<Int, Never>, Just<Int>>, Never>()
        let subscription = subject.switchToLatest().sink { value in log.withLock { $0.append("\(value)") } }
        subject.send(.first(inner))
        inner.send(1)
        subject.send(.second(Just(2)))
        inner.send(3)
        subject.send(.second(Just(4)))
        #expect(log.withLock { $0 } == ["1", "cancelled", "2", "4"])
        subscription.cancel()
        subject.send(.second(Just(5)))
        #expect(log.withLock { $0 }.count == 4)
    }

    @Test func aKnownFailureCancelsEverythingElse() {
        let inner = ProbePublisher<Int, TestError>()
        let outer = ProbePublisher<Either<ProbePublisher<Int, TestError>, Fail<Int, TestError>>, TestError>()
        for flattened in [outer.flatMap { $0 }.eraseToAnyPublisher(), outer.switchToLatest().eraseToAnyPublisher()] {
            let recorder = RecordingSubscriber<Int, TestError>()
            flattened.subscribe(recorder)
            outer.send(.first(inner))
            outer.send(.second(Fail(error: .first)))
            #expect(recorder.completion == .failure(.first))
            #expect(inner.commands.last?.last == .cancel && outer.commands.last?.last == .cancel)
        }
    }

    @Test func cancellingInsideAKnownValueEndsTheStream() {
        let subject = PassthroughSubject<Int, Never>()
        for flattened in [
            subject.flatMap { Just($0) }.eraseToAnyPublisher(),
            subject.map { Just($0) }.switchToLatest().eraseToAnyPublisher(),
            subject.tryMap { _ -> Int in throw TestError.first }.catch { _ in Just(1) }.eraseToAnyPublisher(),
        ] {
            let token = Locked<AnyCancellable?>(nil)
            let count = Locked(0)
            let subscription = flattened.sink { _ in
                count.withLock { $0 += 1 }
                token.withLock { $0.take() }?.cancel()
            }
            token.withLock { $0 = subscription }
            subject.send(1)
            subject.send(2)
            #expect(count.withLock { $0 } == 1)
        }
    }

    /// A value that is sent while a known value is delivered comes after it.
    @Test func nestedKnownValuesComeInOrder() {
        let subject = PassthroughSubject<Int, Never>()
        for flattened in [
            subject.flatMap { Just($0) }.eraseToAnyPublisher(),
            subject.map { Just($0) }.switchToLatest().eraseToAnyPublisher(),
        ] {
            let values = Locked<[Int]>([])
            let subscription = flattened.sink { value in
                if value < 3 { subject.send(value + 1) }
                values.withLock { $0.append(value) }
            }
            subject.send(0)
            #expect(values.withLock { $0 } == [0, 1, 2, 3])
            subscription.cancel()
        }
    }
}

/// One of the publishers above, or one that is subscribed to.
private struct KnownOrNot: Publisher {
    typealias Output = Int
    typealias Failure = TestError

    let value: Int
    let kind: Int

    private var publisher: AnyPublisher<Int, TestError> {
        switch kind {
        case 0: Empty().eraseToAnyPublisher()
        case 1 where value > 8: Fail(error: value.isMultiple(of: 2) ? .first : .second).eraseToAnyPublisher()
        case 2...3:
            [value, value + 100, value + 200].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
        default: Just(value).setFailureType(to: TestError.self).eraseToAnyPublisher()
        }
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
        publisher.receive(subscriber: subscriber)
    }

    var _knownOutcome: Result<Int?, TestError>? {
        switch kind {
        case 0: .success(nil)
        case 1 where value > 8: .failure(value.isMultiple(of: 2) ? .first : .second)
        case 2...3: nil
        default: .success(value)
        }
    }
}

private enum Either<First: Publisher, Second: Publisher>: Publisher
where First.Output == Second.Output, First.Failure == Second.Failure {
    typealias Output = First.Output
    typealias Failure = First.Failure

    case first(First)
    case second(Second)

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        switch self {
        case .first(let first): first.receive(subscriber: subscriber)
        case .second(let second): second.receive(subscriber: subscriber)
        }
    }

    var _knownOutcome: Result<Output?, Failure>? {
        switch self {
        case .first(let first): first._knownOutcome
        case .second(let second): second._knownOutcome
        }
    }
}
