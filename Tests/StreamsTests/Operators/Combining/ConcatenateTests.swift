import Streams
import Testing

@Suite("append and prepend")
struct ConcatenateTests {
    @Test func appendsInAllForms() {
        let recorder = Recorder<Int, Never>()
        let base = Just(1)
        base.append(2, 3).append([4, 5]).append(Just(6)).subscribe(recorder)
        #expect(recorder.values == [1, 2, 3, 4, 5, 6])
        #expect(recorder.end == .finished)
    }

    @Test func prependsInAllForms() {
        let recorder = Recorder<Int, Never>()
        let base = Just(6)
        base.prepend(4, 5).prepend([2, 3]).prepend(Just(1)).subscribe(recorder)
        #expect(recorder.values == [1, 2, 3, 4, 5, 6])
        #expect(recorder.end == .finished)
    }

    @Test func subscribesToTheSecondOnceTheFirstHasFinished() {
        let (first, second) = (Probe<Int, Oops>(), Probe<Int, Oops>())
        let recorder = Recorder<Int, Oops>(.max(3))
        first.append(second).subscribe(recorder)
        first.send(1)
        #expect(second.subscriptionCount == 0)
        first.send(completion: .finished)
        #expect(second.orders == [[.request(.max(2))]])
        second.send(completion: .failure(.two))
        #expect(recorder.signals == [.subscription("Concatenate"), .value(1), .failure("two")])
    }

    @Test func appendsNothingToAFailure() {
        let (first, second) = (Probe<Int, Oops>(), Probe<Int, Oops>())
        let recorder = Recorder<Int, Oops>()
        first.append(second).subscribe(recorder)
        first.send(completion: .failure(.one))
        #expect(second.subscriptionCount == 0)
        #expect(recorder.end == .failure("one"))
    }

    @Test func ignoresValuesNobodyHasAskedFor() {
        let probe = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>(.max(1))
        probe.append(9).subscribe(recorder)
        probe.send(1)
        probe.send(2)
        recorder.request(.max(1))
        probe.send(3)
        #expect(recorder.signals == [.subscription("Concatenate"), .value(1), .value(3)])
    }

    @Test func theSecondIsLetGoOfAtTheEnd() {
        let endings: [@Sendable (Probe<Int, Oops>, Recorder<Int, Oops>) -> Void] = [
            { probe, _ in probe.send(completion: .failure(.one)) }, { _, recorder in recorder.cancel() },
        ]
        for end in endings {
            let probe = Probe<Int, Oops>()
            let recorder = Recorder<Int, Oops>()
            weak var second: Probe<Int, Oops>?
            do {
                let suffix = Probe<Int, Oops>()
                second = suffix
                probe.append(suffix).subscribe(recorder)
            }
            #expect(second != nil)
            end(probe, recorder)
            #expect(second == nil)
        }
    }

    @Test func cancellationReachesTheCurrentOne() {
        let (first, second) = (Probe<Int, Oops>(), Probe<Int, Oops>())
        let recorder = Recorder<Int, Oops>()
        first.append(second).subscribe(recorder)
        recorder.cancel()
        first.send(completion: .finished)
        #expect(first.orders == [[.request(.unlimited), .cancel]])
        #expect(second.subscriptionCount == 0)
        #expect(recorder.signals == [.subscription("Concatenate")])
    }
}
