import Streams
import Testing

@Suite("removeDuplicates and tryRemoveDuplicates")
struct RemoveDuplicatesTests {
    @Test func leavesRepetitionsOut() {
        let recorder = Recorder<Int, Never>()
        [1, 1, 2, 2, 2, 1].publisher.eraseToAnyPublisher().removeDuplicates().subscribe(recorder)
        #expect(recorder.signals == [.subscription("RemoveDuplicates"), .value(1), .value(2), .value(1), .finished])
    }

    @Test func comparesWithTheValueBeforeEvenIfThatWasLeftOut() {
        let recorder = Recorder<Int, Never>()
        [1, 2, 3, 5].publisher.removeDuplicates { $1 - $0 == 1 }.subscribe(recorder)
        #expect(recorder.values == [1, 5])
    }

    @Test func asksForAnotherValueInPlaceOfARepetition() {
        let probe = Probe<Int, Never>()
        let recorder = Recorder<Int, Never>(.max(2)) { _, _ in .max(5) }
        probe.removeDuplicates().subscribe(recorder)
        #expect(probe.send(1) == .max(5))
        #expect(probe.send(1) == .max(1))
        #expect(probe.orders == [[.request(.max(2))]])
    }

    @Test func endsWithTheErrorThrown() {
        let probe = Probe<Int, Never>()
        let recorder = Recorder<Int, any Error>()
        probe.tryRemoveDuplicates { if $1 == 0 { throw Oops.two } else { $0 == $1 } }.subscribe(recorder)
        for value in [1, 1, 0, 2] { probe.send(value) }
        probe.send(completion: .finished)
        #expect(recorder.signals == [.subscription("TryRemoveDuplicates"), .value(1), .failure("two")])
        #expect(probe.orders == [[.request(.unlimited), .cancel]])
    }

    @Test func isSilentAfterCancellation() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>()
        probe.removeDuplicates().subscribe(recorder)
        recorder.cancel()
        probe.send(1)
        probe.send(completion: .failure(.one))
        #expect(recorder.signals == [.subscription("RemoveDuplicates")])
    }

    @Test func letsGoOfTheLastValue() {
        let releases = Counter()
        let subject = PassthroughSubject<ReleaseToken, Never>()
        let recorder = Recorder<Bool, Never>()
        subject.removeDuplicates { _, _ in false }.map { _ in true }.subscribe(recorder)
        subject.send(ReleaseToken(releases))
        #expect(releases.value == 0)
        subject.send(completion: .finished)
        #expect(releases.value == 1)
    }
}
