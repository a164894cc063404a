import Streams
import Testing

@Suite("race")
struct RaceTests {
    private let first = Probe<Int, Oops>()
    private let second = Probe<Int, Oops>()

    private func race(_ recorder: Recorder<Int, Oops>) {
        first.race(with: second).subscribe(recorder)
    }

    @Test("Whoever sends the first value wins, and the other is cancelled")
    func winning() {
        let recorder = Recorder<Int, Oops>()
        race(recorder)
        second.send(8)
        first.send(1)
        second.send(9)
        second.send(completion: .finished)
        #expect(recorder.signals == [.subscription("Race"), .value(8), .value(9), .finished])
        #expect(first.orders == [[.request(.unlimited), .cancel]])
        #expect(second.orders == [[.request(.unlimited)]])
    }

    @Test("The other is cancelled before the value is delivered")
    func order() {
        let recorder = Recorder<Int, Oops> { [first] _, _ in
            #expect(first.orders == [[.request(.unlimited), .cancel]])
            return .none
        }
        race(recorder)
        second.send(8)
        #expect(recorder.values == [8])
    }

    @Test("Both are asked until it is decided, then the winner alone")
    func demand() {
        let recorder = Recorder<Int, Oops>(.max(2)) { _, _ in .max(1) }
        race(recorder)
        recorder.request(.max(3))
        #expect(first.send(1) == .max(1))
        recorder.request(.max(4))
        #expect(first.orders == [[.request(.max(2)), .request(.max(3)), .request(.max(4))]])
        #expect(second.orders == [[.request(.max(2)), .request(.max(3)), .cancel]])
    }

    @Test("A completion wins as well", arguments: [true, false])
    func ending(failing: Bool) {
        let recorder = Recorder<Int, Oops>()
        race(recorder)
        first.send(completion: failing ? .failure(.two) : .finished)
        second.send(8)
        #expect(recorder.signals == [.subscription("Race"), failing ? .failure("two") : .finished])
        #expect(second.orders == [[.request(.unlimited), .cancel]])
    }

    @Test("Where one has completed at once, those after it are not subscribed to")
    func endedAtOnce() {
        let recorder = Recorder<Int, Oops>()
        Fail<Int, Oops>(error: .one).race(with: second).subscribe(recorder)
        #expect(recorder.signals == [.subscription("Race"), .failure("one")])
        #expect(second.subscriptionCount == 0)
    }

    @Test("A publisher that has a value at once is taken when all have been subscribed to")
    func synchronous() {
        let recorder = Recorder<Int, Oops>(.max(1))
        Just(1).setFailureType(to: Oops.self).race(with: second).subscribe(recorder)
        #expect(recorder.signals == [.subscription("Race"), .value(1), .finished])
        #expect(second.orders == [[.cancel]])
    }

    @Test("Cancellation reaches all, and nothing comes after it")
    func cancelling() {
        let recorder = Recorder<Int, Oops>()
        let third = Probe<Int, Oops>()
        [first, second, third].race().subscribe(recorder)
        recorder.cancel()
        second.send(8)
        third.send(completion: .finished)
        #expect(recorder.signals == [.subscription("Race")])
        for probe in [first, second, third] { #expect(probe.orders == [[.request(.unlimited), .cancel]]) }
    }

    @Test("Without publishers it completes at once")
    func empty() {
        let recorder = Recorder<Int, Oops>()
        [Probe<Int, Oops>]().race().subscribe(recorder)
        #expect(recorder.end == .finished)
    }

    @Test("Of many that send at once exactly one wins")
    func concurrency() {
        for _ in 0..<50 {
            let subjects = (0..<4).map { _ in PassthroughSubject<Int, Oops>() }
            let recorder = Recorder<Int, Oops>()
            subjects.race().subscribe(recorder)
            concurrently(4) { thread in
                for step in 0..<20 { subjects[thread].send(thread * 100 + step) }
                subjects[thread].send(completion: .finished)
            }
            let winner = (recorder.values.first ?? 0) / 100
            #expect(recorder.values == (0..<20).map { winner * 100 + $0 })
            #expect(recorder.signals.count == 22)
            #expect(recorder.end == .finished)
            #expect(recorder.overlap == 1)
        }
    }
}
