import StreamsTesting
import Testing

@testable import Streams

@Suite("The stream log")
struct StreamLogTests {
    /// The log entries of one label, without those of tests that run concurrently.
    private final class Lines: Sendable {
        private let lines = Locked<[String]>([])

        var entries: [String] { lines.withLock { $0 } }

        func observe(_ label: String) -> AnyCancellable {
            StreamLog.observe { [self] entry in
                guard entry.callSite.label == label else { return }
                lines.withLock { $0.append(entry.description) }
            }
        }
    }

    @Test("An observer receives the start and the end of a stream until it is cancelled")
    func reportsStartAndEnd() {
        let lines = Lines()
        let observation = lines.observe("reports")
        let subject = PassthroughSubject<Int, TestError>()
        let stream = subject.checkpoint("reports", fileID: "M/f.swift", line: 3)
        let recorder = RecordingSubscriber<Int, TestError>()
        stream.subscribe(recorder)
        stream.subscribe(RecordingSubscriber<Int, TestError>())
        subject.send(1)
        recorder.cancel()
        subject.send(completion: .failure(.first))
        let expected = [
            "reports (M/f.swift:3) started", "reports (M/f.swift:3) started",
            "reports (M/f.swift:3) was cancelled after 1 values",
            "reports (M/f.swift:3) failed after 1 values: first",
        ]
        #expect(lines.entries == expected)
        observation.cancel()
        stream.subscribe(RecordingSubscriber<Int, TestError>())
        #expect(lines.entries == expected)
    }

    @Test("An observer may subscribe to checkpoints and cancel its own observation")
    func observerMaySubscribeAndCancel() {
        let lines = Lines()
        let observation = Locked<AnyCancellable?>(nil)
        let ending = StreamLog.observe { entry in
            guard entry.callSite.label == "outer stream" else { return }
            Empty<Int, Never>().checkpoint("inner stream", fileID: "M/f.swift", line: 4)
                .subscribe(RecordingSubscriber<Int, Never>())
            observation.withLock { $0.take() }?.cancel()
        }
        observation.withLock { $0 = ending }
        let listening = lines.observe("inner stream")
        Empty<Int, Never>().checkpoint("outer stream").subscribe(RecordingSubscriber<Int, Never>())
        #expect(
            lines.entries == [
                "inner stream (M/f.swift:4) started", "inner stream (M/f.swift:4) finished after 0 values",
            ])
        listening.cancel()
    }

    @Test("A failure sent while a cancellation is reported is ignored")
    func ignoresAFailureDuringACancellation() throws {
        let label = "failure inside cancellation"
        let subject = PassthroughSubject<Int, TestError>()
        let recorder = RecordingSubscriber<Int, TestError>()
        let observation = StreamLog.observe { entry in
            guard entry.callSite.label == label, case .cancelled = entry.event else { return }
            subject.send(completion: .failure(.first))
        }
        subject.checkpoint(label).subscribe(recorder)
        recorder.cancel()
        #expect(recorder.events == [.subscription("Checkpoint")])
        let row = try #require(Census.current.rows(labeled: label).first)
        #expect(row.cancelled == 1)
        #expect(row.failed == 0)
        observation.cancel()
    }

    @Test("A cancellation while a failure is reported suppresses the failure")
    func cancellationDuringAFailureSuppressesIt() throws {
        let label = "cancellation inside failure"
        let subject = PassthroughSubject<Int, TestError>()
        let recorder = RecordingSubscriber<Int, TestError>()
        let observation = StreamLog.observe { entry in
            guard entry.callSite.label == label, case .failed = entry.event else { return }
            recorder.cancel()
        }
        subject.checkpoint(label).subscribe(recorder)
        subject.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("Checkpoint")])
        let row = try #require(Census.current.rows(labeled: label).first)
        #expect(row.cancelled == 0)
        #expect(row.failed == 1)
        observation.cancel()
    }

    @Test("A cancelled observation releases its observer")
    func cancellationReleasesTheObserver() {
        let lifetimes = LifetimeTracker()
        let observation: AnyCancellable
        do {
            let token = lifetimes.token("observer")
            observation = StreamLog.observe { _ in withExtendedLifetime(token) {} }
        }
        #expect(lifetimes.alive == ["observer"])
        observation.cancel()
        #expect(lifetimes.alive == [])
    }
}
