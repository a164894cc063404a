import Streams
import StreamsTesting
import Testing

@Suite("combineLatest")
struct CombineLatestTests {
    private let left = ProbePublisher<Int, TestError>(retention: .always)
    private let right = ProbePublisher<Int, TestError>(retention: .always)

    private func subscribe(_ initial: Subscribers.Demand = .unlimited) -> RecordingSubscriber<Int, TestError> {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: initial)
        left.combineLatest(right) { $0 * 10 + $1 }.subscribe(recorder)
        return recorder
    }

    @Test("The latest values are combined once each publisher has sent one")
    func combinesLatestValues() {
        let recorder = subscribe()
        left.send(1)
        left.send(2)
        right.send(8)
        right.send(9)
        left.send(3)
        #expect(recorder.events == [.subscription("CombineLatest"), .value(28), .value(29), .value(39)])
    }

    @Test("Three and four publishers are combined")
    func combinesThreeAndFour() {
        let recorder = RecordingSubscriber<Int, Never>()
        Just(1).combineLatest(Just(2), [3, 4].publisher) { $0 * 100 + $1 * 10 + $2 }.subscribe(recorder)
        #expect(recorder.events == [.subscription("CombineLatest"), .value(123), .value(124), .finished])
        let wider = RecordingSubscriber<Int, Never>()
        Just(1).combineLatest(Just(2), Just(3), Just(4)) { $0 + $1 + $2 + $3 }.subscribe(wider)
        #expect(wider.events == [.subscription("CombineLatest"), .value(10), .finished])
    }

    @Test("The latest of the combinations that were not requested waits")
    func keepsLatestUnrequestedCombination() {
        let recorder = subscribe(.max(1))
        left.send(1)
        right.send(1)
        right.send(2)
        right.send(3)
        #expect(recorder.values == [11])
        recorder.request(.max(2))
        #expect(recorder.values == [11, 13])
        left.send(4)
        left.send(5)
        #expect(recorder.values == [11, 13, 43])
        #expect(left.commands == [[.request(.max(1)), .request(.max(2))]])
        #expect(right.commands == [[.request(.max(1)), .request(.max(2))]])
    }

    @Test("It finishes when all have finished, after the waiting combination")
    func finishesAfterWaitingCombination() {
        let recorder = subscribe(.max(1))
        left.send(1)
        right.send(1)
        right.send(2)
        left.send(completion: .finished)
        right.send(completion: .finished)
        #expect(recorder.completion == nil)
        recorder.request(.max(1))
        #expect(recorder.events == [.subscription("CombineLatest"), .value(11), .value(12), .finished])
    }

    @Test("It finishes when all have finished, also if one had no value")
    func finishesWithoutCombination() {
        let recorder = subscribe()
        left.send(1)
        right.send(completion: .finished)
        #expect(recorder.events == [.subscription("CombineLatest")])
        left.send(completion: .finished)
        #expect(recorder.events == [.subscription("CombineLatest"), .finished])
        #expect(left.commands == [[.request(.max(64)), .request(.unlimited)]])
    }

    @Test("A value that is sent during a delivery follows it")
    func queuesReentrantValues() {
        let left = CurrentValueSubject<Int, Never>(0)
        let right = CurrentValueSubject<Int, Never>(0)
        let recorder = RecordingSubscriber<Int, Never> { _, event in
            guard let value = event.value else { return }
            if value < 30 { left.send(left.value + 1) }
        }
        left.combineLatest(right) { $0 * 10 + $1 }.subscribe(recorder)
        #expect(recorder.values == [0, 10, 20, 30])
        #expect(recorder.violations == [])
    }

    @Test("A value that makes no combination is replaced by requesting another one")
    func requestsReplacements() {
        let recorder = subscribe(.max(2))
        #expect(left.send(1) == .max(1))
        #expect(left.send(2) == .max(1))
        #expect(left.send(3) == .max(1))
        #expect(right.send(7) == .none)
        #expect(left.send(4) == .none)
        #expect(recorder.values == [37, 47])
        #expect(left.commands == [[.request(.max(2))]])
        #expect(right.commands == [[.request(.max(2))]])
    }

    @Test("No replacement is requested under unlimited demand")
    func requestsNothingBeyondUnlimited() {
        _ = subscribe()
        #expect(left.send(1) == .none)
        #expect(left.send(2) == .none)
        #expect(left.commands == [[.request(.max(64)), .request(.unlimited)]])
    }

    @Test("A value that was not requested is not replaced")
    func replacesNoExcessValues() {
        let recorder = subscribe(.none)
        #expect(left.send(1) == .none)
        #expect(right.send(7) == .none)
        #expect(left.send(2) == .none)
        #expect(recorder.values == [])
        recorder.request(.max(1))
        #expect(recorder.values == [27])
        #expect(left.commands == [[.request(.max(1))]])
        #expect(right.commands == [[.request(.max(1))]])
    }

    @Test("A replaced combination leaves enough demand for all that are requested later")
    func deliversAllThatAreRequested() {
        let recorder = subscribe(.max(2))
        left.send(1)
        right.send(1)
        right.send(2)
        #expect(recorder.values == [11, 12])
        #expect(left.send(2) == .none)
        #expect(left.send(3) == .none)
        recorder.request(.max(3))
        #expect(recorder.values == [11, 12, 32])
        for value in 4...5 { left.send(value) }
        #expect(recorder.values == [11, 12, 32, 42, 52])
        #expect(left.commands == [[.request(.max(2)), .request(.max(3))]])
        #expect(right.commands == [[.request(.max(2)), .request(.max(3))]])
    }

    @Test("It completes under limited demand if one publisher has no values")
    func completesWithoutCombinations() {
        let recorder = RecordingSubscriber<Int, Never>()
        (0..<5).publisher.combineLatest(Empty<Int, Never>()) { $0 + $1 }.concatMap { Just($0) }.subscribe(recorder)
        #expect(recorder.values == [])
        #expect(recorder.completion == .finished)
        let reversed = RecordingSubscriber<Int, Never>()
        Empty<Int, Never>().combineLatest((0..<5).publisher) { $0 + $1 }.limitRate(2).subscribe(reversed)
        #expect(reversed.values == [])
        #expect(reversed.completion == .finished)
    }

    @Test("All publishers are asked for values before replacements are requested", arguments: [1, 2, 3])
    func deliversAllUnderLimitedDemand(limit: Int) {
        let recorder = RecordingSubscriber<Int, Never>()
        (0..<5).publisher.combineLatest(Just(0)) { $0 + $1 }.limitRate(limit).subscribe(recorder)
        #expect(recorder.values == Array(limit - 1..<5))
        #expect(recorder.completion == .finished)
        let later = RecordingSubscriber<Int, Never>(initialDemand: .none, demandPerValue: .max(1))
        (0..<5).publisher.combineLatest(Just(0)) { $0 + $1 }.subscribe(later)
        later.request(.max(limit))
        #expect(later.values == Array(limit - 1..<5))
        #expect(later.completion == .finished)
    }

    @Test("An endless publisher does not keep values from being requested of the others")
    func requestsValuesBesideEndlessPublisher() {
        let recorder = RecordingSubscriber<Int, Never>()
        let endless = sequence(first: 1) { $0 + 1 }
        endless.publisher.combineLatest(Just(0)) { $0 + $1 }.limitRate(2).prefix(3).subscribe(recorder)
        #expect(recorder.values.count == 3)
        #expect(recorder.completion == .finished)
    }

    @Test("An endless publisher delivers, in any place", arguments: [Subscribers.Demand.unlimited, .max(1)])
    func combinesEndlessPublishers(demand: Subscribers.Demand) {
        let publishers: [(EndlessNumbers) -> AnyPublisher<Int, Never>] = [
            { $0.publisher.combineLatest(Just(0)) { $0 + $1 }.eraseToAnyPublisher() },
            { $0.probe().combineLatest(Just(0)) { $0 + $1 }.eraseToAnyPublisher() },
            { Just(0).combineLatest($0.publisher) { $0 + $1 }.eraseToAnyPublisher() },
            { $0.publisher.combineLatest(EndlessNumbers().publisher) { $0 + $1 }.eraseToAnyPublisher() },
            { $0.publisher.combineLatest(Just(0), Just(0)) { $0 + $1 + $2 }.eraseToAnyPublisher() },
            {
                [Just(0).eraseToAnyPublisher(), $0.publisher.eraseToAnyPublisher()].combineLatest().map { $0[1] }
                    .eraseToAnyPublisher()
            },
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

    @Test("An endless publisher waits for a subject", arguments: [Subscribers.Demand.unlimited, .max(5)])
    func combinesEndlessPublisherWithSubject(demand: Subscribers.Demand) {
        let numbers = EndlessNumbers()
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: demand)
        numbers.publisher.combineLatest(subject) { $0 + $1 }.prefix(5).subscribe(recorder)
        #expect(numbers.taken < 100)
        subject.send(0)
        #expect(recorder.values.count == 5)
        #expect(recorder.completion == .finished)
        #expect(numbers.taken < 100)
    }

    @Test("Values from two threads leave the demand intact")
    func countsDemandOfTwoThreads() {
        for _ in 0..<50 {
            let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
            let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1), demandPerValue: .max(1))
            left.combineLatest(right) { $0 + $1 }.subscribe(recorder)
            concurrently(2) { index in
                let subject = index == 0 ? left : right
                for value in 0..<100 { subject.send(value) }
            }
            let count = recorder.values.count
            left.send(1_000)
            right.send(1_000)
            #expect(recorder.values.count == count + 2)
            #expect(recorder.values.last == 2_000)
            #expect(recorder.violations == [])
        }
    }
}
