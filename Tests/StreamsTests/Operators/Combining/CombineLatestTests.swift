import Streams
import Testing

@Suite("combineLatest")
struct CombineLatestTests {
    private let left = Probe<Int, Oops>()
    private let right = Probe<Int, Oops>()

    private func subscribe(_ initial: Subscribers.Demand = .unlimited) -> Recorder<Int, Oops> {
        let recorder = Recorder<Int, Oops>(initial)
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
        #expect(recorder.signals == [.subscription("CombineLatest"), .value(28), .value(29), .value(39)])
    }

    @Test("Three and four publishers")
    func more() {
        let recorder = Recorder<Int, Never>()
        Just(1).combineLatest(Just(2), [3, 4].publisher) { $0 * 100 + $1 * 10 + $2 }.subscribe(recorder)
        #expect(recorder.signals == [.subscription("CombineLatest"), .value(123), .value(124), .finished])
        let wider = Recorder<Int, Never>()
        Just(1).combineLatest(Just(2), Just(3), Just(4)) { $0 + $1 + $2 + $3 }.subscribe(wider)
        #expect(wider.signals == [.subscription("CombineLatest"), .value(10), .finished])
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
        #expect(left.orders == [[.request(.max(1)), .request(.max(2))]])
        #expect(right.orders == [[.request(.max(1)), .request(.max(2))]])
    }

    @Test("It ends when all have ended, after the combination that waits")
    func finishing() {
        let recorder = subscribe(.max(1))
        left.send(1)
        right.send(1)
        right.send(2)
        left.send(completion: .finished)
        right.send(completion: .finished)
        #expect(recorder.end == nil)
        recorder.request(.max(1))
        #expect(recorder.signals == [.subscription("CombineLatest"), .value(11), .value(12), .finished])
    }

    @Test("It ends when all have ended, also where one never had a value")
    func finishingEmpty() {
        let recorder = subscribe()
        left.send(1)
        right.send(completion: .finished)
        #expect(recorder.signals == [.subscription("CombineLatest")])
        left.send(completion: .finished)
        #expect(recorder.signals == [.subscription("CombineLatest"), .finished])
        #expect(left.orders == [[.request(.unlimited)]])
    }

    @Test("Sending from inside a value queues")
    func reentrancy() {
        let left = CurrentValueSubject<Int, Never>(0)
        let right = CurrentValueSubject<Int, Never>(0)
        let recorder = Recorder<Int, Never> { _, value in
            if value < 30 { left.send(left.value + 1) }
            return .none
        }
        left.combineLatest(right) { $0 * 10 + $1 }.subscribe(recorder)
        #expect(recorder.values == [0, 10, 20, 30])
        #expect(recorder.overlap == 1)
    }
}
