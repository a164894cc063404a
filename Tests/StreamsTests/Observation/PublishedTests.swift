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

    @Test("A subscriber gets the value and then each new one, before the property reads as that")
    func values() {
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

    @Test("Without demand the newest value is kept")
    func demand() {
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

    @Test("A value set from inside a subscriber is readable at once and delivered next")
    func reentrancy() {
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

    @Test("Set from several threads, the property ends as the last value delivered")
    func threads() {
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

    @Test("assign(to:) sets the property until the publisher ends or the object goes, and keeps neither alive")
    func assignment() {
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

    @Test("The end of an assigned publisher leaves the property as it is")
    func assignmentEnds() {
        let model = Model()
        let recorder = RecordingSubscriber<Int, Never>()
        Just(7).assign(to: &model.$number)
        model.$number.subscribe(recorder)
        model.number = 8
        #expect(recorder.events == [.subscription("PublishedSubject"), .value(7), .value(8)])
    }

    @Test("Setting a property's publisher changes nothing")
    func projection() {
        let first = Model()
        let second = Model()
        second.number = 2
        first.$number = second.$number
        first.number = 1
        #expect(second.number == 2)
    }
}
