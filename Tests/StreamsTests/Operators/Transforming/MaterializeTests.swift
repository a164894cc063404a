import Streams
import StreamsTesting
import Testing

@Suite("materialize and dematerialize")
struct MaterializeTests {
    private typealias IntEvent = Subscribers.Event<Int, TestError>

    private let probe = ProbePublisher<Int, TestError>(retention: .always)

    @Test("Publishes every signal as an event, the completion last", arguments: [true, false])
    func events(failing: Bool) {
        let recorder = RecordingSubscriber<IntEvent, Never>()
        probe.materialize().subscribe(recorder)
        probe.send(1)
        probe.send(completion: failing ? .failure(.first) : .finished)
        let last: IntEvent = failing ? .failure(.first) : .finished
        #expect(
            recorder.events == [.subscription("Materialize"), .value(.value(1)), .value(last), .finished])
    }

    @Test("The event of the completion waits for demand")
    func demand() {
        let recorder = RecordingSubscriber<IntEvent, Never>(initialDemand: .max(1))
        probe.materialize().subscribe(recorder)
        #expect(probe.send(1) == .none)
        probe.send(completion: .finished)
        #expect(recorder.values == [.value(1)])
        recorder.request(.max(1))
        #expect(recorder.values == [.value(1), .finished])
        #expect(recorder.completion == .finished)
        #expect(probe.commands == [[.request(.max(1))]])
    }

    @Test("Returned demand counts")
    func returnedDemand() {
        let recorder = RecordingSubscriber<IntEvent, Never>(initialDemand: .max(1), demandPerValue: .max(1))
        probe.materialize().subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        probe.send(completion: .finished)
        #expect(recorder.values == [.value(1), .finished])
    }

    @Test("Cancellation drops a waiting event")
    func cancelling() {
        let recorder = RecordingSubscriber<IntEvent, Never>(initialDemand: .max(1))
        probe.materialize().subscribe(recorder)
        probe.send(1)
        probe.send(completion: .finished)
        recorder.cancel()
        recorder.request(.max(1))
        #expect(recorder.values == [.value(1)])
        #expect(recorder.completion == nil)
    }

    @Test("A completion and a request on two threads deliver the last event")
    func race() {
        for _ in 0..<200 {
            let subject = PassthroughSubject<Int, TestError>()
            let recorder = RecordingSubscriber<IntEvent, Never>(initialDemand: .none)
            subject.materialize().subscribe(recorder)
            concurrently(2) { thread in
                if thread == 0 { subject.send(completion: .finished) } else { recorder.request(.max(1)) }
            }
            #expect(recorder.events == [.subscription("Materialize"), .value(.finished), .finished])
        }
    }

    @Test("Publishes the signals that events represent")
    func signals() {
        let events: [IntEvent] = [.value(1), .value(2), .failure(.second), .value(3)]
        let recorder = RecordingSubscriber<Int, TestError>()
        events.publisher.dematerialize().subscribe(recorder)
        #expect(recorder.events == [.subscription("Dematerialize"), .value(1), .value(2), .failure(.second)])
    }

    @Test("The event of a completion cancels the upstream")
    func cancellingUpstream() {
        let events = ProbePublisher<IntEvent, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        events.dematerialize().subscribe(recorder)
        events.send(.finished)
        events.send(.value(1))
        events.send(completion: .finished)
        #expect(recorder.events == [.subscription("Dematerialize"), .finished])
        #expect(events.commands == [[.request(.unlimited), .cancel]])
    }

    @Test("Finishes with the upstream if there is no event of a completion")
    func upstreamCompletion() {
        let recorder = RecordingSubscriber<Int, TestError>()
        [IntEvent.value(1)].publisher.dematerialize().subscribe(recorder)
        #expect(recorder.events == [.subscription("Dematerialize"), .value(1), .finished])
    }

    @Test("Events describe themselves")
    func description() {
        let events: [IntEvent] = [.value(1), .failure(.first), .finished]
        #expect(events.map(\.description) == ["value(1)", "failure(first)", "finished"])
    }
}
