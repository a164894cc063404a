import Streams
import StreamsTesting
import Testing

@Suite("@Published", .timeLimit(.minutes(15)))
struct PublishedTests {
    final class Model: ObservableObject, @unchecked Sendable {
        // Safe because published properties may be used on any thread.
        @Published var number = 0
        @Published var token: LifetimeToken?
    }

    @Test("Delivers the current value, and each new one before the property changes")
    func deliversValuesBeforeThePropertyChanges() {
        let model = Model()
        let seen = LockedValue<[Int]>([])
        let watching = model.$number.sink { value in seen.update { $0 += [value, model.number] } }
        model.number = 1
        model.number += 2
        #expect(seen.value == [0, 0, 1, 0, 3, 1])
        #expect(model.number == 3)
        watching.cancel()
        model.number = 4
        #expect(seen.value.count == 6)
    }

    @Test("Keeps the newest value for a subscriber without demand")
    func keepsTheNewestValue() {
        let model = Model()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
        model.$number.subscribe(recorder)
        model.number = 1
        model.number = 2
        #expect(recorder.events == [.subscription("PublishedSubject"), .value(0)])
        recorder.request(.max(2))
        model.number = 3
        model.number = 4
        #expect(recorder.values == [0, 2, 3])
    }

    @Test("A value set inside a subscriber can be read immediately and is delivered next")
    func setInsideASubscriber() {
        let model = Model()
        let seen = LockedValue<[Int]>([])
        let watching = model.$number.sink { value in
            seen.update { $0.append(value) }
            guard value == 1 else { return }
            model.number = 2
            seen.update { $0.append(model.number * 100) }
        }
        model.number = 1
        #expect(seen.value == [0, 1, 200, 2])
        #expect(model.number == 2)
        watching.cancel()
    }

    @Test("The property ends up with the last value delivered when several threads set it")
    func endsAsTheLastValueDelivered() {
        for _ in 0..<20 {
            let model = Model()
            let last = LockedValue(0)
            let watching = model.$number.sink { value in last.update { $0 = value } }
            concurrently(4) { index in
                for step in 1...50 { model.number = index * 1000 + step }
            }
            #expect(model.number == last.value)
            watching.cancel()
        }
    }

    @Test("assign(to:) sets the property until the publisher ends or the object is released")
    func assignmentLastsAsLongAsTheObject() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<LifetimeToken?, Never>()
        do {
            let model = Model()
            probe.assign(to: &model.$token)
            #expect(probe.requests == [.unlimited])
            probe.send(lifetimes.token("first"))
            probe.send(lifetimes.token("second"))
            #expect(lifetimes.alive == ["second"])
            #expect(model.token != nil)
        }
        #expect(probe.cancellations == 1)
        #expect(lifetimes.alive == [])
    }

    @Test("The completion of an assigned publisher does not change the property")
    func completionLeavesTheProperty() {
        let model = Model()
        let recorder = RecordingSubscriber<Int, Never>()
        Just(7).assign(to: &model.$number)
        model.$number.subscribe(recorder)
        model.number = 8
        #expect(recorder.events == [.subscription("PublishedSubject"), .value(7), .value(8)])
    }

    @Test("Setting a property's publisher changes nothing")
    func settingThePublisherChangesNothing() {
        let first = Model()
        let second = Model()
        second.number = 2
        first.$number = second.$number
        first.number = 1
        #expect(second.number == 2)
    }
}
