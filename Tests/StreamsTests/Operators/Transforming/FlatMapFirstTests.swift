import Streams
import StreamsTesting
import Testing

@Suite("flatMapFirst")
struct FlatMapFirstTests {
    private let outer = ProbePublisher<ProbePublisher<Int, TestError>, TestError>(retention: .always)
    private let first = ProbePublisher<Int, TestError>(retention: .always)
    private let second = ProbePublisher<Int, TestError>(retention: .always)
    private let third = ProbePublisher<Int, TestError>(retention: .always)

    private func subscribe(_ initial: Subscribers.Demand = .unlimited) -> RecordingSubscriber<Int, TestError> {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: initial)
        outer.flatMapFirst { $0 }.subscribe(recorder)
        return recorder
    }

    @Test("Values are ignored until the inner publisher has finished")
    func ignoring() {
        let recorder = subscribe()
        outer.send(first)
        first.send(1)
        outer.send(second)
        first.send(2)
        first.send(completion: .finished)
        outer.send(third)
        third.send(3)
        #expect(recorder.events == [.subscription("FlatMapFirst"), .value(1), .value(2), .value(3)])
        #expect(second.subscriptionCount == 0)
        #expect(outer.commands == [[.request(.unlimited)]])
    }

    @Test("A publisher with buffered values has not finished")
    func demand() {
        let recorder = subscribe(.max(1))
        outer.send(first)
        first.send(1)
        first.send(2)
        first.send(completion: .finished)
        outer.send(second)
        recorder.request(.max(1))
        #expect(recorder.values == [1, 2])
        outer.send(third)
        #expect(second.subscriptionCount == 0)
        #expect(third.commands == [[.request(.max(1))]])
    }

    @Test("Finishes when the outer and the inner publisher have finished")
    func finishing() {
        let recorder = subscribe()
        outer.send(first)
        outer.send(completion: .finished)
        #expect(recorder.completion == nil)
        first.send(completion: .finished)
        #expect(recorder.completion == .finished)
    }

    @Test("A failure is delivered at once and cancels the other publisher", arguments: [true, false])
    func failing(ofOuter: Bool) {
        let recorder = subscribe()
        outer.send(first)
        if ofOuter { outer.send(completion: .failure(.first)) } else { first.send(completion: .failure(.first)) }
        #expect(recorder.completion == .failure(.first))
        #expect((ofOuter ? first.commands : outer.commands) == [[.request(.unlimited), .cancel]])
    }
}

@Suite("flatMapFirst, flatMapLatest and concatMap with one type of failure")
struct MixedFailuresTests {
    private let values = [1, 2].publisher

    @Test("The outer publisher cannot fail")
    func failingInners() {
        let parts: [RecordingSubscriber<Int, TestError>] = (0..<3).map { _ in RecordingSubscriber() }
        values.flatMapFirst { _ in Fail<Int, TestError>(error: .first) }.subscribe(parts[0])
        values.flatMapLatest { _ in Fail<Int, TestError>(error: .first) }.subscribe(parts[1])
        values.concatMap { _ in Fail<Int, TestError>(error: .first) }.subscribe(parts[2])
        for recorder in parts { #expect(recorder.completion == .failure(.first)) }
    }

    @Test("The inner publishers cannot fail")
    func failingOuter() {
        let outer = values.setFailureType(to: TestError.self).append(Fail(error: .second))
        let parts: [RecordingSubscriber<Int, TestError>] = (0..<3).map { _ in RecordingSubscriber() }
        outer.flatMapFirst { Just($0 * 10) }.subscribe(parts[0])
        outer.flatMapLatest { Just($0 * 10) }.subscribe(parts[1])
        outer.concatMap { Just($0 * 10) }.subscribe(parts[2])
        for recorder in parts {
            #expect(recorder.values == [10, 20])
            #expect(recorder.completion == .failure(.second))
        }
    }

    @Test("No publisher can fail")
    func neither() {
        let parts: [RecordingSubscriber<Int, Never>] = (0..<3).map { _ in RecordingSubscriber() }
        values.flatMapFirst { Just($0 * 10) }.subscribe(parts[0])
        values.flatMapLatest { Just($0 * 10) }.subscribe(parts[1])
        values.concatMap { Just($0 * 10) }.subscribe(parts[2])
        for recorder in parts { #expect(recorder.values == [10, 20]) }
    }
}
