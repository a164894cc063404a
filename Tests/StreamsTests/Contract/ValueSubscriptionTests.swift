import StreamsTesting
import Testing

@testable import Streams

/// Subscriptions that are structures and enumerations, as Combine allows.
@Suite struct ValueSubscriptionTests {
    enum Kind: CaseIterable {
        case structure
        case enumeration
        case object
    }

    private typealias Recorder = RecordingSubscriber<Int, TestError>

    @Test("An operator without a subscription of its own hands a value down", arguments: Kind.allCases)
    func mapHandsTheSubscriptionDown(_ kind: Kind) {
        let numbers = Numbers(kind, upTo: 5)
        let recorder = Recorder(initialDemand: .max(2))
        numbers.map { $0 * 10 }.subscribe(recorder)
        #expect(recorder.values == [10, 20])
        recorder.cancel()
        recorder.request(.max(1))
        #expect(recorder.values == [10, 20])
        #expect(numbers.calls.value.prefix(2) == ["request max(2)", "cancel"])
    }

    @Test("A link requests from a value and cancels it once", arguments: Kind.allCases)
    func aLinkForwardsToTheSubscription(_ kind: Kind) {
        let numbers = Numbers(kind, upTo: 5)
        let recorder = Recorder(initialDemand: .max(2))
        numbers.tryMap { $0 * 10 }.mapError { _ in TestError.first }.subscribe(recorder)
        recorder.request(.max(1))
        recorder.cancel()
        recorder.cancel()
        #expect(recorder.values == [10, 20, 30])
        #expect(numbers.calls.value == ["request max(2)", "request max(1)", "cancel"])
    }

    @Test("A retry requests what is left from the next value", arguments: Kind.allCases)
    func retryRequestsTheRest(_ kind: Kind) {
        let numbers = Numbers(kind, upTo: 2, completion: .failure(.first))
        let recorder = Recorder(initialDemand: .max(3))
        numbers.retry(1).subscribe(recorder)
        #expect(recorder.values == [1, 2, 1])
        recorder.request(.unlimited)
        #expect(recorder.events.dropFirst() == [.value(1), .value(2), .value(1), .value(2), .failure(.first)])
        #expect(numbers.calls.value == ["request max(3)", "request max(1)", "request unlimited"])
    }

    @Test("prefix cancels a value", arguments: Kind.allCases)
    func prefixCancels(_ kind: Kind) {
        let numbers = Numbers(kind, upTo: 5)
        let recorder = Recorder()
        numbers.prefix(2).subscribe(recorder)
        #expect(recorder.events.dropFirst() == [.value(1), .value(2), .finished])
        #expect(numbers.calls.value.last == "cancel")
    }

    @Test("flatMap requests from the values of inner publishers and cancels them", arguments: Kind.allCases)
    func flatMapRequestsAndCancels(_ kind: Kind) {
        let (outer, inner) = (Numbers(kind, upTo: 2), Numbers(kind, upTo: 3))
        let recorder = Recorder(initialDemand: .max(4))
        outer.flatMap { number in inner.map { number * 10 + $0 } }.subscribe(recorder)
        #expect(recorder.values == [11, 12, 13, 21])
        recorder.cancel()
        #expect(inner.calls.value.contains("cancel"))

        let all = Recorder()
        outer.flatMap { _ in inner }.subscribe(all)
        #expect(all.events.dropFirst() == [1, 2, 3, 1, 2, 3].map { .value($0) } + [.finished])
    }

    @Test("values requests from a value and cancels it", arguments: Kind.allCases)
    func valuesRequestsAndCancels(_ kind: Kind) async throws {
        let numbers = Numbers(kind, upTo: 3)
        var received: [Int] = []
        for try await number in numbers.values { received.append(number) }
        #expect(received == [1, 2, 3])
        for try await number in numbers.values where number == 2 { break }
        #expect(numbers.calls.value.suffix(3) == ["request max(1)", "request max(1)", "cancel"])
    }

    @Test("A subject requests all from a value, and cancels it at its end", arguments: Kind.allCases)
    func aSubjectRequestsAllAndCancels(_ kind: Kind) {
        let (numbers, endless) = (Numbers(kind, upTo: 3), Numbers(kind, upTo: 0))
        let subject = PassthroughSubject<Int, TestError>()
        let recorder = Recorder()
        subject.subscribe(recorder)
        endless.subscribe(AnySubscriber(receiveSubscription: { subject.send(subscription: $0) }))
        let feed = numbers.subscribe(subject)
        #expect(recorder.values == [1, 2, 3])
        #expect(endless.calls.value == ["request unlimited", "cancel"])
        feed.cancel()
    }

    @Test("sink requests all from a value and cancels it", arguments: Kind.allCases)
    func sinkRequestsAllAndCancels(_ kind: Kind) {
        let numbers = Numbers(kind, upTo: 3, completion: nil)
        let received = LockedValue<[Int]>([])
        let subscription = numbers.replaceError(with: 0).sink { value in received.update { $0.append(value) } }
        #expect(received.value == [1, 2, 3])
        subscription.cancel()
        #expect(numbers.calls.value == ["request unlimited", "cancel"])

        let object = Subscribers.Sink<Int, TestError>(receiveCompletion: { _ in }, receiveValue: { _ in })
        numbers.subscribe(object)
        object.cancel()
        #expect(numbers.calls.value.suffix(2) == ["request unlimited", "cancel"])
    }

    @Test("AnySubscriber hands a value to the subscriber and to closures", arguments: Kind.allCases)
    func anySubscriberHandsTheSubscriptionOver(_ kind: Kind) {
        let numbers = Numbers(kind, upTo: 3)
        let recorder = Recorder(initialDemand: .max(1))
        numbers.subscribe(AnySubscriber(recorder))
        let received = LockedValue<[Int]>([])
        numbers.eraseToAnyPublisher().subscribe(
            AnySubscriber<Int, TestError>(
                receiveSubscription: { $0.request(.max(2)) },
                receiveValue: { value in
                    received.update { $0.append(value) }
                    return .none
                }))
        #expect(recorder.values == [1])
        #expect(received.value == [1, 2])
        #expect(recorder.events.first == .subscription("\(kind)"))
    }

    @Test("A second value is cancelled", arguments: Kind.allCases)
    func aSecondSubscriptionIsCancelled(_ kind: Kind) {
        let (first, second) = (Numbers(kind, upTo: 3), Numbers(kind, upTo: 3))
        let subscribers: [AnySubscriber<Int, TestError>] = [
            AnySubscriber(Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: { _ in })),
            AnySubscriber(AwaitingSubscriber<Int, TestError>(cancellation: nil)),
        ]
        for subscriber in subscribers {
            subscriber.receive(subscription: first.subscription(for: Recorder()))
            subscriber.receive(subscription: second.subscription(for: Recorder()))
        }
        #expect(!first.calls.value.contains("cancel"))
        #expect(second.calls.value == ["cancel", "cancel"])
    }

    @Test("The end releases what a value holds", arguments: Kind.allCases)
    func theEndReleases(_ kind: Kind) {
        for isCancelled in [false, true] {
            let numbers = Numbers(kind, upTo: 1, completion: isCancelled ? nil : .finished)
            let subscription = numbers.replaceError(with: 0).sink { _ in }
            #expect((numbers.source.value.object != nil) == isCancelled)
            if isCancelled { subscription.cancel() }
            #expect(numbers.source.value.object == nil)
        }
    }

    @Test func anObjectIsStoredAsItIs() {
        let (link, object) = (UpstreamLink(), RecordingSubscription())
        #expect(link.attach(object))
        #expect(link.upstream === object)
    }

    @Test func aStoredValueKeepsItsIdentifier() {
        let (link, value) = (UpstreamLink(), Numbers(.structure, upTo: 1).subscription(for: Recorder()))
        #expect(link.attach(value))
        #expect(link.upstream?.combineIdentifier == value.combineIdentifier)
    }
}

/// A publisher whose subscriptions are of a kind, and which records their calls.
private struct Numbers: Publisher {
    typealias Output = Int
    typealias Failure = TestError

    let kind: ValueSubscriptionTests.Kind
    let count: Int
    let completion: Subscribers.Completion<TestError>?
    let calls = LockedValue<[String]>([])
    let source = LockedValue(Weak<NumberSource>(object: nil))

    init(
        _ kind: ValueSubscriptionTests.Kind, upTo count: Int,
        completion: Subscribers.Completion<TestError>? = .finished
    ) {
        self.kind = kind
        self.count = count
        self.completion = completion
    }

    func receive<S: Subscriber<Int, TestError>>(subscriber: S) {
        subscriber.receive(subscription: subscription(for: subscriber))
    }

    func subscription(for subscriber: some Subscriber<Int, TestError>) -> any Subscription {
        let source = NumberSource(self, AnySubscriber(subscriber))
        self.source.update { $0.object = source }
        return switch kind {
        case .structure: StructureSubscription(source: source)
        case .enumeration: EnumerationSubscription.source(source)
        case .object: ObjectSubscription(source: source)
        }
    }
}

/// The numbers of one subscription, and its subscriber until the end.
private final class NumberSource {
    private let numbers: Numbers
    private let subscriber: LockedValue<AnySubscriber<Int, TestError>?>
    private let last = LockedValue(0)
    let identifier = CombineIdentifier()

    init(_ numbers: Numbers, _ subscriber: AnySubscriber<Int, TestError>) {
        self.numbers = numbers
        self.subscriber = LockedValue(subscriber)
    }

    func request(_ demand: Subscribers.Demand) {
        numbers.calls.update { $0.append("request \(demand)") }
        var demand = demand
        while demand > .none, last.value < numbers.count, let subscriber = subscriber.value {
            last.update { $0 += 1 }
            demand -= 1
            demand += subscriber.receive(last.value)
        }
        guard last.value >= numbers.count, numbers.count > 0, let completion = numbers.completion else { return }
        let completed = subscriber.value
        subscriber.update { $0 = nil }
        completed?.receive(completion: completion)
    }

    func cancel() {
        numbers.calls.update { $0.append("cancel") }
        subscriber.update { $0 = nil }
    }
}

private struct StructureSubscription: Subscription, CustomStringConvertible {
    let source: NumberSource

    var combineIdentifier: CombineIdentifier { source.identifier }
    var description: String { "structure" }

    func request(_ demand: Subscribers.Demand) { source.request(demand) }
    func cancel() { source.cancel() }
}

private enum EnumerationSubscription: Subscription, CustomStringConvertible {
    case source(NumberSource)

    var combineIdentifier: CombineIdentifier {
        switch self {
        case .source(let source): source.identifier
        }
    }

    var description: String { "enumeration" }

    func request(_ demand: Subscribers.Demand) {
        switch self {
        case .source(let source): source.request(demand)
        }
    }

    func cancel() {
        switch self {
        case .source(let source): source.cancel()
        }
    }
}

private final class ObjectSubscription: Subscription, CustomStringConvertible {
    private let source: NumberSource

    init(source: NumberSource) {
        self.source = source
    }

    var description: String { "object" }

    func request(_ demand: Subscribers.Demand) { source.request(demand) }
    func cancel() { source.cancel() }
}
