import Streams
import StreamsTesting
import Testing

@Suite("Operators.Using") struct UsingTests {
    /// What happened, in order.
    private final class Log: Sendable {
        private let lines = Locked<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) {
            lines.withLock { $0.append(line) }
        }
    }

    private func scope(_ log: Log, around publisher: IntProbe) -> Operators.Using<Int, IntProbe> {
        Operators.Using {
            log.add("acquire")
            return 7
        } release: {
            log.add("release \($0)")
        } publisher: { _ in
            publisher
        }
    }

    private func recorder(_ log: Log) -> IntRecorder {
        IntRecorder { _, event in if case .completion = event { log.add("completion") } }
    }

    @Test("The resource is released before the completion is delivered, once", arguments: [true, false])
    func completion(_ isFailure: Bool) {
        let (log, probe) = (Log(), IntProbe())
        let scope = scope(log, around: probe)
        #expect(log.all == [])
        let recorder = recorder(log)
        scope.subscribe(recorder)
        probe.send(1)
        #expect(log.all == ["acquire"])
        probe.send(completion: isFailure ? .failure(.failed) : .finished)
        #expect(log.all == ["acquire", "release 7", "completion"])
        recorder.cancel()
        #expect(log.all.count == 3)
        #expect(recorder.values == [1])
    }

    @Test("Cancellation cancels, then releases")
    func cancellation() {
        let log = Log()
        let probe = IntProbe(onCancel: { log.add("cancel") })
        let recorder = recorder(log)
        scope(log, around: probe).subscribe(recorder)
        recorder.cancel()
        recorder.cancel()
        #expect(log.all == ["acquire", "cancel", "release 7"])
    }

    @Test("A publisher that goes away without completing releases")
    func vanishing() {
        let log = Log()
        do {
            let probe = IntProbe()
            scope(log, around: probe).subscribe(IntRecorder())
            #expect(log.all == ["acquire"])
        }
        #expect(log.all == ["acquire", "release 7"])
    }

    @Test("What cannot be acquired is a failure, and nothing is released")
    func failure() {
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
