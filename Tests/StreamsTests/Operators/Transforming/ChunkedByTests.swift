import Streams
import StreamsTesting
import Testing

@Suite("chunked(by:)")
struct ChunkedByTests {
    private typealias Recorder = RecordingSubscriber<[Int], TestError>

    private let probe = ProbePublisher<Int, TestError>(retention: .always)

    private func chunks(of publisher: some Publisher<Int, TestError>) -> some Publisher<[Int], TestError> {
        publisher.chunked { $1 == $0 + 1 }
    }

    @Test(
        "Neighbours that belong together are one array",
        arguments: [
            ([], []), ([1], [[1]]), ([1, 2, 3], [[1, 2, 3]]), ([1, 3, 5], [[1], [3], [5]]),
            ([1, 2, 5, 6, 9], [[1, 2], [5, 6], [9]]),
        ] as [([Int], [[Int]])])
    func chunksNeighbours(_ values: [Int], _ expected: [[Int]]) {
        let recorder = Recorder()
        chunks(of: values.publisher.setFailureType(to: TestError.self)).subscribe(recorder)
        #expect(recorder.events == [.subscription("ChunkedBy")] + expected.map { .value($0) } + [.finished])
    }

    @Test("An array is delivered when the first value of the next one comes")
    func deliversACompleteArray() {
        let recorder = Recorder()
        chunks(of: probe).subscribe(recorder)
        probe.send(1)
        probe.send(2)
        #expect(recorder.values == [])
        probe.send(7)
        #expect(recorder.values == [[1, 2]])
    }

    @Test("Each value that completes no array is replaced by another one")
    func replacesValues() {
        let recorder = Recorder(initialDemand: .max(1))
        chunks(of: probe).subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(2) == .max(1))
        #expect(probe.send(7) == .none)
        #expect(recorder.values == [[1, 2]])
        #expect(probe.commands == [[.request(.max(1))]])
    }

    @Test("The last array waits for demand")
    func lastArrayWaitsForDemand() {
        let recorder = Recorder(initialDemand: .max(1))
        chunks(of: probe).subscribe(recorder)
        for value in [1, 2, 7] { probe.send(value) }
        probe.send(completion: .finished)
        #expect(recorder.values == [[1, 2]] && recorder.completion == nil)
        recorder.request(.max(1))
        #expect(recorder.values == [[1, 2], [7]] && recorder.completion == .finished)
        #expect(probe.commands == [[.request(.max(1))]])
    }

    @Test("Demand that is returned for an array is used for the last one")
    func returnedDemandCounts() {
        let recorder = Recorder(initialDemand: .max(1), demandPerValue: .max(1))
        chunks(of: probe).subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(7) == .max(1))
        probe.send(completion: .finished)
        #expect(recorder.values == [[1], [7]] && recorder.completion == .finished)
    }

    @Test("A failure drops the last array and does not wait for demand")
    func failureDropsTheLastArray() {
        let recorder = Recorder(initialDemand: .max(1))
        chunks(of: probe).subscribe(recorder)
        for value in [1, 7] { probe.send(value) }
        probe.send(completion: .failure(.first))
        recorder.request(.max(1))
        #expect(recorder.values == [[1]] && recorder.completion == .failure(.first))
    }

    @Test("A cancellation drops the last array, also one that waits for demand")
    func cancellationDropsTheLastArray() {
        for isFinished in [false, true] {
            let probe = ProbePublisher<Int, TestError>(retention: .always)
            let recorder = Recorder(initialDemand: .max(1))
            chunks(of: probe).subscribe(recorder)
            for value in [1, 7] { probe.send(value) }
            if isFinished { probe.send(completion: .finished) }
            recorder.cancel()
            recorder.request(.max(1))
            probe.send(completion: .finished)
            #expect(recorder.values == [[1]] && recorder.completion == nil)
            #expect(probe.cancellations == (isFinished ? 0 : 1))
        }
    }

    @Test("A cancellation during the last array suppresses the completion")
    func cancellationDuringTheLastArray() {
        let recorder = Recorder { recorder, event in
            if event.value == [7] { recorder.cancel() }
        }
        chunks(of: [1, 7].publisher.setFailureType(to: TestError.self)).subscribe(recorder)
        #expect(recorder.values == [[1], [7]] && recorder.completion == nil)
    }
}
