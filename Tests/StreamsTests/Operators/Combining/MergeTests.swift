import Streams
import Testing

@Suite("merge")
struct MergeTests {
    @Test("What comes is delivered as it comes, until all have ended")
    func values() {
        let left = Probe<Int, Oops>()
        let right = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>()
        left.merge(with: right.map { $0 * 10 }).subscribe(recorder)
        left.send(1)
        right.send(2)
        left.send(completion: .finished)
        right.send(3)
        #expect(recorder.signals == [.subscription("Merge"), .value(1), .value(20), .value(30)])
        right.send(completion: .finished)
        #expect(recorder.end == .finished)
    }

    @Test("A failure ends it at once and cancels the others")
    func failing() {
        let probes = (0..<3).map { _ in Probe<Int, Oops>() }
        let recorder = Recorder<Int, Oops>()
        Publishers.MergeMany(probes).subscribe(recorder)
        probes[1].send(completion: .failure(.one))
        #expect(recorder.signals == [.subscription("Merge"), .failure("one")])
        #expect(probes[0].orders == [[.request(.unlimited), .cancel]])
        #expect(probes[2].orders == [[.request(.unlimited), .cancel]])
    }

    @Test("All arities, also built one by one")
    func arities() {
        let one = Just(1)
        let recorder = Recorder<Int, Never>()
        let eight = one.merge(with: Optional(2).publisher).merge(with: one).merge(with: one).merge(with: one)
            .merge(with: one).merge(with: one).merge(with: one)
        eight.subscribe(recorder)
        #expect(type(of: eight.a) == Just<Int>.self && type(of: eight.h) == Just<Int>.self)
        #expect(recorder.values == [1, 2, 1, 1, 1, 1, 1, 1])
        #expect(recorder.end == .finished)
        let many = Publishers.MergeMany([1, 2, 3].map(Just.init)).merge(with: Just(4))
        let other = Recorder<Int, Never>()
        many.subscribe(other)
        #expect(other.values == [1, 2, 3, 4])
        #expect(many == Publishers.MergeMany(Just(1), Just(2), Just(3), Just(4)))
    }

    @Test("A limited subscriber has one value of each kept for it at most")
    func demand() {
        let left = Probe<Int, Oops>()
        let right = Probe<Int, Oops>()
        let recorder = Recorder<Int, Oops>(.max(1))
        Publishers.Merge(left, right).subscribe(recorder)
        #expect(left.orders == [[.request(.max(1))]])
        #expect(left.send(1) == .max(1))
        #expect(right.send(2) == .none)
        #expect(recorder.values == [1])
        recorder.request(.max(1))
        #expect(recorder.values == [1, 2])
        #expect(right.orders == [[.request(.max(1)), .request(.max(1))]])
    }

    @Test("Nobody is subscribed to once the subscriber has cancelled")
    func cancelling() {
        let probe = Probe<Int, Never>()
        let recorder = Recorder<Int, Never> { recorder, _ in
            recorder.cancel()
            return .none
        }
        Just(1).merge(with: probe).subscribe(recorder)
        #expect(recorder.values == [1])
        #expect(probe.subscriptionCount == 0)
    }
}
