import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("Rule 7: a scheduler never reorders", .serialized)
struct OrderLaws {
    /// The operators that deliver on a scheduler.
    enum SchedulingOperator: CaseIterable, Sendable {
        case receiveOn
        case delay
        case timeout
        case subscribeOn
        case twice

        func apply<S: Scheduler>(_ upstream: IntPublisher, on scheduler: S) -> IntPublisher {
            switch self {
            case .receiveOn:
                upstream.receive(on: scheduler).eraseToAnyPublisher()
            case .delay:
                upstream.delay(for: .nanoseconds(1), scheduler: scheduler).eraseToAnyPublisher()
            case .timeout:
                upstream.timeout(.seconds(1_000_000), scheduler: scheduler).eraseToAnyPublisher()
            case .subscribeOn:
                upstream.subscribe(on: scheduler).eraseToAnyPublisher()
            case .twice:
                upstream.receive(on: scheduler).receive(on: scheduler).eraseToAnyPublisher()
            }
        }
    }

    @Test("A concurrent queue delivers values in order and the completion last", arguments: SchedulingOperator.allCases)
    func concurrentQueueKeepsTheOrder(_ schedulingOperator: SchedulingOperator) async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        for demand in [Subscribers.Demand.unlimited, .max(1)] {
            let recorder = IntRecorder(initialDemand: demand, demandPerValue: .max(1))
            schedulingOperator.apply(count(to: 5000).eraseToAnyPublisher(), on: queue).subscribe(recorder)
            #expect(await recorder.wait())
            #expect(recorder.values == Array(0..<5000))
            #expect(recorder.events.last == .completion(.finished))
            #expect(recorder.violations == [])
        }
    }

    @Test(
        "A concurrent queue delivers each sending thread's values in order",
        arguments: [SchedulingOperator.receiveOn, .delay, .timeout, .twice])
    func concurrentQueueKeepsEachSendersOrder(_ schedulingOperator: SchedulingOperator) async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let subject = IntSubject()
        let recorder = IntRecorder()
        schedulingOperator.apply(subject.eraseToAnyPublisher(), on: queue).subscribe(recorder)
        concurrently(4) { thread in
            for step in 0..<500 { subject.send(thread * 1000 + step) }
        }
        subject.send(completion: .finished)
        #expect(await recorder.wait())
        let values = recorder.values
        for thread in 0..<4 {
            let own = values.filter { $0 / 1000 == thread }
            #expect(own == (0..<500).map { thread * 1000 + $0 })
        }
        #expect(recorder.events.last == .completion(.finished))
        #expect(recorder.violations == [])
    }

    @Test(
        "A concurrent queue delivers nothing after a cancellation", arguments: SchedulingOperator.allCases)
    func deliversNothingAfterCancellation(_ schedulingOperator: SchedulingOperator) async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let recorder = IntRecorder { recorder, event in
            if event == .value(100) { recorder.cancel() }
        }
        schedulingOperator.apply(count(to: 5000).eraseToAnyPublisher(), on: queue).subscribe(recorder)
        #expect(await recorder.wait(forValues: 101))
        await withCheckedContinuation { continuation in
            queue.async(flags: .barrier) { continuation.resume() }
        }
        #expect(recorder.values == Array(0...100))
        #expect(recorder.completion == nil)
        #expect(recorder.violations == [])
    }
}
