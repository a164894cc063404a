import Foundation
import Streams
import StreamsTesting
import Testing

@Suite("Record")
struct RecordTests {
    private struct CodableError: Error, Codable, Equatable {
        var reason: String
    }

    @Test func replaysValuesOnDemandAndTheCompletion() {
        let record = Record<Int, TestError> { recording in
            recording.receive(1)
            recording.receive(2)
            recording.receive(completion: .failure(.second))
        }
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        record.subscribe(recorder)
        recorder.request(.none)
        recorder.request(.max(1))
        #expect(recorder.events == [.subscription("[1, 2]"), .value(1)])
        recorder.request(.max(1))
        #expect(recorder.events == [.subscription("[1, 2]"), .value(1), .value(2), .failure(.second)])
    }

    @Test func anEmptyRecordingCompletesWithoutDemand() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        Record<Int, TestError>(output: [], completion: .failure(.first)).subscribe(recorder)
        #expect(recorder.events == [.subscription("Empty"), .failure(.first)])
        let finished = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        Record<Int, TestError> { _ in }.subscribe(finished)
        #expect(finished.completion == .finished)
    }

    @Test func cancellationEndsTheReplay() {
        let recorder = RecordingSubscriber<Int, TestError> { recorder, event in
            if event.value != nil { recorder.cancel() }
        }
        Record<Int, TestError>(output: [1, 2], completion: .finished).subscribe(recorder)
        #expect(recorder.events == [.subscription("[1, 2]"), .value(1)])
    }

    @Test func aRecordingIsFilledWithSignals() {
        var recording = Record<Int, TestError>.Recording()
        recording.receive(7)
        recording.receive(completion: .failure(.first))
        #expect(recording.output == [7])
        #expect(recording.completion == .failure(.first))
    }

    @Test(arguments: [Subscribers.Completion<CodableError>.finished, .failure(CodableError(reason: "none"))])
    private func survivesEncoding(_ completion: Subscribers.Completion<CodableError>) throws {
        let record = Record<Int, CodableError>(output: [3, 1], completion: completion)
        let data = try JSONEncoder().encode(record)
        let decoded = try JSONDecoder().decode(Record<Int, CodableError>.self, from: data)
        #expect(decoded.recording.output == [3, 1])
        #expect(decoded.recording.completion == completion)
    }

    @Test func decodesCombinesForm() throws {
        let json = #"{"recording":{"completion":{"success":true},"output":[1,2]}}"#
        let record = try JSONDecoder().decode(Record<Int, CodableError>.self, from: Data(json.utf8))
        #expect(record.recording.output == [1, 2])
        #expect(record.recording.completion == .finished)
    }

    @Test func aCompleteRecordingStopsTheProgramOnAValue() async {
        await #expect(processExitsWith: .failure) {
            var recording = Record<Int, Never>.Recording(output: [])
            recording.receive(1)
        }
    }
}
