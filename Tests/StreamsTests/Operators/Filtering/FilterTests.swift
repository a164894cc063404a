import Streams
import StreamsTesting
import Testing

@Suite("filter and tryFilter")
struct FilterTests {
    private let source = (1...4).publisher.eraseToAnyPublisher()

    @Test func requestsAnotherValueForEachDroppedOne() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandPerValue: .max(3))
        probe.filter { $0 > 1 }.subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(2) == .max(3))
        #expect(recorder.events == [.subscription("Probe"), .value(2)])
        recorder.cancel()
        #expect(probe.commands == [[.request(.max(2)), .cancel]])
    }

    @Test func failsWithTheThrownError() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>(initialDemand: .max(3), demandPerValue: .max(4))
        probe.tryFilter { if $0 == 3 { throw TestError.first } else { $0.isMultiple(of: 2) } }.subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(2) == .max(4))
        #expect(probe.send(3) == .none)
        probe.send(4)
        probe.send(completion: .finished)
        #expect(recorder.transcript == ["subscription TryFilter", "2", "failure first"])
        #expect(probe.commands == [[.request(.max(3)), .cancel]])
    }

    @Test func tryFilterForwardsTheCompletion() {
        let recorder = RecordingSubscriber<Int, any Error>()
        [1, 2].publisher.tryFilter { $0 > 1 }.subscribe(recorder)
        #expect(recorder.transcript == ["subscription TryFilter", "2", "finished"])
    }

    @Test func tryFilterCancelsASecondSubscription() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>()
        probe.tryFilter { _ in true }.subscribe(recorder)
        probe.sendSubscription()
        #expect(recorder.transcript == ["subscription TryFilter"])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test func consecutiveFiltersAreOneOperator() {
        let isOne: Publishers.Filter<AnyPublisher<Int, Never>> =
            source.filter { $0 > 1 }.filter { $0 < 4 }
        let recorder = RecordingSubscriber<Int, Never>()
        isOne.subscribe(recorder)
        #expect(recorder.values == [2, 3])
    }

    @Test func callsASecondConditionOnlyIfTheFirstIsSatisfied() {
        let called = RecordingSubscriber<Int, Never>()
        let isOne: Publishers.TryFilter<AnyPublisher<Int, Never>> =
            source.filter { $0 > 2 }
            .tryFilter {
                _ = called.receive($0)
                return true
            }
            .filter { $0 < 4 }
            .tryFilter { _ in true }
        let recorder = RecordingSubscriber<Int, any Error>()
        isOne.subscribe(recorder)
        #expect(called.values == [3, 4])
        #expect(recorder.values == [3])
    }
}
