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
