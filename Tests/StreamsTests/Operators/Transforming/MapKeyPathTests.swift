import Streams
import Testing

@Suite("map with key paths, and replaceNil")
struct MapKeyPathTests {
    private struct Point: Equatable {
        var x: Int
        var y: Int
        var z: Int
    }

    @Test func deliversProperties() {
        let probe = Probe<Point, Oops>()
        let recorder = Recorder<String, Oops>(.max(3)) { _, _ in .max(2) }
        probe.map(\.y).map { "\($0)" }.subscribe(recorder)
        probe.map(\.x, \.y).map { "\($0), \($1)" }.subscribe(recorder)
        probe.map(\.z, \.y, \.x).map { "\($0), \($1), \($2)" }.subscribe(recorder)
        for index in 0..<3 { #expect(probe.send(Point(x: 1, y: 2, z: 3), to: index) == .max(2)) }
        probe.send(completion: .failure(.one))
        #expect(recorder.values == ["2", "1, 2", "3, 2, 1"])
        #expect(recorder.end == .failure("one"))
        #expect(probe.orders == [[.request(.max(3))], [.request(.max(3))], [.request(.max(3))]])
    }

    @Test func nilIsReplaced() {
        let subject = PassthroughSubject<Int?, Never>()
        let recorder = Recorder<Int, Never>()
        subject.replaceNil(with: 9).subscribe(recorder)
        subject.send(1)
        subject.send(nil)
        subject.send(completion: .finished)
        #expect(recorder.signals == [.subscription("PassthroughSubject"), .value(1), .value(9), .finished])
    }
}
