import Streams
import Testing

@Suite("scan and tryScan")
struct ScanTests {
    @Test func deliversEveryResult() {
        let recorder = Recorder<Int, Never>()
        [1, 2, 3].publisher.eraseToAnyPublisher().scan(10) { $0 + $1 }.subscribe(recorder)
        #expect(recorder.values == [11, 13, 16])
        #expect(recorder.end == .finished)
    }

    @Test func startsAnewForEachSubscription() {
        let publisher = [1, 2].publisher.eraseToAnyPublisher().scan(0) { $0 + $1 }
        let (first, second) = (Recorder<Int, Never>(), Recorder<Int, Never>())
        publisher.subscribe(first)
        publisher.subscribe(second)
        #expect(first.values == second.values)
    }

    @Test func passesDemandAndTheSubscriptionThrough() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>(.max(3)) { _, _ in .max(2) }
        probe.scan(0) { $0 + $1 }.subscribe(recorder)
        #expect(probe.send(1) == .max(2))
        #expect(probe.orders == [[.request(.max(3))]])
        probe.send(completion: .failure(.one))
        #expect(recorder.end == .failure("one"))
    }

    @Test func endsWithTheErrorThrown() {
        let probe = Probe<Int, Never>()
        let recorder = Recorder<Int, any Error>()
        probe.tryScan(0) { if $1 == 3 { throw Oops.one } else { $0 + $1 } }.subscribe(recorder)
        probe.send(1)
        probe.send(3)
        probe.send(completion: .finished)
        #expect(recorder.signals == [.subscription("TryScan"), .value(1), .failure("one")])
        #expect(probe.orders == [[.request(.unlimited), .cancel]])
    }

    @Test func completesNoMoreAfterCancellation() {
        let probe = Probe<Int, Never>()
        let recorder = Recorder<Int, any Error> { recorder, _ in
            recorder.cancel()
            return .none
        }
        probe.tryScan(0) { $0 + $1 }.subscribe(recorder)
        probe.send(1)
        probe.send(completion: .finished)
        #expect(recorder.signals == [.subscription("TryScan"), .value(1)])
    }

    @Test func letsGoOfTheResultWhileTheSubscriptionIsKept() {
        let releases = Counter()
        let subject = PassthroughSubject<Int, Never>()
        let recorder = Recorder<Bool, any Error>()
        subject.tryScan(ReleaseToken(releases)) { _, _ in ReleaseToken(releases) }.map { _ in true }.subscribe(recorder)
        subject.send(1)
        #expect(releases.value == 1)
        subject.send(completion: .finished)
        #expect(releases.value == 2)
    }
}
