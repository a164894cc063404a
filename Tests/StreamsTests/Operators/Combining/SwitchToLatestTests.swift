import StreamsTesting
import Testing

@testable import Streams

@Suite("switchToLatest")
struct SwitchToLatestTests {
    private let outer = ProbePublisher<ProbePublisher<Int, TestError>, TestError>(retention: .always)
    private let first = ProbePublisher<Int, TestError>(retention: .always)
    private let second = ProbePublisher<Int, TestError>(retention: .always)

    @Test("A new publisher replaces the previous one")
    func switching() {
        let recorder = RecordingSubscriber<Int, TestError>()
        outer.switchToLatest().subscribe(recorder)
        outer.send(first)
        first.send(1)
        outer.send(second)
        first.send(2)
        second.send(3)
        #expect(recorder.events == [.subscription("SwitchToLatest"), .value(1), .value(3)])
        #expect(first.commands == [[.request(.unlimited), .cancel]])
    }

    @Test("The outstanding demand is requested from each publisher")
    func demand() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(3), demandPerValue: .max(1))
        outer.switchToLatest().subscribe(recorder)
        outer.send(first)
        #expect(first.send(1) == .max(1))
        recorder.request(.max(4))
        first.send(completion: .finished)
        recorder.request(.max(1))
        outer.send(second)
        #expect(outer.commands == [[.request(.unlimited)]])
        #expect(first.commands == [[.request(.max(3)), .request(.max(4))]])
        #expect(second.commands == [[.request(.max(8))]])
    }

    @Test("Demand returned for a value is requested from the latest publisher")
    func switchInsideValue() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandPerValue: .max(1)) {
            [outer, second] _, event in
            if event.value == 1 { outer.send(second) }
        }
        outer.switchToLatest().subscribe(recorder)
        outer.send(first)
        #expect(first.send(1) == .none)
        #expect(second.commands == [[.request(.max(1))]])
    }

    @Test("Finishes when the outer and the latest inner publisher have finished")
    func finishing() {
        let recorder = RecordingSubscriber<Int, TestError>()
        outer.switchToLatest().subscribe(recorder)
        outer.send(first)
        outer.send(completion: .finished)
        #expect(recorder.completion == nil)
        first.send(completion: .finished)
        #expect(recorder.completion == .finished)
    }

    @Test("A failure is delivered at once and cancels the other publisher")
    func failing() {
        let recorder = RecordingSubscriber<Int, TestError>()
        outer.switchToLatest().subscribe(recorder)
        outer.send(first)
        first.send(completion: .failure(.first))
        #expect(recorder.completion == .failure(.first))
        #expect(outer.commands == [[.request(.unlimited), .cancel]])

        let other = RecordingSubscriber<Int, TestError>()
        let probe = ProbePublisher<ProbePublisher<Int, TestError>, TestError>(retention: .always)
        probe.switchToLatest().subscribe(other)
        probe.send(second)
        probe.send(completion: .failure(.second))
        #expect(other.completion == .failure(.second))
        #expect(second.commands == [[.request(.unlimited), .cancel]])
    }

    @Test("The failure of a replaced publisher is ignored")
    func lateFailure() {
        let recorder = RecordingSubscriber<Int, TestError>()
        let coordinator = SwitchCoordinator<ProbePublisher<Int, TestError>, _>(downstream: recorder)
        let subscription = RecordingSubscription()
        coordinator.receive(subscription: subscription)
        guard let replaced = coordinator.replaceInner() else { return }
        _ = coordinator.replaceInner()
        coordinator.submit(.innerCompletion(.failure(.first), replaced))
        #expect(coordinator.outer.isActive)
        #expect(subscription.entries == ["unlimited"])
        #expect(recorder.events == [])
    }

    @Test("A failure that races with the next publisher is delivered")
    func failureAndReplacement() {
        for _ in 0..<2000 {
            let (outer, first, second) = (
                PassthroughSubject<PassthroughSubject<Int, TestError>, TestError>(),
                PassthroughSubject<Int, TestError>(),
                PassthroughSubject<Int, TestError>()
            )
            let recorder = RecordingSubscriber<Int, TestError>()
            outer.switchToLatest().subscribe(recorder)
            outer.send(first)
            concurrently(2) { thread in
                if thread == 0 { first.send(completion: .failure(.first)) } else { outer.send(second) }
            }
            second.send(completion: .finished)
            outer.send(completion: .finished)
            #expect(recorder.completion != nil)
        }
    }

    @Test("Only one of the publishers can fail")
    func failures() {
        let recorder = RecordingSubscriber<Int, TestError>()
        Just(Fail<Int, TestError>(error: .first)).switchToLatest().subscribe(recorder)
        #expect(recorder.completion == .failure(.first))
        let other = RecordingSubscriber<Int, TestError>()
        Just(Just(1)).setFailureType(to: TestError.self).switchToLatest().subscribe(other)
        #expect(other.events == [.subscription("SwitchToLatest"), .value(1), .finished])
    }
}
