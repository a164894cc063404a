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

    @Test("The newest value goes out at the trigger, once")
    func sampling() {
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

    @Test("The trigger is asked for what is wanted, the values without limit")
    func demand() {
        let recorder = subscribe(.max(1))
        #expect(values.commands == [[.request(.unlimited)]])
        #expect(trigger.send("nothing there") == .max(1))
        values.send(1)
        #expect(trigger.send("t") == .none)
        recorder.request(.max(2))
        #expect(trigger.commands == [[.request(.max(1)), .request(.max(2))]])
        #expect(values.commands == [[.request(.unlimited)]])
    }

    @Test("At the end of the values the one that waits is delivered, when it is wanted")
    func finishing() {
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

    @Test("The end of the trigger is the end, and drops what waits")
    func triggerFinishing() {
        let recorder = subscribe()
        values.send(1)
        trigger.send(completion: .finished)
        #expect(recorder.events == [.subscription("Sample"), .finished])
        #expect(values.commands == [[.request(.unlimited), .cancel]])
    }

    @Test("A failure of either ends it", arguments: [true, false])
    func failing(ofTrigger: Bool) {
        let recorder = subscribe()
        values.send(1)
        if ofTrigger {
            trigger.send(completion: .failure(.first))
        } else {
            values.send(completion: .failure(.first))
        }
        #expect(recorder.events == [.subscription("Sample"), .failure(.first)])
    }

    @Test("What waits is let go of on cancellation")
    func release() {
        let lifetimes = LifetimeTracker()
        let source = PassthroughSubject<LifetimeToken, Never>()
        let ticks = PassthroughSubject<Void, Never>()
        let sink = source.sample(ticks).sink { _ in }
        source.send(lifetimes.token("value"))
        #expect(lifetimes.alive == ["value"])
        sink.cancel()
        #expect(lifetimes.alive == [])
    }

    @Test("A trigger that cannot fail goes with values that can")
    func failures() {
        let recorder = RecordingSubscriber<Int, TestError>()
        let ticks = PassthroughSubject<Void, Never>()
        values.sample(ticks).subscribe(recorder)
        values.send(1)
        ticks.send(())
        #expect(recorder.values == [1])
    }

    @Test("Values and triggers from several threads")
    func concurrency() {
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
