import Streams
import StreamsTesting
import Testing

@Suite("map with key paths")
struct MapKeyPathTests {
    private struct Point: Equatable {
        var x: Int
        var y: Int
        var z: Int
    }

    @Test func publishesPropertiesAndForwardsDemand() {
        let probe = ProbePublisher<Point, TestError>(retention: .always)
        let recorders = (0..<3).map { _ in
            RecordingSubscriber<String, TestError>(initialDemand: .max(3), demandPerValue: .max(2))
        }
        probe.map(\.y).map { "\($0)" }.subscribe(recorders[0])
        probe.map(\.x, \.y).map { "\($0), \($1)" }.subscribe(recorders[1])
        probe.map(\.z, \.y, \.x).map { "\($0), \($1), \($2)" }.subscribe(recorders[2])
        #expect(probe.send(Point(x: 1, y: 2, z: 3)) == .max(6))
        probe.send(completion: .failure(.first))
        #expect(recorders.map(\.values) == [["2"], ["1, 2"], ["3, 2, 1"]])
        for recorder in recorders { #expect(recorder.completion == .failure(.first)) }
        #expect(probe.commands == [[.request(.max(3))], [.request(.max(3))], [.request(.max(3))]])
    }
}
