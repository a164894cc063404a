import Streams
import StreamsTesting
import Testing

@Suite("Rule 2: signals are serial, and nothing comes after the completion or the cancellation", .serialized)
struct SerialLaws {
    /// The threads run freely, so a breach may need several runs. ``InterleavingLaws`` has reproducible orders.
    @Test("Values of concurrent senders are delivered serially, each thread's in order", arguments: OperatorCase.all)
    func serialisesConcurrentSenders(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let recorder = IntRecorder()
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        concurrently(4) { thread in
            for step in 0..<250 { subject.send(thread * 1000 + step) }
        }
        context.settle()
        let values = recorder.values
        for thread in 0..<4 {
            let own = values.filter { $0 / 1000 == thread }
            #expect(own == own.sorted())
        }
        #expect(Set(values).count == values.count)
        #expect(values.count == operatorCase.output(of: 0..<1000).count)
        #expect(recorder.violations == [])
    }

    /// Looks at 20 free runs of the threads. ``InterleavingLaws`` has reproducible orders.
    @Test("One of several concurrent completions is delivered, and nothing after it", arguments: OperatorCase.all)
    func deliversOneOfConcurrentCompletions(_ operatorCase: OperatorCase) {
        for _ in 0..<20 {
            let context = LawContext()
            let subject = IntSubject()
            let recorder = IntRecorder()
            operatorCase.apply(to: subject, on: context).subscribe(recorder)
            context.settle()
            concurrently(3) { thread in
                for step in 0..<10 { subject.send(step) }
                subject.send(completion: .finished)
                for step in 0..<10 { subject.send(step) }
            }
            context.settle()
            #expect(recorder.events.last == .completion(.finished))
            #expect(recorder.violations == [])
        }
    }

    @Test("Nothing is delivered after a cancellation during any value, also the last one", arguments: OperatorCase.all)
    func deliversNothingAfterCancellationDuringAValue(_ operatorCase: OperatorCase) {
        let output = operatorCase.output(of: 0..<4, isFinished: true)
        for isOtherThread in [false, true] {
            for index in output.indices {
                let context = LawContext()
                let recorder = IntRecorder { recorder, event in
                    guard event == .value(output[index]) else { return }
                    if isOtherThread { onAnotherThread { recorder.cancel() } } else { recorder.cancel() }
                }
                operatorCase.apply(to: count(to: 4), on: context).subscribe(recorder)
                context.settle()
                #expect(recorder.values == Array(output[...index]))
                #expect(recorder.completion == nil)
                #expect(recorder.violations == [])
            }
        }
    }

    @Test("Nothing is delivered after a cancellation during a subject's value", arguments: OperatorCase.all)
    func deliversNothingAfterCancellationDuringASentValue(_ operatorCase: OperatorCase) {
        for isOtherThread in [false, true] {
            let context = LawContext()
            let subject = IntSubject()
            let recorder = IntRecorder { recorder, event in
                guard event == .value(2) else { return }
                if isOtherThread { onAnotherThread { recorder.cancel() } } else { recorder.cancel() }
                subject.send(3)
            }
            operatorCase.apply(to: subject, on: context).subscribe(recorder)
            context.settle()
            for value in [0, 1, 2, 4] { subject.send(value) }
            subject.send(completion: .failure(.failed))
            context.settle()
            #expect(recorder.values == operatorCase.output(of: [0, 1, 2, 4]).filter { $0 <= 2 })
            #expect(recorder.completion == nil)
            #expect(recorder.violations == [])
        }
    }

    @Test("Nothing is delivered after a cancellation in receive(subscription:)", arguments: OperatorCase.all)
    func deliversNothingAfterCancellationInReceiveSubscription(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let recorder = IntRecorder { recorder, _ in recorder.cancel() }
        operatorCase.apply(to: count(to: 10), on: context).subscribe(recorder)
        let probe = IntProbe()
        let another = IntRecorder { recorder, _ in recorder.cancel() }
        operatorCase.apply(to: probe, on: context).subscribe(another)
        context.settle()
        probe.send(1)
        probe.send(completion: .finished)
        context.settle()
        #expect(recorder.events.count == 1)
        #expect(another.events.count == 1)
        #expect(probe.subscriberCount == 0, "the upstream was not cancelled")
        #expect(recorder.violations + another.violations == [])
    }

    /// Looks at 20 free runs of the threads. ``InterleavingLaws`` has reproducible orders.
    @Test("After cancellation on another thread at most the value in delivery follows", arguments: OperatorCase.all)
    func stopsAfterCancellationOnAnotherThread(_ operatorCase: OperatorCase) {
        for _ in 0..<20 {
            let context = LawContext()
            let subject = IntSubject()
            let isDelivering = Gate()
            let recorder = IntRecorder { _, event in
                if event == .value(6) { isDelivering.open() }
            }
            operatorCase.apply(to: subject, on: context).subscribe(recorder)
            context.settle()
            concurrently(2) { thread in
                if thread == 0 {
                    for value in 0..<300 {
                        subject.send(value)
                        context.settle()
                    }
                } else {
                    #expect(isDelivering.wait())
                    recorder.cancel()
                }
            }
            let count = recorder.events.count
            subject.send(1000)
            subject.send(completion: .finished)
            context.settle()
            #expect(recorder.events.count == count)
            #expect(recorder.completion == nil)
            #expect(recorder.violations == [])
        }
    }
}
