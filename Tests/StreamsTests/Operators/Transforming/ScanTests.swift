import Streams
import StreamsTesting
import Testing

@Suite("scan and tryScan")
struct ScanTests {
    @Test func publishesEachResult() {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 2, 3].publisher.eraseToAnyPublisher().scan(10) { $0 + $1 }.subscribe(recorder)
        #expect(recorder.values == [11, 13, 16])
        #expect(recorder.completion == .finished)
    }

    @Test func startsWithTheInitialResultForEachSubscription() {
        let publisher = [1, 2].publisher.eraseToAnyPublisher().scan(0) { $0 + $1 }
        let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
        publisher.subscribe(first)
        publisher.subscribe(second)
        #expect(first.values == second.values)
    }

    @Test func updatesTheResultInPlace() {
        let publisher = ["a", "b", "a"].publisher.eraseToAnyPublisher().scan(into: [:]) { counts, word in
            counts[word, default: 0] += 1
        }
        for _ in 0..<2 {
            let recorder = RecordingSubscriber<[String: Int], Never>()
            publisher.subscribe(recorder)
            #expect(recorder.values == [["a": 1], ["a": 1, "b": 1], ["a": 2, "b": 1]])
        }
    }

    @Test func copiesNoCollectionThatNoSubscriberKeeps() {
        let addresses = LockedValue<Set<UInt>>([])
        let subscription = (0..<100).publisher.eraseToAnyPublisher().scan(into: Array(repeating: 0, count: 100)) {
            $0[$1] = $1
        }.sink { array in
            array.withUnsafeBufferPointer { buffer in
                addresses.update { _ = $0.insert(UInt(bitPattern: buffer.baseAddress)) }
            }
        }
        #expect(addresses.value.count <= 2, "the initial result and the first copy of it")
        subscription.cancel()
    }

    @Test func forwardsTheSubscriptionAndDemand() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(3), demandPerValue: .max(2))
        probe.scan(0) { $0 + $1 }.subscribe(recorder)
        #expect(probe.send(1) == .max(2))
        #expect(probe.commands == [[.request(.max(3))]])
        probe.send(completion: .failure(.first))
        #expect(recorder.completion == .failure(.first))
    }

    @Test func failsWithTheThrownError() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>()
        probe.tryScan(0) { if $1 == 3 { throw TestError.first } else { $0 + $1 } }.subscribe(recorder)
        probe.send(1)
        probe.send(3)
        probe.send(completion: .finished)
        #expect(recorder.transcript == ["subscription TryScan", "1", "failure first"])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test func deliversNoCompletionAfterCancellation() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error> { recorder, event in
            if event.value != nil { recorder.cancel() }
        }
        probe.tryScan(0) { $0 + $1 }.subscribe(recorder)
        probe.send(1)
        probe.send(completion: .finished)
        #expect(recorder.transcript == ["subscription TryScan", "1"])
    }

    @Test func releasesTheResultWhileTheSubscriptionIsKept() {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Bool, any Error>()
        subject.tryScan(lifetimes.token("value")) { _, _ in lifetimes.token("value") }.map { _ in true }.subscribe(
            recorder)
        subject.send(1)
        #expect(lifetimes.alive == ["value"])
        subject.send(completion: .finished)
        #expect(lifetimes.alive == [])
    }
}
