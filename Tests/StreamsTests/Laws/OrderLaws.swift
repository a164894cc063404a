import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("Rule 7: a scheduler never reorders", .serialized)
struct OrderLaws {
    /// What delivers by a scheduler.
    enum Hop: CaseIterable, Sendable {
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

    @Test("On a concurrent queue values keep their order, and the completion is last", arguments: Hop.allCases)
    func concurrentQueue(_ hop: Hop) async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        for demand in [Subscribers.Demand.unlimited, .max(1)] {
            let recorder = IntRecorder(initialDemand: demand, demandPerValue: .max(1))
            hop.apply(count(to: 5000).eraseToAnyPublisher(), on: queue).subscribe(recorder)
            #expect(await recorder.wait())
            #expect(recorder.values == Array(0..<5000))
            #expect(recorder.events.last == .completion(.finished))
            #expect(recorder.violations == [])
        }
    }

    @Test("The same for values sent by several threads", arguments: [Hop.receiveOn, .delay, .timeout, .twice])
    func concurrentSenders(_ hop: Hop) async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let subject = IntSubject()
        let recorder = IntRecorder()
        hop.apply(subject.eraseToAnyPublisher(), on: queue).subscribe(recorder)
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

    @Test("Cancelling inside a value on a concurrent queue ends it there", arguments: Hop.allCases)
    func cancellation(_ hop: Hop) async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let recorder = IntRecorder { recorder, event in
            if event == .value(100) { recorder.cancel() }
        }
        hop.apply(count(to: 5000).eraseToAnyPublisher(), on: queue).subscribe(recorder)
        #expect(await recorder.wait(forValues: 101))
        await withCheckedContinuation { continuation in
            queue.async(flags: .barrier) { continuation.resume() }
        }
        #expect(recorder.values == Array(0...100))
        #expect(recorder.completion == nil)
        #expect(recorder.violations == [])
    }
}
