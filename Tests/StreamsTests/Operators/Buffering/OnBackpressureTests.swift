import Streams
import StreamsTesting
import Testing

@Suite("onBackpressure and limitRate") struct OnBackpressureTests {
    private let probe = IntProbe()

    private func run<P: Publisher>(_ publisher: P) -> IntRecorder where P.Output == Int, P.Failure == LawError {
        let recorder = IntRecorder(initialDemand: .max(1))
        publisher.subscribe(recorder)
        for value in 1...3 { probe.send(value) }
        return recorder
    }

    @Test("onBackpressureBuffer buffers every value, and the completion follows them")
    func buffersEveryValue() {
        let recorder = run(probe.onBackpressureBuffer())
        #expect(probe.requests == [.unlimited])
        #expect(recorder.values == [1])
        probe.send(completion: .failure(.failed))
        #expect(recorder.completion == nil)
        recorder.request(.max(1))
        #expect(recorder.values == [1, 2])
        recorder.request(.unlimited)
        #expect(recorder.values == [1, 2, 3])
        #expect(recorder.completion == .failure(.failed))
        #expect(recorder.violations == [])
    }

    @Test("onBackpressureDrop drops unrequested values")
    func dropsUnrequestedValues() {
        let recorder = run(probe.onBackpressureDrop())
        recorder.request(.max(1))
        #expect(recorder.values == [1])
        probe.send(4)
        probe.send(completion: .finished)
        #expect(recorder.values == [1, 4])
        #expect(recorder.completion == .finished)
    }

    @Test("onBackpressureLatest buffers the latest value, and the completion follows it")
    func buffersTheLatestValue() {
        let recorder = run(probe.onBackpressureLatest())
        probe.send(completion: .finished)
        #expect(recorder.events.dropFirst() == [.value(1)])
        recorder.request(.max(1))
        #expect(recorder.events.dropFirst() == [.value(1), .value(3), .completion(.finished)])
        #expect(recorder.violations == [])
    }

    @Test("onBackpressureError fails on an unrequested value, cancels the upstream and releases the closure")
    func failsOnAnUnrequestedValue() {
        let lifetimes = LifetimeTracker()
        let recorder: IntRecorder
        do {
            let token = lifetimes.token("closure")
            recorder = run(
                probe.onBackpressureError {
                    withExtendedLifetime(token) {}
                    return .other
                })
        }
        #expect(recorder.events.dropFirst() == [.value(1), .completion(.failure(.other))])
        #expect(probe.cancellations == 1)
        #expect(lifetimes.alive == [])
    }

    @Test("values behind onBackpressureBuffer loses nothing")
    func valuesLosesNothing() async throws {
        let subject = IntSubject()
        var iterator = subject.onBackpressureBuffer().values.makeAsyncIterator()
        for value in 1...3 { subject.send(value) }
        subject.send(completion: .finished)
        var received: [Int] = []
        while let value = try await iterator.next() { received.append(value) }
        #expect(received == [1, 2, 3])
    }

    @Test("A rate limit requests again after three quarters of the values")
    func limitRateRequestsAgainAfterThreeQuarters() {
        let recorder = IntRecorder(initialDemand: .unlimited)
        probe.limitRate(4).subscribe(recorder)
        #expect(recorder.events == [.subscription("LimitRate")])
        #expect(probe.requests == [.max(4)])
        let returned = (1...6).map { probe.send($0) }
        #expect(returned == [.none, .none, .max(3), .none, .none, .max(3)])
        #expect(recorder.values == Array(1...6))
    }

    @Test("A rate limit requests no more than the subscriber")
    func limitRateObeysTheDemand() {
        let recorder = IntRecorder(initialDemand: .max(2))
        probe.limitRate(10).subscribe(recorder)
        #expect(probe.requests == [.max(2)])
        #expect(probe.send(1) == .none)
        recorder.request(.max(20))
        #expect(probe.requests == [.max(2), .max(9)])
        recorder.cancel()
        #expect(probe.cancellations == 1)
    }

    @Test("A rate limit of one requests values one by one on a small stack")
    func limitOfOneKeepsTheStackFlat() {
        let counter = UncheckedTransfer(IntCounter(demand: .unlimited))
        onSmallStack { count(to: 10_000).limitRate(1).subscribe(counter.value) }
        #expect(counter.value.count == 10_000)
    }
}
