import Streams
import Testing

/// Completes without sending a subscription.
private struct Unannounced: Publisher, Sendable {
    typealias Output = Int
    typealias Failure = Oops

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Oops {
        subscriber.receive(completion: .finished)
    }
}

@Suite("switchToLatest")
struct SwitchToLatestTests {
    private let outer = Probe<Probe<Int, Oops>, Oops>()
    private let first = Probe<Int, Oops>()
    private let second = Probe<Int, Oops>()

    @Test("The newest publisher replaces the one before")
    func switching() {
        let recorder = Recorder<Int, Oops>()
        outer.switchToLatest().subscribe(recorder)
        outer.send(first)
        first.send(1)
        outer.send(second)
        first.send(2)
        second.send(3)
        #expect(recorder.signals == [.subscription("SwitchToLatest"), .value(1), .value(3)])
        #expect(first.orders == [[.request(.unlimited), .cancel]])
    }

    @Test("Each is asked for what is outstanding")
    func demand() {
        let recorder = Recorder<Int, Oops>(.max(3)) { _, _ in .max(1) }
        outer.switchToLatest().subscribe(recorder)
        outer.send(first)
        #expect(first.send(1) == .max(1))
        recorder.request(.max(4))
        first.send(completion: .finished)
        recorder.request(.max(1))
        outer.send(second)
        #expect(outer.orders == [[.request(.unlimited)]])
        #expect(first.orders == [[.request(.max(3)), .request(.max(4))]])
        #expect(second.orders == [[.request(.max(8))]])
    }

    @Test("What a value brings goes to the publisher that is the newest by then")
    func switchInsideValue() {
        let recorder = Recorder<Int, Oops>(.max(1)) { [outer, second] _, value in
            if value == 1 { outer.send(second) }
            return .max(1)
        }
        outer.switchToLatest().subscribe(recorder)
        outer.send(first)
        #expect(first.send(1) == .none)
        #expect(second.orders == [[.request(.max(1))]])
    }

    @Test("One that delivers before it has sent its subscription is heard, and asked for more by that")
    func valueBeforeSubscription() {
        let hasty = Probe<Int, Oops>(sendsSubscription: false)
        let recorder = Recorder<Int, Oops>(.unlimited) { _, _ in .max(2) }
        outer.switchToLatest().subscribe(recorder)
        outer.send(hasty)
        #expect(hasty.send(1) == .max(2))
        #expect(recorder.signals == [.subscription("SwitchToLatest"), .value(1)])
    }

    @Test("It ends when both the publishers and the newest one have ended")
    func finishing() {
        let recorder = Recorder<Int, Oops>()
        outer.switchToLatest().subscribe(recorder)
        outer.send(first)
        outer.send(completion: .finished)
        #expect(recorder.end == nil)
        first.send(completion: .finished)
        #expect(recorder.end == .finished)
    }

    @Test("A publisher that completes without a subscription, or delivers unasked, stops the program")
    func breaches() async {
        await #expect(processExitsWith: .failure) {
            let (outer, inner) = (Probe<Probe<Int, Oops>, Oops>(), Probe<Int, Oops>())
            outer.switchToLatest().subscribe(Recorder<Int, Oops>(.max(1)))
            outer.send(inner)
            inner.send(1)
            inner.send(2)
        }
        await #expect(processExitsWith: .failure) {
            let (outer, inner) = (Probe<Unannounced, Oops>(), Unannounced())
            outer.switchToLatest().subscribe(Recorder<Int, Oops>())
            outer.send(inner)
        }
    }

    @Test("The publishers may complete without a subscription: the subscriber has one")
    func earlyEnd() {
        let recorder = Recorder<Int, Oops>()
        Unannounced().map { _ in Just(1).setFailureType(to: Oops.self) }.switchToLatest().subscribe(recorder)
        #expect(recorder.signals == [.subscription("SwitchToLatest"), .finished])
    }

    @Test("A failure of either ends it and cancels the other")
    func failing() {
        let recorder = Recorder<Int, Oops>()
        outer.switchToLatest().subscribe(recorder)
        outer.send(first)
        first.send(completion: .failure(.one))
        #expect(recorder.end == .failure("one"))
        #expect(outer.orders == [[.request(.unlimited), .cancel]])

        let other = Recorder<Int, Oops>()
        let probe = Probe<Probe<Int, Oops>, Oops>()
        probe.switchToLatest().subscribe(other)
        probe.send(second)
        probe.send(completion: .failure(.two))
        #expect(other.end == .failure("two"))
        #expect(second.orders == [[.request(.unlimited), .cancel]])
    }

    @Test("Where only one of the two can fail")
    func failures() {
        let recorder = Recorder<Int, Oops>()
        Just(Fail<Int, Oops>(error: .one)).switchToLatest().subscribe(recorder)
        #expect(recorder.end == .failure("one"))
        let other = Recorder<Int, Oops>()
        Just(Just(1)).setFailureType(to: Oops.self).switchToLatest().subscribe(other)
        #expect(other.signals == [.subscription("SwitchToLatest"), .value(1), .finished])
    }
}
