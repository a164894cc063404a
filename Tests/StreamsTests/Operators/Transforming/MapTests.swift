import Streams
import StreamsTesting
import Testing

@Suite("map and tryMap")
struct MapTests {
    private let source = (1...4).publisher.eraseToAnyPublisher()

    @Test func transformsEachValue() {
        let recorder = RecordingSubscriber<String, Never>()
        [1, 2].publisher.eraseToAnyPublisher().map { "<\($0)>" }.subscribe(recorder)
        #expect(recorder.transcript == ["subscription [1, 2]", "<1>", "<2>", "finished"])
    }

    @Test func forwardsTheSubscriptionAndDemand() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandPerValue: .max(4))
        probe.map { $0 + 1 }.subscribe(recorder)
        #expect(probe.send(1) == .max(4))
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("Probe"), .value(2), .failure(.first)])
        #expect(probe.commands == [[.request(.max(2))]])
    }

    @Test func failsOnceWithTheThrownErrorAndCancels() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>(demandPerValue: .max(3))
        probe.tryMap { if $0 == 2 { throw TestError.second } else { $0 * 10 } }.subscribe(recorder)
        #expect(probe.send(1) == .max(3))
        #expect(probe.send(2) == .none)
        probe.send(1)
        probe.send(completion: .finished)
        #expect(recorder.transcript == ["subscription TryMap", "10", "failure second"])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test func tryMapForwardsFailures() {
        let recorder = RecordingSubscriber<Int, any Error>()
        Fail<Int, TestError>(error: .first).tryMap { $0 }.subscribe(recorder)
        #expect(recorder.transcript.last == "failure first")
    }

    @Test func tryMapCancelsASecondSubscription() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>()
        probe.tryMap { $0 }.subscribe(recorder)
        probe.sendSubscription()
        #expect(recorder.transcript == ["subscription TryMap"])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test func tryMapPublishesNilOfAnOptionalType() {
        let recorder = RecordingSubscriber<Int?, any Error>()
        [1, 2].publisher.tryMap { $0 == 1 ? nil : $0 }.subscribe(recorder)
        #expect(recorder.values == [nil, 2])
    }

    @Test func consecutiveMapsAreOneOperator() {
        let chain = source.map { $0 * 10 }.map { $0 + 1 }
        let isOne: Publishers.Map<AnyPublisher<Int, Never>, String> = chain.map { "\($0)" }
        let recorder = RecordingSubscriber<String, Never>()
        isOne.subscribe(recorder)
        #expect(recorder.values == ["11", "21", "31", "41"])
    }

    @Test func consecutiveTryMapsAreOneOperator() {
        let first: Publishers.TryMap<AnyPublisher<Int, Never>, Int> = source.map { $0 * 10 }.tryMap {
            if $0 == 30 { throw TestError.first }
            return $0
        }
        let isOne: Publishers.TryMap<AnyPublisher<Int, Never>, Int> = first.map { $0 + 1 }.tryMap {
            $0 + 1
        }
        let recorder = RecordingSubscriber<Int, any Error>()
        isOne.subscribe(recorder)
        #expect(recorder.values == [12, 22])
        #expect(recorder.transcript.last == "failure first")
    }
}
