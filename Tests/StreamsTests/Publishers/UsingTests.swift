import Streams
import StreamsTesting
import Testing

@Suite("Operators.Using") struct UsingTests {
    /// The calls in their order.
    private final class Log: Sendable {
        private let lines = Locked<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) {
            lines.withLock { $0.append(line) }
        }
    }

    private func makePublisher(_ log: Log, around publisher: IntProbe) -> Operators.Using<Int, IntProbe> {
        Operators.Using {
            log.add("acquire")
            return 7
        } release: {
            log.add("release \($0)")
        } publisher: { _ in
            publisher
        }
    }

    private func makeRecorder(_ log: Log) -> IntRecorder {
        IntRecorder { _, event in if case .completion = event { log.add("completion") } }
    }

    @Test("The resource is released once, before the completion is delivered", arguments: [true, false])
    func releasesTheResourceBeforeTheCompletion(_ isFailure: Bool) {
        let (log, probe) = (Log(), IntProbe())
        let publisher = makePublisher(log, around: probe)
        #expect(log.all == [])
        let recorder = makeRecorder(log)
        publisher.subscribe(recorder)
        probe.send(1)
        #expect(log.all == ["acquire"])
        probe.send(completion: isFailure ? .failure(.failed) : .finished)
        #expect(log.all == ["acquire", "release 7", "completion"])
        recorder.cancel()
        #expect(log.all.count == 3)
        #expect(recorder.values == [1])
    }

    @Test("Cancellation cancels the upstream, then releases the resource")
    func cancelsThenReleases() {
        let log = Log()
        let probe = IntProbe(onCancel: { log.add("cancel") })
        let recorder = makeRecorder(log)
        makePublisher(log, around: probe).subscribe(recorder)
        recorder.cancel()
        recorder.cancel()
        #expect(log.all == ["acquire", "cancel", "release 7"])
    }

    @Test("Releasing the upstream without a completion releases the resource")
    func releasesTheResourceWithTheUpstream() {
        let log = Log()
        do {
            let probe = IntProbe()
            makePublisher(log, around: probe).subscribe(IntRecorder())
            #expect(log.all == ["acquire"])
        }
        #expect(log.all == ["acquire", "release 7"])
    }

    @Test("An error of acquire is the failure, and nothing is released")
    func acquisitionErrorIsTheFailure() {
        let log = Log()
        let recorder = IntRecorder()
        Operators.Using(throwing: LawError.self) { () throws(LawError) -> Int in
            throw .other
        } release: { _ in
            log.add("release")
        } publisher: {
            Just($0).setFailureType(to: LawError.self)
        }.subscribe(recorder)
        #expect(recorder.completion == .failure(.other))
        #expect(log.all == [])
    }
}
