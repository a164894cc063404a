import Streams
import StreamsTesting
import Testing

/// What an operator looks like from outside: to its upstream, to mirrors, and to whoever keeps its subscription.
@Suite struct LinkShapeTests {
    @Test func theReceivingHalfPassesForTheSubscription() throws {
        let source = Source(ledger: Ledger())
        let recorder = RecordingSubscriber<Int, any Error>(initialDemand: .max(1))
        source.tryMap { $0 }.subscribe(recorder)
        let half = try #require(source.received.value as? any Subscription)
        #expect(half.combineIdentifier == recorder.subscription?.combineIdentifier)
        half.request(.max(2))
        half.cancel()
        #expect(source.ledger?.entries == ["max(1)", "max(2)", "cancel"])
    }

    @Test func aHalfThatPassesOnIsToldFromItsSubscriber() throws {
        let (once, twice) = (Source(ledger: nil), Source(ledger: nil))
        let recorder = RecordingSubscriber<Int, Never>()
        once.map { $0 }.subscribe(recorder)
        twice.map { $0 }.filter { $0 > 0 }.subscribe(recorder)
        let (first, second) = (try #require(once.received.value), try #require(twice.received.value))
        #expect(Set([first.combineIdentifier, second.combineIdentifier, recorder.combineIdentifier]).count == 3)
        #expect(first.combineIdentifier == first.combineIdentifier)
    }

    @Test func aCancellationAheadCountsWhereCombineCountsIt() throws {
        for (isCounted, entries) in [(true, ["cancel"]), (false, ["max(1)"])] {
            let source = Source(ledger: nil)
            let recorder = RecordingSubscriber<Int, any Error>(initialDemand: .max(1))
            if isCounted {
                source.tryFilter { _ in true }.subscribe(recorder)
            } else {
                source.tryMap { $0 }.subscribe(recorder)
            }
            try #require(source.received.value as? any Subscription).cancel()
            let late = Ledger()
            source.received.value?.receive(subscription: late)
            #expect(late.entries == entries)
        }
    }

    @Test func mirrorsShowWhatIsRemembered() throws {
        let source = Source(ledger: Ledger())
        let recorder = RecordingSubscriber<Int, any Error>()
        source.tryRemoveDuplicates { $0 == $1 }.subscribe(recorder)
        // An optional is reflectable itself.
        let (received, kept) = (try #require(source.received.value), try #require(recorder.subscription))
        let half = try #require(received as? any CustomReflectable)
        let subscription = try #require(kept as? any CustomReflectable)
        for mirror in [half.customMirror, subscription.customMirror] {
            #expect(mirror.children.map(\.label) == ["downstream", "last"])
            #expect(mirror.descendant("downstream") as? RecordingSubscriber<Int, any Error> === recorder)
        }
    }

    @Test func mirrorsReadNothingThatTheUpstreamMayBeChanging() throws {
        let source = Source(ledger: nil)
        source.tryScan(7) { $0 + $1 }.subscribe(RecordingSubscriber<Int, any Error>())
        let received = try #require(source.received.value)
        let half = try #require(received as? any CustomReflectable)
        #expect(half.customMirror.descendant("result") as? Int == 7)
        received.receive(subscription: Ledger())
        source.send(3)
        #expect(half.customMirror.descendant("result") is Int.Type)
    }

    @Test func mirrorsOfCollectionsShowWhatAnyThreadMayRead() throws {
        let (all, some) = (Source(ledger: nil), Source(ledger: nil))
        all.collect().subscribe(RecordingSubscriber<[Int], Never>())
        some.collect(2).subscribe(RecordingSubscriber<[Int], Never>())
        for (source, label) in [(all, "count"), (some, "buffer")] {
            let received = try #require(source.received.value)
            let half = try #require(received as? any CustomReflectable)
            let beginning = try #require(half.customMirror.descendant(label))
            #expect(["0", "[]"].contains(String(describing: beginning)))
            received.receive(subscription: Ledger())
            source.send(3)
            let afterwards = try #require(half.customMirror.descendant(label))
            #expect(["1", "Array<Int>"].contains(String(describing: afterwards)))
        }
    }

    @Test(arguments: [false, true])
    func aSubscriptionThatIsKeptKeepsTheSubscriberUntilTheEnd(isCancelled: Bool) throws {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<Int, any Error>()
        var subscription: (any Subscription)?
        do {
            let subscriber = Forgetful()
            lifetimes.watch(subscriber, as: "subscriber")
            let token = lifetimes.token("closure")
            subject.tryMap { value in withExtendedLifetime(token) { value } }.subscribe(subscriber)
            subscription = subscriber.subscription.take()
        }
        #expect(lifetimes.alive.sorted() == ["closure", "subscriber"])
        if isCancelled {
            subscription?.cancel()
        } else {
            subject.send(completion: .finished)
        }
        #expect(lifetimes.alive == [])
        withExtendedLifetime(subscription) {}
    }

    @Test func aSignalBeforeTheSubscriptionStopsTheProgramWhereItStopsCombines() async {
        await #expect(processExitsWith: .failure) {
            let source = Source(ledger: nil)
            source.removeDuplicates().subscribe(RecordingSubscriber<Int, Never>())
            source.send(1)
        }
        await #expect(processExitsWith: .failure) {
            let source = Source(ledger: nil)
            source.prefix { _ in true }.subscribe(RecordingSubscriber<Int, Never>())
            source.complete()
        }
    }

    @Test func aRequestForNothingStopsTheProgramWhereItStopsCombines() async {
        await #expect(processExitsWith: .failure) {
            let recorder = RecordingSubscriber<Int, Never>()
            Source(ledger: Ledger()).drop { _ in true }.subscribe(recorder)
            recorder.request(.none)
        }
    }
}

/// A publisher that shows its subscriber as it is.
private struct Source: Publisher {
    typealias Output = Int
    typealias Failure = Never

    final class Box {
        var value: (any Subscriber<Int, Never>)?
    }

    let received = Box()

    /// What it sends as its subscription.
    let ledger: Ledger?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        received.value = subscriber
        if let ledger { subscriber.receive(subscription: ledger) }
    }

    func send(_ value: Int) {
        _ = received.value?.receive(value)
    }

    func complete() {
        received.value?.receive(completion: .finished)
    }
}

/// A subscriber from which its subscription can be taken.
private final class Forgetful: Subscriber {
    typealias Input = Int
    typealias Failure = any Error

    var subscription: (any Subscription)?

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        subscription.request(.unlimited)
    }

    func receive(_ input: Int) -> Subscribers.Demand { .none }

    func receive(completion: Subscribers.Completion<any Error>) {}
}
