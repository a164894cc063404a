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

    @Test("The newest values, once there is one of each")
    func combinations() {
        let recorder = subscribe()
        left.send(1)
        left.send(2)
        right.send(8)
        right.send(9)
        left.send(3)
        #expect(recorder.events == [.subscription("CombineLatest"), .value(28), .value(29), .value(39)])
    }

    @Test("Three and four publishers")
    func more() {
        let recorder = RecordingSubscriber<Int, Never>()
        Just(1).combineLatest(Just(2), [3, 4].publisher) { $0 * 100 + $1 * 10 + $2 }.subscribe(recorder)
        #expect(recorder.events == [.subscription("CombineLatest"), .value(123), .value(124), .finished])
        let wider = RecordingSubscriber<Int, Never>()
        Just(1).combineLatest(Just(2), Just(3), Just(4)) { $0 + $1 + $2 + $3 }.subscribe(wider)
        #expect(wider.events == [.subscription("CombineLatest"), .value(10), .finished])
    }

    @Test("Combinations nobody asked for are dropped but for the newest, which waits")
    func demand() {
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

    @Test("It ends when all have ended, after the combination that waits")
    func finishing() {
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

    @Test("It ends when all have ended, also where one never had a value")
    func finishingEmpty() {
        let recorder = subscribe()
        left.send(1)
        right.send(completion: .finished)
        #expect(recorder.events == [.subscription("CombineLatest")])
        left.send(completion: .finished)
        #expect(recorder.events == [.subscription("CombineLatest"), .finished])
        #expect(left.commands == [[.request(.unlimited)]])
    }

    @Test("Sending from inside a value queues")
    func reentrancy() {
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
}
