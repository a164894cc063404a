import Streams
import StreamsTesting
import Testing

@Suite("The typed forms of the try operators") struct TryTransformTests {
    private let probe = IntProbe()

    @Test("The failure keeps its type, and cancels the upstream")
    func typedFailure() {
        let recorder = IntRecorder()
        probe.tryMap(throwing: LawError.self) { value throws(LawError) -> Int in
            guard value < 3 else { throw .other }
            return value * 10
        }.subscribe(recorder)
        for value in 1...4 { probe.send(value) }
        #expect(recorder.events.dropFirst() == [.value(10), .value(20), .completion(.failure(.other))])
        #expect(probe.cancellations == 1)
    }

    @Test("For a value that is dropped another one is asked for")
    func demand() {
        let recorder = IntRecorder(initialDemand: .max(1))
        probe.tryCompactMap(throwing: LawError.self) { $0.isMultiple(of: 2) ? $0 : nil }
            .tryFilter(throwing: LawError.self) { $0 > 2 }
            .subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(2) == .max(1))
        #expect(probe.send(4) == .none)
        #expect(recorder.values == [4])
    }

    @Test("Without the label the operators are Combine's, whose failure is any error")
    func combine() {
        let mapped: Publishers.TryMap<IntProbe, Int> = probe.tryMap { _ in throw LawError.other }
        let recorder = RecordingSubscriber<Int, any Error>()
        mapped.subscribe(recorder)
        probe.send(1)
        guard case .failure(let error) = recorder.completion else {
            Issue.record("there is no failure")
            return
        }
        #expect(error as? LawError == .other)
    }
}
