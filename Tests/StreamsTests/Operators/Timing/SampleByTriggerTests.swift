import Streams
import StreamsTesting
import Testing

@Suite("sample by another publisher")
struct SampleByTriggerTests {
    private let values = ProbePublisher<Int, TestError>(retention: .always)
    private let trigger = ProbePublisher<String, TestError>(retention: .always)

    private func subscribe(_ initial: Subscribers.Demand = .unlimited) -> RecordingSubscriber<Int, TestError> {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: initial)
        values.sample(trigger).subscribe(recorder)
        return recorder
    }

    @Test("The trigger publishes the latest value once")
    func publishesLatestValueOnce() {
        let recorder = subscribe()
        trigger.send("nothing there")
        values.send(1)
        values.send(2)
        trigger.send("t")
        trigger.send("nothing new")
        values.send(3)
        trigger.send("t")
        #expect(recorder.events == [.subscription("Sample"), .value(2), .value(3)])
    }

    @Test("Requests go to the trigger, and all values are requested at once")
    func requestsTriggers() {
        let recorder = subscribe(.max(1))
        #expect(values.commands == [[.request(.unlimited)]])
        #expect(trigger.send("nothing there") == .max(1))
        values.send(1)
        #expect(trigger.send("t") == .none)
        recorder.request(.max(2))
        #expect(trigger.commands == [[.request(.max(1)), .request(.max(2))]])
        #expect(values.commands == [[.request(.unlimited)]])
    }

    @Test("Triggers without a value use up no demand")
    func requestsReplacements() {
        let recorder = RecordingSubscriber<Int, Never>()
        Empty<Int, Never>(completeImmediately: false).sample((0..<5).publisher).limitRate(2).subscribe(recorder)
        #expect(recorder.values == [])
        #expect(recorder.completion == .finished)
    }

    @Test("The latest value precedes the end of the values, when it is requested")
    func deliversLatestValueAtTheEnd() {
        let recorder = subscribe(.max(1))
        values.send(1)
        trigger.send("t")
        values.send(2)
        values.send(completion: .finished)
        #expect(recorder.values == [1])
        #expect(recorder.completion == nil)
        recorder.request(.max(1))
        #expect(recorder.events == [.subscription("Sample"), .value(1), .value(2), .finished])
        #expect(trigger.commands.first?.last == .cancel)
    }

    @Test("It finishes with the trigger, and drops the latest value")
    func finishesWithTrigger() {
        let recorder = subscribe()
        values.send(1)
        trigger.send(completion: .finished)
        #expect(recorder.events == [.subscription("Sample"), .finished])
        #expect(values.commands == [[.request(.unlimited), .cancel]])
    }

    @Test("It fails as soon as either fails", arguments: [true, false])
    func failsWithEither(ofTrigger: Bool) {
        let recorder = subscribe()
        values.send(1)
        if ofTrigger {
            trigger.send(completion: .failure(.first))
        } else {
            values.send(completion: .failure(.first))
        }
        #expect(recorder.events == [.subscription("Sample"), .failure(.first)])
    }

    @Test("Cancellation releases the latest value")
    func releasesValueOnCancellation() {
        let lifetimes = LifetimeTracker()
        let source = PassthroughSubject<LifetimeToken, Never>()
        let ticks = PassthroughSubject<Void, Never>()
        let sink = source.sample(ticks).sink { _ in }
        source.send(lifetimes.token("value"))
        #expect(lifetimes.alive == ["value"])
        sink.cancel()
        #expect(lifetimes.alive == [])
    }

    @Test("The trigger may be one that cannot fail")
    func acceptsTriggerThatCannotFail() {
        let recorder = RecordingSubscriber<Int, TestError>()
        let ticks = PassthroughSubject<Void, Never>()
        values.sample(ticks).subscribe(recorder)
        values.send(1)
        ticks.send(())
        #expect(recorder.values == [1])
    }

    @Test("Values and triggers may come from several threads")
    func samplesConcurrently() {
        let source = PassthroughSubject<Int, Never>()
        let ticks = PassthroughSubject<Void, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        source.sample(ticks).subscribe(recorder)
        concurrently(3) { thread in
            for step in 0..<300 {
                if thread == 0 { source.send(step) } else { ticks.send(()) }
            }
        }
        source.send(completion: .finished)
        #expect(recorder.values == recorder.values.sorted())
        #expect(Set(recorder.values).count == recorder.values.count)
        #expect(recorder.values.last == 299)
        #expect(recorder.completion == .finished)
        #expect(recorder.violations == [])
    }
}
