import Streams
import StreamsTesting
import Testing

@Suite("race")
struct RaceTests {
    private let first = ProbePublisher<Int, TestError>(retention: .always)
    private let second = ProbePublisher<Int, TestError>(retention: .always)

    private func race(_ recorder: RecordingSubscriber<Int, TestError>) {
        first.race(with: second).subscribe(recorder)
    }

    @Test("The first to send a value wins, and the other is cancelled")
    func firstValueWins() {
        let recorder = RecordingSubscriber<Int, TestError>()
        race(recorder)
        second.send(8)
        first.send(1)
        second.send(9)
        second.send(completion: .finished)
        #expect(recorder.events == [.subscription("Race"), .value(8), .value(9), .finished])
        #expect(first.commands == [[.request(.unlimited), .cancel]])
        #expect(second.commands == [[.request(.unlimited)]])
    }

    @Test("The other is cancelled before the value is delivered")
    func cancelsOtherBeforeDelivery() {
        let recorder = RecordingSubscriber<Int, TestError> { [first] _, event in
            if event.value != nil { #expect(first.commands == [[.request(.unlimited), .cancel]]) }
        }
        race(recorder)
        second.send(8)
        #expect(recorder.values == [8])
    }

    @Test("A request goes to both until one has won, and then to that one alone")
    func requestsOfWinnerAlone() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandPerValue: .max(1))
        race(recorder)
        recorder.request(.max(3))
        #expect(first.send(1) == .max(1))
        recorder.request(.max(4))
        #expect(first.commands == [[.request(.max(2)), .request(.max(3)), .request(.max(4))]])
        #expect(second.commands == [[.request(.max(2)), .request(.max(3)), .cancel]])
    }

    @Test("A completion wins as well", arguments: [true, false])
    func completionWins(failing: Bool) {
        let recorder = RecordingSubscriber<Int, TestError>()
        race(recorder)
        first.send(completion: failing ? .failure(.second) : .finished)
        second.send(8)
        #expect(recorder.events == [.subscription("Race"), failing ? .failure(.second) : .finished])
        #expect(second.commands == [[.request(.unlimited), .cancel]])
    }

    @Test("A publisher that follows one that completes at once is not subscribed to")
    func stopsSubscribingAfterCompletion() {
        let recorder = RecordingSubscriber<Int, TestError>()
        Fail<Int, TestError>(error: .first).race(with: second).subscribe(recorder)
        #expect(recorder.events == [.subscription("Race"), .failure(.first)])
        #expect(second.subscriptionCount == 0)
    }

    @Test("A synchronous publisher wins after all have been subscribed to")
    func subscribesToAllBeforeDelivery() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
        Just(1).setFailureType(to: TestError.self).race(with: second).subscribe(recorder)
        #expect(recorder.events == [.subscription("Race"), .value(1), .finished])
        #expect(second.commands == [[.cancel]])
    }

    @Test("Cancellation cancels all, and nothing is delivered after it")
    func cancelsAll() {
        let recorder = RecordingSubscriber<Int, TestError>()
        let third = ProbePublisher<Int, TestError>(retention: .always)
        [first, second, third].race().subscribe(recorder)
        recorder.cancel()
        second.send(8)
        third.send(completion: .finished)
        #expect(recorder.events == [.subscription("Race")])
        for probe in [first, second, third] { #expect(probe.commands == [[.request(.unlimited), .cancel]]) }
    }

    @Test("Without publishers it finishes at once")
    func finishesWithoutPublishers() {
        let recorder = RecordingSubscriber<Int, TestError>()
        [ProbePublisher<Int, TestError>]().race().subscribe(recorder)
        #expect(recorder.completion == .finished)
    }

    @Test("Exactly one wins if many send at the same time")
    func oneWinsConcurrently() {
        for _ in 0..<50 {
            let subjects = (0..<4).map { _ in PassthroughSubject<Int, TestError>() }
            let recorder = RecordingSubscriber<Int, TestError>()
            subjects.race().subscribe(recorder)
            concurrently(4) { thread in
                for step in 0..<20 { subjects[thread].send(thread * 100 + step) }
                subjects[thread].send(completion: .finished)
            }
            let winner = (recorder.values.first ?? 0) / 100
            #expect(recorder.values == (0..<20).map { winner * 100 + $0 })
            #expect(recorder.events.count == 22)
            #expect(recorder.completion == .finished)
            #expect(recorder.violations == [])
        }
    }
}
