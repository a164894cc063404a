import Streams
import StreamsTesting
import Testing

@Suite("share, multicast, autoconnect and makeConnectable")
struct ShareTests {
    @Test func subscribesOnceForAll() {
        let probe = ProbePublisher<Int, Oops>(retention: .always)
        let shared = probe.share()
        let (first, second) = (RecordingSubscriber<Int, Oops>(initialDemand: .max(2)), RecordingSubscriber<Int, Oops>())
        shared.subscribe(first)
        probe.send(1)
        shared.subscribe(second)
        for value in 2...3 { probe.send(value) }
        probe.send(completion: .finished)
        #expect(probe.commands == [[.request(.unlimited)]])
        #expect(first.events == [.subscription("Multicast"), .value(1), .value(2), .finished])
        #expect(second.events == [.subscription("Multicast"), .value(2), .value(3), .finished])
    }

    @Test func theSubscriptionShowsTheUpstreamsNameAlsoWhenAllIsOver() {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        subject.share().subscribe(recorder)
        subject.send(completion: .finished)
        #expect(recorder.subscription.map { "\($0)" } == "Multicast")
    }

    @Test func lateSubscribersReceiveTheCompletionWithoutAnotherSubscription() {
        let probe = ProbePublisher<Int, Oops>(retention: .always)
        let shared = probe.share()
        let (first, late) = (RecordingSubscriber<Int, Oops>(), RecordingSubscriber<Int, Oops>())
        shared.subscribe(first)
        probe.send(completion: .failure(.one))
        first.cancel()
        shared.subscribe(late)
        #expect(late.events == [.subscription("Multicast"), .failure(.one)])
        #expect(probe.subscriptionCount == 1)
    }

    @Test func theLastToLeaveDisconnectsAndTheNextConnectsAnew() {
        let probe = ProbePublisher<Int, Oops>(retention: .always)
        let shared = probe.share()
        let (first, second, third) = (
            RecordingSubscriber<Int, Oops>(), RecordingSubscriber<Int, Oops>(), RecordingSubscriber<Int, Oops>()
        )
        shared.subscribe(first)
        shared.subscribe(second)
        first.cancel()
        first.cancel()
        #expect(probe.commands == [[.request(.unlimited)]])
        second.cancel()
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
        shared.subscribe(third)
        probe.send(7)
        #expect(probe.subscriptionCount == 2)
        #expect(third.values == [7])
        #expect(first.values.isEmpty)
    }

    @Test func whoeverCancelsOnSubscriptionDoesNotConnect() {
        let probe = ProbePublisher<Int, Oops>(retention: .always)
        let subscriber = AnySubscriber<Int, Oops>(receiveSubscription: { $0.cancel() })
        probe.share().subscribe(subscriber)
        #expect(probe.subscriptionCount == 0)
    }

    @Test func everybodyLeavingWhileItConnectsDisconnects() {
        let cancellations = Counter()
        let recorder = RecordingSubscriber<Int, Never> { recorder, event in
            if event.value != nil { recorder.cancel() }
        }
        let upstream = PassthroughSubject<Int, Never>()
        let sending = upstream.prepend(1).handleEvents(receiveCancel: { cancellations.increment() })
        let shared = sending.share()
        shared.subscribe(recorder)
        #expect(recorder.values == [1])
        #expect(cancellations.value == 1)
    }

    @Test func aSharedSequenceIsDeliveredToTheFirstSubscriberWhole() {
        let shared = [1, 2, 3].publisher.share()
        let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
        shared.subscribe(first)
        shared.subscribe(second)
        #expect(first.values == [1, 2, 3])
        #expect(second.events == [.subscription("Multicast"), .finished])
    }

    @Test func isEqualOnlyToItself() {
        let probe = ProbePublisher<Int, Oops>(retention: .always)
        let shared = probe.share()
        #expect(shared == shared)
        #expect(shared != probe.share())
    }

    @Test func multicastWaitsForTheConnection() {
        let probe = ProbePublisher<Int, Oops>(retention: .always)
        let multicast = probe.multicast { PassthroughSubject() }
        let recorder = RecordingSubscriber<Int, Oops>()
        multicast.subscribe(recorder)
        #expect(probe.subscriptionCount == 0)
        let connection = multicast.connect()
        probe.send(1)
        connection.cancel()
        #expect(recorder.events == [.subscription("Multicast"), .value(1)])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test func multicastUsesTheSubjectGiven() {
        let subject = CurrentValueSubject<Int, Never>(5)
        let multicast = Just(6).multicast(subject: subject)
        let recorder = RecordingSubscriber<Int, Never>()
        multicast.subscribe(recorder)
        let connection = multicast.connect()
        #expect(recorder.events == [.subscription("Multicast"), .value(5), .value(6), .finished])
        withExtendedLifetime(connection) {}
    }

    @Test func makeConnectableDeliversToAllFromTheConnectionOn() {
        let connectable = [1, 2].publisher.makeConnectable()
        let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
        connectable.subscribe(first)
        connectable.subscribe(second)
        let connection = connectable.connect()
        #expect(first.values == [1, 2])
        #expect(second.values == [1, 2])
        withExtendedLifetime(connection) {}
    }

    @Test func comingAndGoingOnManyThreadsLeavesNoConnectionBehind() {
        let (connections, disconnections) = (Counter(), Counter())
        let upstream = PassthroughSubject<Int, Never>()
        let watched = upstream.handleEvents(
            receiveSubscription: { _ in connections.increment() }, receiveCancel: { disconnections.increment() })
        let shared = watched.share()
        concurrently(4) { _ in
            for _ in 0..<500 { shared.sink { _ in }.cancel() }
        }
        #expect(connections.value > 0)
        #expect(connections.value == disconnections.value)
    }
}
