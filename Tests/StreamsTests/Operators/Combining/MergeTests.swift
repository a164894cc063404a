import Streams
import StreamsTesting
import Testing

@Suite("merge")
struct MergeTests {
    @Test("Values are delivered as they come, until all publishers have finished")
    func values() {
        let left = ProbePublisher<Int, TestError>(retention: .always)
        let right = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        left.merge(with: right.map { $0 * 10 }).subscribe(recorder)
        left.send(1)
        right.send(2)
        left.send(completion: .finished)
        right.send(3)
        #expect(recorder.events == [.subscription("Merge"), .value(1), .value(20), .value(30)])
        right.send(completion: .finished)
        #expect(recorder.completion == .finished)
    }

    @Test("A failure is delivered at once and cancels the others")
    func failing() {
        let probes = (0..<3).map { _ in ProbePublisher<Int, TestError>(retention: .always) }
        let recorder = RecordingSubscriber<Int, TestError>()
        Publishers.MergeMany(probes).subscribe(recorder)
        probes[1].send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("Merge"), .failure(.first)])
        #expect(probes[0].commands == [[.request(.unlimited), .cancel]])
        #expect(probes[2].commands == [[.request(.unlimited), .cancel]])
    }

    @Test("All arities, also chained")
    func arities() {
        let one = Just(1)
        let recorder = RecordingSubscriber<Int, Never>()
        let eight = one.merge(with: Optional(2).publisher).merge(with: one).merge(with: one).merge(with: one)
            .merge(with: one).merge(with: one).merge(with: one)
        eight.subscribe(recorder)
        #expect(type(of: eight.a) == Just<Int>.self && type(of: eight.h) == Just<Int>.self)
        #expect(recorder.values == [1, 2, 1, 1, 1, 1, 1, 1])
        #expect(recorder.completion == .finished)
        let many = Publishers.MergeMany([1, 2, 3].map(Just.init)).merge(with: Just(4))
        let other = RecordingSubscriber<Int, Never>()
        many.subscribe(other)
        #expect(other.values == [1, 2, 3, 4])
        #expect(many == Publishers.MergeMany(Just(1), Just(2), Just(3), Just(4)))
    }

    @Test("With limited demand at most one value of each publisher is buffered")
    func demand() {
        let left = ProbePublisher<Int, TestError>(retention: .always)
        let right = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
        Publishers.Merge(left, right).subscribe(recorder)
        #expect(left.commands == [[.request(.max(1))]])
        #expect(left.send(1) == .max(1))
        #expect(right.send(2) == .none)
        #expect(recorder.values == [1])
        recorder.request(.max(1))
        #expect(recorder.values == [1, 2])
        #expect(right.commands == [[.request(.max(1)), .request(.max(1))]])
    }

    @Test("No publisher is subscribed to after cancellation")
    func cancelling() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, Never> { recorder, event in
            if event.value != nil { recorder.cancel() }
        }
        Just(1).merge(with: probe).subscribe(recorder)
        #expect(recorder.values == [1])
        #expect(probe.subscriptionCount == 0)
    }
}
