import Streams
import StreamsTesting
import Testing

@Suite("handleEvents")
struct HandleEventsTests {
    private final class Log: Sendable {
        private let lines = Locked([String]())

        var entries: [String] { lines.withLock { $0 } }

        func record(_ line: String) {
            lines.withLock { $0.append(line) }
        }
    }

    private func observe<P: Publisher>(_ publisher: P, in log: Log) -> Publishers.HandleEvents<P> {
        publisher.handleEvents(
            receiveSubscription: { _ in log.record("subscription") },
            receiveOutput: { log.record("output \($0)") },
            receiveCompletion: { log.record("completion \($0)") },
            receiveCancel: { log.record("cancel") },
            receiveRequest: { log.record("request \($0)") })
    }

    @Test func reportsEachEventBeforePassingItOn() {
        let (log, probe) = (Log(), ProbePublisher<Int, TestError>(retention: .always))
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandPerValue: .max(3)) {
            _, event in
            guard let value = event.value else { return }
            log.record("delivered \(value)")
        }
        observe(probe, in: log).subscribe(recorder)
        #expect(probe.send(1) == .max(3))
        probe.send(completion: .finished)
        #expect(recorder.events == [.subscription("HandleEvents"), .value(1), .finished])
        #expect(
            log.entries == [
                "subscription", "request max(1)", "output 1", "delivered 1", "request max(3)", "completion finished",
            ])
    }

    @Test func reportsTheCancellationOnce() {
        let (log, probe) = (Log(), ProbePublisher<Int, TestError>(retention: .always))
        let recorder = RecordingSubscriber<Int, TestError>()
        observe(probe, in: log).subscribe(recorder)
        recorder.cancel()
        recorder.cancel()
        probe.send(1)
        probe.send(completion: .finished)
        #expect(log.entries == ["subscription", "request unlimited", "cancel"])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
        #expect(recorder.events == [.subscription("HandleEvents")])
    }

    @Test func reportsNothingAfterTheCompletion() {
        let (log, recorder) = (Log(), RecordingSubscriber<Int, Never>())
        observe(Empty<Int, Never>(), in: log).subscribe(recorder)
        recorder.cancel()
        #expect(log.entries.last == "completion finished")
    }

    @Test func ignoresACompletionFromInsideTheCancellation() {
        let (log, recorder) = (Log(), RecordingSubscriber<Int, Never>())
        let subject = PassthroughSubject<Int, Never>()
        let observed = subject.handleEvents(
            receiveCompletion: { log.record("completion \($0)") },
            receiveCancel: {
                log.record("cancel")
                subject.send(completion: .finished)
            })
        observed.subscribe(recorder)
        recorder.cancel()
        #expect(log.entries == ["cancel"])
        #expect(recorder.events == [.subscription("HandleEvents")])
    }

    @Test func obeysACancellationFromInsideTheCompletionWithoutReportingIt() {
        let (log, recorder) = (Log(), RecordingSubscriber<Int, Never>())
        let subject = PassthroughSubject<Int, Never>()
        let observed = subject.handleEvents(
            receiveCompletion: {
                log.record("completion \($0)")
                recorder.cancel()
            },
            receiveCancel: { log.record("cancel") })
        observed.subscribe(recorder)
        subject.send(completion: .finished)
        #expect(log.entries == ["completion finished"])
        #expect(recorder.events == [.subscription("HandleEvents")])
    }

    @Test func ignoresARequestForNothing() {
        let (log, probe) = (Log(), ProbePublisher<Int, TestError>(retention: .always))
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        observe(probe, in: log).subscribe(recorder)
        recorder.request(.none)
        #expect(log.entries == ["subscription"])
        #expect(probe.commands == [[]])
    }

    @Test func deliversNoValueAfterItsClosureHasCancelled() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.handleEvents(receiveOutput: { _ in recorder.cancel() }).subscribe(recorder)
        #expect(probe.send(1) == .none)
        #expect(recorder.events == [.subscription("HandleEvents")])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test func releasesTheClosuresWhileTheSubscriptionIsKept() {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        let attach: (LifetimeToken) -> Void = { token in
            subject.handleEvents(
                receiveOutput: { _ in _ = token }, receiveCancel: { _ = token }, receiveRequest: { _ in _ = token }
            ).subscribe(recorder)
        }
        attach(lifetimes.token("closure"))
        #expect(lifetimes.alive == ["closure"])
        subject.send(completion: .finished)
        #expect(lifetimes.alive == [])
    }
}
