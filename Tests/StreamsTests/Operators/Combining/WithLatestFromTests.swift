import Streams
import StreamsTesting
import Testing

@Suite("withLatestFrom")
struct WithLatestFromTests {
    private let main = ProbePublisher<Int, TestError>(retention: .always)
    private let other = ProbePublisher<Int, TestError>(retention: .always)

    private func subscribe(_ initial: Subscribers.Demand = .unlimited) -> RecordingSubscriber<Int, TestError> {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: initial)
        main.withLatestFrom(other) { $0 * 10 + $1 }.subscribe(recorder)
        return recorder
    }

    @Test("Each value is combined with the latest of the other, which publishes nothing by itself")
    func combinesWithLatestValue() {
        let recorder = subscribe()
        main.send(1)
        other.send(8)
        main.send(2)
        other.send(9)
        other.send(7)
        main.send(3)
        main.send(4)
        other.send(completion: .finished)
        main.send(5)
        main.send(completion: .finished)
        let values: [RecordedEvent<Int, TestError>] = [.value(28), .value(37), .value(47), .value(57)]
        #expect(recorder.events == [.subscription("WithLatestFrom")] + values + [.finished])
    }

    @Test("All values of the other are requested before the subscriber can request any")
    func requestsOtherFirst() {
        let recorder = subscribe(.none)
        #expect(other.commands == [[.request(.max(64)), .request(.unlimited)]])
        #expect(main.commands == [[]])
        recorder.request(.max(1))
        #expect(main.commands == [[.request(.max(1))]])
    }

    @Test("A dropped value is replaced by requesting another one")
    func requestsReplacements() {
        let recorder = subscribe(.max(1))
        #expect(main.send(1) == .max(1))
        #expect(main.commands == [[.request(.max(1))]])
        other.send(8)
        #expect(main.send(2) == .none)
        #expect(recorder.values == [28])
        #expect(other.commands == [[.request(.max(64)), .request(.unlimited)]])
    }

    @Test("It finishes when the other finishes without a value")
    func finishesWithEmptyOther() {
        let recorder = subscribe()
        other.send(completion: .finished)
        #expect(recorder.completion == .finished)
        #expect(main.commands == [[.request(.max(64)), .request(.unlimited), .cancel]])
    }

    @Test("An endless publisher delivers, in any place", arguments: [Subscribers.Demand.unlimited, .max(1)])
    func combinesEndlessPublishers(demand: Subscribers.Demand) {
        let publishers: [(EndlessNumbers) -> AnyPublisher<Int, Never>] = [
            { $0.publisher.withLatestFrom(Just(0)) { $0 + $1 }.eraseToAnyPublisher() },
            { $0.probe().withLatestFrom(Just(0)) { $0 + $1 }.eraseToAnyPublisher() },
            { (0..<9).publisher.withLatestFrom($0.publisher) { $0 + $1 }.eraseToAnyPublisher() },
            { $0.publisher.withLatestFrom(EndlessNumbers().publisher) { $0 + $1 }.eraseToAnyPublisher() },
            { (0..<9).publisher.withLatestFrom(Just(0), $0.publisher) { $0 + $1 + $2 }.eraseToAnyPublisher() },
        ]
        for make in publishers {
            let numbers = EndlessNumbers()
            let recorder = RecordingSubscriber<Int, Never>(initialDemand: demand, demandPerValue: .max(1))
            make(numbers).prefix(5).subscribe(recorder)
            #expect(recorder.values.count == 5)
            #expect(recorder.completion == .finished)
            #expect(numbers.taken < 200)
        }
    }

    @Test("All values are requested of a publisher that answers on another thread, however soon")
    func requestsAllValuesOfAnotherThread() {
        let sent = Counter()
        let other = ProbePublisher<Int, Never>(onRequest: { probe, demand in
            onAnotherThread {
                var remaining = min(demand, .max(1_000))
                while remaining > .none {
                    remaining -= 1
                    probe.send(sent.increment())
                }
            }
        })
        let main = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        main.withLatestFrom(other) { $1 }.subscribe(recorder)
        main.send(0)
        #expect(recorder.values == [1_064])
        #expect(other.requests == [.max(64), .unlimited])
    }

    @Test("An endless publisher waits for a subject", arguments: [Subscribers.Demand.unlimited, .max(5)])
    func waitsForASubject(demand: Subscribers.Demand) {
        let (numbers, triggers) = (EndlessNumbers(), EndlessNumbers())
        let subject = PassthroughSubject<Int, Never>()
        let (latest, sampled) = (
            RecordingSubscriber<Int, Never>(initialDemand: demand),
            RecordingSubscriber<Int, Never>(initialDemand: demand)
        )
        numbers.publisher.withLatestFrom(subject) { $0 + $1 }.prefix(5).subscribe(latest)
        subject.sample(triggers.publisher).subscribe(sampled)
        for value in 1...3 { subject.send(value) }
        #expect(latest.values.count == 5)
        #expect(latest.completion == .finished)
        #expect(numbers.taken < 100)
        #expect(sampled.values == [1, 2, 3])
        #expect(triggers.taken < 500)
    }

    @Test("With two others, values are dropped until both have sent one")
    func combinesWithTwoOthers() {
        let third = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        main.withLatestFrom(other, third) { $0 * 100 + $1 * 10 + $2 }.subscribe(recorder)
        other.send(8)
        main.send(1)
        third.send(5)
        main.send(2)
        other.send(9)
        main.send(3)
        main.send(completion: .finished)
        #expect(recorder.events == [.subscription("WithLatestFrom"), .value(285), .value(395), .finished])
        #expect(third.commands == [[.request(.max(64)), .request(.unlimited), .cancel]])
    }

    @Test("Values are combined with those of three others")
    func combinesWithThreeOthers() {
        let third = ProbePublisher<Int, TestError>(retention: .always)
        let fourth = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
        let combined = main.withLatestFrom(other, third, fourth)
        combined.map { [$0.0, $0.1, $0.2, $0.3].reduce(0) { $0 * 10 + $1 } }.subscribe(recorder)
        for (probe, value) in [(other, 2), (third, 3), (fourth, 4)] { probe.send(value) }
        main.send(1)
        #expect(recorder.values == [1234])
        #expect(main.commands == [[.request(.max(1))]])
    }
}
