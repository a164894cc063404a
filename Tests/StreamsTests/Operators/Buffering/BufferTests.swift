import Streams
import StreamsTesting
import Testing

@Suite("buffer")
struct BufferTests {
    private let probe = ProbePublisher<Int, TestError>(retention: .always)

    private func subscribe(
        _ initial: Subscribers.Demand, size: Int = 2, prefetch: Publishers.PrefetchStrategy = .byRequest,
        whenFull: Publishers.BufferingStrategy<TestError>
    ) -> RecordingSubscriber<Int, TestError> {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: initial)
        probe.buffer(size: size, prefetch: prefetch, whenFull: whenFull).subscribe(recorder)
        return recorder
    }

    @Test("A full buffer drops the newest or the oldest value")
    func dropsTheNewestOrTheOldestValue() {
        let oldest = subscribe(.none, whenFull: .dropOldest)
        let newest = subscribe(.none, whenFull: .dropNewest)
        for value in 1...4 {
            probe.send(value, to: 0)
            probe.send(value, to: 1)
        }
        oldest.request(.max(3))
        newest.request(.max(3))
        #expect(oldest.values == [3, 4])
        #expect(newest.values == [1, 2])
        probe.send(5, to: 0)
        #expect(oldest.values == [3, 4, 5])
    }

    @Test("A full buffer fails after the requested values")
    func failsWhenFull() {
        let recorder = subscribe(.none, whenFull: .customError { .second })
        for value in 1...3 { probe.send(value) }
        #expect(recorder.completion == nil)
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
        recorder.request(.max(1))
        #expect(recorder.events == [.subscription("Buffer"), .value(1), .failure(.second)])
    }

    @Test("The strategy keepFull requests as many values as it has delivered")
    func keepFullReplacesDeliveredValues() {
        let recorder = subscribe(.none, size: 3, prefetch: .keepFull, whenFull: .dropNewest)
        #expect(probe.commands == [[.request(.max(3))]])
        for value in 1...3 { #expect(probe.send(value) == .none) }
        recorder.request(.max(2))
        #expect(probe.commands == [[.request(.max(3)), .request(.max(2))]])
        recorder.request(.unlimited)
        #expect(probe.send(4) == .max(1))
        #expect(recorder.values == [1, 2, 3, 4])
    }

    @Test("Buffered values are delivered before a normal completion and dropped on a failure")
    func deliversBufferedValuesBeforeANormalCompletion() {
        let finished = subscribe(.none, whenFull: .dropNewest)
        let failed = subscribe(.none, whenFull: .dropNewest)
        probe.send(1, to: 0)
        probe.send(1, to: 1)
        probe.send(completion: .finished, to: 0)
        probe.send(completion: .failure(.first), to: 1)
        #expect(finished.completion == nil)
        #expect(failed.events == [.subscription("Buffer"), .failure(.first)])
        finished.request(.max(1))
        #expect(finished.events == [.subscription("Buffer"), .value(1), .finished])
    }

    @Test("The strategy byRequest requests all values once, before the subscription is handed down")
    func byRequestRequestsAllValuesOnce() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none) { [probe] _, event in
            if case .subscription = event { #expect(probe.commands == [[.request(.unlimited)]]) }
        }
        probe.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest).subscribe(recorder)
        recorder.request(.max(1))
        recorder.request(.unlimited)
        #expect(recorder.events == [.subscription("Buffer")])
        #expect(probe.commands == [[.request(.unlimited)]])
    }

    @Test("Values sent before the subscription is handed down are buffered")
    func prefetchesBeforeTheSubscription() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(3))
        (1...10).publisher.buffer(size: 4, prefetch: .byRequest, whenFull: .dropOldest).subscribe(recorder)
        #expect(recorder.events == [.subscription("Buffer"), .value(7), .value(8), .value(9)])
    }
}
