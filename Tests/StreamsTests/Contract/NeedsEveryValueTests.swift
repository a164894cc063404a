import Streams
import StreamsTesting
import Synchronization
import Testing

/// Publishers that drop values without demand, and a subscriber that needs every value (rule 8).
@Suite struct NeedsEveryValueTests {
    private typealias Recorder = RecordingSubscriber<Int, TestError>

    /// A recorder that needs every value.
    private struct Keeper<Input>: Subscriber {
        let recorder: RecordingSubscriber<Input, TestError>

        var combineIdentifier: CombineIdentifier { recorder.combineIdentifier }
        var needsEveryValue: Bool { true }

        func receive(subscription: any Subscription) { recorder.receive(subscription: subscription) }
        func receive(_ input: Input) -> Subscribers.Demand { recorder.receive(input) }
        func receive(completion: Subscribers.Completion<TestError>) { recorder.receive(completion: completion) }
    }

    private let subject = PassthroughSubject<Int, TestError>()
    private let clock = TestScheduler()

    private func subscribe(to publisher: some Publisher<Int, TestError>) -> RecordingSubscriber<Int, TestError> {
        let recorder = Recorder(initialDemand: .none)
        publisher.subscribe(Keeper(recorder: recorder))
        return recorder
    }

    private func send(_ values: ClosedRange<Int>) {
        for value in values { subject.send(value) }
    }

    @Test func aSubjectSendsWhatWasNotRequested() {
        let (keeper, other) = (subscribe(to: subject), Recorder(initialDemand: .max(1)))
        subject.subscribe(other)
        send(1...3)
        subject.send(completion: .failure(.first))
        #expect(keeper.events.dropFirst() == [.value(1), .value(2), .value(3), .failure(.first)])
        #expect(other.events.dropFirst() == [.value(1), .failure(.first)])
    }

    @Test func subjectsWithValuesOfTheirOwnBeginWithThose() {
        let current = CurrentValueSubject<Int, TestError>(0)
        let replay = ReplaySubject<Int, TestError>(bufferSize: 2)
        for value in 1...3 { replay.send(value) }
        #expect(subscribe(to: current).values == [0])
        #expect(subscribe(to: replay).values == [2, 3])
    }

    @Test func aSubjectRequestsAllOfItsPublishers() {
        let feed = [1, 2, 3].publisher.setFailureType(to: TestError.self).subscribe(subject)
        let keeper = subscribe(to: subject.map { $0 })
        #expect(keeper.events.dropFirst() == [.value(1), .value(2), .value(3), .finished])
        feed.cancel()
    }

    @Test func operatorsWithATimerSendWhatTheyWouldDrop() {
        let keepers = [
            subscribe(to: subject.debounce(for: .seconds(1), scheduler: clock)),
            subscribe(to: subject.throttle(for: .seconds(1), scheduler: clock, latest: true)),
            subscribe(to: subject.sample(every: .seconds(1), scheduler: clock)),
        ]
        for value in 1...3 {
            subject.send(value)
            clock.advance(by: .seconds(2))
        }
        for keeper in keepers { #expect(keeper.values == [1, 2, 3]) }
    }

    @Test func combinationsAreSent() {
        let keepers = [
            subscribe(to: subject.combineLatest(Just(0).setFailureType(to: TestError.self)).map(\.0)),
            subscribe(to: subject.withLatestFrom(Just(0).setFailureType(to: TestError.self)).map(\.0)),
            subscribe(to: subject.zip(subject).map(\.0)),
            subscribe(to: subject.sample(subject)),
        ]
        send(1...100)
        for (index, keeper) in keepers.enumerated() { #expect(keeper.values == Array(1...100), "\(index)") }
    }

    @Test func aBufferExceedsItsSize() {
        let keepers = [Publishers.PrefetchStrategy.byRequest, .keepFull].map { prefetch in
            subscribe(to: subject.buffer(size: 2, prefetch: prefetch, whenFull: .dropOldest))
        }
        send(1...5)
        subject.send(completion: .failure(.first))
        for keeper in keepers {
            keeper.request(.unlimited)
            #expect(keeper.values == [1, 2, 3, 4, 5])
            #expect(keeper.completion == .failure(.first))
        }
    }

    @Test func operatorsThatCountDemandSendTheRest() {
        let numbers = [0].publisher.setFailureType(to: TestError.self)
        let keepers = [
            subscribe(to: numbers.append(subject)),
            subscribe(to: Fail<Int, TestError>(error: .first).catch { _ in subject }),
            subscribe(to: subject.switchIfEmpty(to: Empty())),
            subscribe(to: Empty().switchIfEmpty(to: subject)),
            subscribe(to: subject.delaySubscription(for: 1, scheduler: ImmediateScheduler.shared)),
            subscribe(to: numbers.flatMap { _ in subject }),
            subscribe(to: numbers.map { _ in subject }.switchToLatest()),
            subscribe(to: subject.retry(1)),
            subscribe(to: subject.limitRate(2)),
            subscribe(to: subject.share()),
            subscribe(to: subject.merge(with: subject.filter { _ in false })),
            subscribe(to: subject.merge(with: Fail(error: .first)).delayingErrors()),
            subscribe(to: subject.prefix(untilOutputFrom: Empty<Int, TestError>(completeImmediately: false))),
            subscribe(to: subject.race(with: Empty(completeImmediately: false))),
        ]
        keepers[0].request(.max(1))
        send(1...100)
        for (index, keeper) in keepers.enumerated() {
            keeper.request(.unlimited)
            #expect(keeper.values.suffix(100) == Array(1...100)[...], "\(index)")
        }
    }

    @Test func aRaceLosesNoValueThatComesWithTheSubscription() {
        let never = Empty<Int, TestError>(completeImmediately: false)
        let current = CurrentValueSubject<Int, TestError>(0)
        let first = subscribe(to: current.race(with: never))
        let second = subscribe(to: never.race(with: current))
        current.send(1)
        #expect(first.values == [0, 1])
        #expect(second.values == [0, 1])
    }

    @Test func anUnrequestedValueOfAReplacedPublisherAddsNoDemand() {
        let publishers = PassthroughSubject<AnyPublisher<Int, TestError>, TestError>()
        let next = ProbePublisher<Int, TestError>()
        let keeper = Recorder(initialDemand: .none) { _, event in
            guard event == .value(1) else { return }
            subject.send(2)
            publishers.send(next.eraseToAnyPublisher())
        }
        publishers.switchToLatest().subscribe(Keeper(recorder: keeper))
        publishers.send(subject.eraseToAnyPublisher())
        subject.send(1)
        #expect(next.commands.flatMap(\.self) == [])
    }

    /// A source that drops values is requested all of them from at once, also if it emits inside the request.
    @Test func combinationsLoseNoValuesThatASubjectSendsInsideTheRequest() {
        func numbers() -> some Publisher<Int, Never> { (0..<200).publisher.share() }
        let replay = ReplaySubject<Int, Never>(bufferSize: .max)
        for value in 0..<200 { replay.send(value) }
        let trigger = PassthroughSubject<Void, Never>()
        let received = LockedValue<[[Int]]>(Array(repeating: [], count: 4))
        func receiving(_ index: Int) -> @Sendable (Int) -> Void {
            { value in received.update { $0[index].append(value) } }
        }
        let subscriptions = [
            numbers().zip((0..<200).publisher).map(\.0).sink(receiveValue: receiving(0)),
            numbers().combineLatest(Just(1)).map(\.0).sink(receiveValue: receiving(1)),
            replay.zip((0..<200).publisher).map(\.0).sink(receiveValue: receiving(2)),
            trigger.withLatestFrom(replay).map(\.1).sink(receiveValue: receiving(3)),
        ]
        trigger.send()
        #expect(received.value[0] == Array(0..<200))
        #expect(received.value[1].last == 199)
        #expect(received.value[2] == Array(0..<200))
        #expect(received.value[3] == [199])
        withExtendedLifetime(subscriptions) {}
    }

    /// A nested call leaves the requests to the call that is draining, or an endless source would emit inside the drain.
    @Test func aNestedValueSendsNoRequests() {
        let (b, c) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        let received = LockedValue<[Int]>([])
        let subscription = (0...).publisher.combineLatest(b, c).prefix(5).sink { value in
            received.update { $0.append(value.0) }
            if received.value.count < 3 { b.send(2) }
        }
        b.send(1)
        c.send(1)
        #expect(received.value.count == 5)
        withExtendedLifetime(subscription) {}
    }

    /// Requests reach the inputs in two steps, and values may come on another thread in between.
    @Test(arguments: ["zip", "combineLatest", "withLatestFrom"])
    func combinationsHaveNoGapWhileTheyBegin(_ name: String) {
        var count = 0
        for _ in 0..<100 {
            let (subject, received) = (PassthroughSubject<Int, Never>(), LockedValue<[Int]>([]))
            let subscriptions = LockedValue<AnyCancellable?>(nil)
            concurrently(2) { thread in
                if thread == 0 {
                    for value in 0..<1_000 { subject.send(value) }
                    return
                }
                let other = name == "zip" ? (0...).publisher.eraseToAnyPublisher() : Just(0).eraseToAnyPublisher()
                let values =
                    switch name {
                    case "zip": subject.zip(other).map(\.0).eraseToAnyPublisher()
                    case "combineLatest": subject.combineLatest(other).map(\.0).eraseToAnyPublisher()
                    default: subject.withLatestFrom(other).map(\.0).eraseToAnyPublisher()
                    }
                let subscription = values.sink { value in received.update { $0.append(value) } }
                subscriptions.update { $0 = subscription }
            }
            subscriptions.update { $0 = nil }
            count += received.value.count
            #expect(zip(received.value, received.value.dropFirst()).allSatisfy { $1 == $0 + 1 })
        }
        #expect(count > 0)
    }
}
