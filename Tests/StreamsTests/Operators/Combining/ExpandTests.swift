import Streams
import StreamsTesting
import Testing

@Suite("expand") struct ExpandTests {
    @Test("Values come level by level")
    func levels() {
        let recorder = IntRecorder()
        count(to: 2).expand { value -> IntPublisher in
            value < 10
                ? Publishers.Sequence(sequence: [value + 10, value + 20]).eraseToAnyPublisher()
                : Empty().eraseToAnyPublisher()
        }.subscribe(recorder)
        #expect(recorder.events.first == .subscription("Expand"))
        #expect(recorder.values == [0, 1, 10, 20, 11, 21])
        #expect(recorder.completion == .finished)
        #expect(recorder.violations == [])
    }

    @Test("A page that was not requested is not fetched")
    func demand() {
        let fetches = Counter()
        let recorder = IntRecorder(initialDemand: .max(2))
        let page = { @Sendable (number: Int) -> IntPublisher in
            Deferred { Just(number).handleEvents(receiveRequest: { _ in fetches.increment() }) }
                .setFailureType(to: LawError.self).eraseToAnyPublisher()
        }
        page(0).expand { page($0 + 1) }.subscribe(recorder)
        #expect(recorder.values == [0, 1])
        #expect(fetches.value == 2)
        recorder.request(.max(1))
        #expect(recorder.values == [0, 1, 2])
        recorder.cancel()
        #expect(fetches.value == 3)
    }

    @Test("A page that starts to load when it is subscribed to is loaded when there is demand")
    func subscribesOnDemand() {
        let loads = Counter()
        let page = { @Sendable (number: Int) -> IntPublisher in
            Deferred {
                loads.increment()
                return Just(number).setFailureType(to: LawError.self)
            }.eraseToAnyPublisher()
        }
        let recorder = IntRecorder(initialDemand: .max(1))
        page(0).expand { $0 < 2 ? page($0 + 1) : nil }.subscribe(recorder)
        #expect(recorder.values == [0])
        #expect(loads.value == 1)
        recorder.request(.max(1))
        #expect(recorder.values == [0, 1])
        #expect(loads.value == 2)
        recorder.request(.max(1))
        #expect(recorder.values == [0, 1, 2])
        #expect(recorder.completion == .finished, "nil needs no demand")
        #expect(loads.value == 3)
        #expect(recorder.violations == [])
    }

    @Test("A loop that is left after a page loads no further one")
    func loadsNoPageForALoopThatIsLeft() async {
        let loads = Counter()
        let page = { @Sendable (number: Int) in
            Deferred {
                loads.increment()
                return Just(number)
            }
        }
        for await number in page(0).expand({ page($0 + 1) }).values where number == 2 { break }
        #expect(loads.value == 3)
    }

    @Test("Concurrent requests subscribe to each publisher once")
    func concurrentRequests() {
        for _ in 0..<200 {
            let recorder = IntRecorder(initialDemand: .none)
            count(to: 1).expand { $0 < 20 ? count(to: $0 + 2).dropFirst($0 + 1) : nil }.subscribe(recorder)
            concurrently(3) { _ in for _ in 0..<7 { recorder.request(.max(1)) } }
            #expect(recorder.values == Array(0...20))
            #expect(recorder.completion == .finished)
            #expect(recorder.violations == [])
        }
    }

    @Test("A failure is delivered at once")
    func failure() {
        let recorder = IntRecorder()
        count(to: 2).expand { _ in Fail(error: LawError.other) }.subscribe(recorder)
        #expect(recorder.values == [0, 1])
        #expect(recorder.completion == .failure(.other))
    }

    @Test("Synchronous steps leave the stack flat")
    func flatStack() {
        let counter = UncheckedTransfer(IntCounter(demand: .unlimited))
        onSmallStack(64 * 1024) {
            count(to: 1).expand { value -> Publishers.Sequence<Range<Int>, LawError> in
                Publishers.Sequence(sequence: value < 10_000 ? value + 1..<value + 2 : 0..<0)
            }.subscribe(counter.value)
        }
        #expect(counter.value.count == 10_001)
    }
}
