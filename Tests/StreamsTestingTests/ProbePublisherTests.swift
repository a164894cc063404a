import Streams
import StreamsTesting
import Testing

@Suite("A probe publisher")
struct ProbePublisherTests {
    @Test("Records requests and cancellations")
    func records() {
        let probe = ProbePublisher<Int, Never>("Named")
        let first = RecordingSubscriber<Int, Never>(initialDemand: .max(3))
        let second = RecordingSubscriber<Int, Never>(initialDemand: .none)
        probe.subscribe(first)
        probe.subscribe(second)
        second.request(.max(1))
        first.cancel()
        #expect(first.events == [.subscription("Named")])
        #expect(probe.requests == [.max(3), .max(1)])
        #expect(probe.cancellations == 1)
        #expect(probe.subscriptionCount == 2)
        #expect(probe.subscriberCount == 1)
    }

    @Test("Sends values to all subscribers without demand, and adds up the demand that they return")
    func sends() {
        let probe = ProbePublisher<Int, Never>()
        let first = RecordingSubscriber<Int, Never>(initialDemand: .none, demandPerValue: .max(2))
        let second = RecordingSubscriber<Int, Never>(initialDemand: .none, demandPerValue: .max(3))
        probe.subscribe(first)
        probe.subscribe(second)
        #expect(probe.send(1) == .max(5))
        #expect(first.values == [1])
        #expect(second.values == [1])
    }

    @Test("Without retention, releases subscribers on their cancellation and completion")
    func release() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<Int, Never>()
        do {
            let recorder = RecordingSubscriber<Int, Never>()
            lifetimes.watch(recorder, as: "cancelled")
            probe.subscribe(recorder)
            #expect(lifetimes.alive == ["cancelled"])
            recorder.cancel()
        }
        do {
            let recorder = RecordingSubscriber<Int, Never>()
            lifetimes.watch(recorder, as: "completed")
            probe.subscribe(recorder)
        }
        #expect(lifetimes.alive == ["completed"])
        probe.send(completion: .finished)
        #expect(lifetimes.alive == [])
    }

    @Test("With retention, sends signals to subscribers after the end")
    func retention() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, Never>()
        probe.subscribe(recorder)
        probe.send(completion: .finished)
        recorder.cancel()
        probe.send(1)
        #expect(recorder.values == [1])
    }

    @Test("Leaves out the subscription, and sends it later and again")
    func subscriptions() {
        let probe = ProbePublisher<Int, Never>(sendsSubscription: false)
        let recorder = RecordingSubscriber<Int, Never>()
        probe.subscribe(recorder)
        #expect(recorder.events == [])
        probe.sendSubscription()
        probe.sendSubscription()
        #expect(recorder.events == [.subscription("Probe"), .subscription("Probe")])
    }

    @Test("Sends signals to one subscriber, and records each subscriber's commands in order")
    func single() {
        let probe = ProbePublisher<Int, Never>()
        let first = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
        let second = RecordingSubscriber<Int, Never>(initialDemand: .none, demandPerValue: .max(2))
        probe.subscribe(first)
        probe.subscribe(second)
        #expect(probe.send(1, to: 1) == .max(2))
        first.cancel()
        second.request(.max(3))
        #expect(probe.send(2, to: 0) == .none)
        probe.send(completion: .finished, to: 1)
        #expect(first.values == [])
        #expect(second.values == [1])
        #expect(second.completion == .finished)
        #expect(probe.commands == [[.request(.max(1)), .cancel], [.request(.max(3))]])
    }

    @Test("Answers a request from inside, and reports a cancellation")
    func answers() {
        let log = Locked([String]())
        let probe = ProbePublisher<Int, Never>(
            onRequest: { probe, demand in
                log.withLock { $0.append("\(demand)") }
                probe.send(probe.requests.count)
            },
            onCancel: { log.withLock { $0.append("cancel") } })
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
        probe.subscribe(recorder)
        recorder.request(.max(2))
        recorder.cancel()
        #expect(recorder.values == [1, 2])
        #expect(log.withLock { $0 } == ["max(1)", "max(2)", "cancel"])
    }

    @Test("Releases subscribers without a completion, and sends subscriptions of other publishers")
    func releaseSubscribers() throws {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<Int, Never>(sendsSubscription: false)
        do {
            let recorder = RecordingSubscriber<Int, Never>()
            lifetimes.watch(recorder, as: "subscriber")
            probe.subscribe(recorder)
            probe.send(subscription: Subscriptions.empty)
            #expect(recorder.events == [.subscription("Empty")])
        }
        #expect(lifetimes.alive == ["subscriber"])
        probe.releaseSubscribers()
        try lifetimes.expectReleased()
    }
}
