import Streams
import StreamsTesting
import Synchronization
import Testing

@Suite("Rule 3: no lock is held while code of others runs", .serialized)
struct LockLaws {
    @Test("From inside every signal, another thread can use the stream", arguments: OperatorCase.all)
    func signals(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let another = IntRecorder()
        let isFirstValue = Once()
        let recorder = IntRecorder(initialDemand: .max(100)) { recorder, event in
            if case .value = event, !isFirstValue.isFirst() { return }
            elsewhere {
                recorder.request(.max(1))
                subject.send(7)
                operatorCase.apply(to: subject, on: context).subscribe(another)
                another.cancel()
            }
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        subject.send(1)
        subject.send(completion: .finished)
        context.settle()
        #expect(recorder.values.contains(1))
        #expect(recorder.completion == .finished)
        #expect(recorder.violations == [])
    }

    @Test("From inside a value, another thread can cancel", arguments: OperatorCase.all)
    func cancellation(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let recorder = IntRecorder { recorder, event in
            if case .value = event { elsewhere { recorder.cancel() } }
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        subject.send(1)
        subject.send(2)
        context.settle()
        #expect(recorder.values == [1])
    }

    @Test("From inside the operator's closures, another thread can use the stream", arguments: OperatorCase.all)
    func closures(_ operatorCase: OperatorCase) {
        let subject = IntSubject()
        let recorder = IntRecorder()
        let isFirstCall = Once()
        let context = LawContext {
            guard isFirstCall.isFirst() else { return }
            elsewhere {
                recorder.request(.max(1))
                subject.send(2)
            }
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        subject.send(1)
        subject.send(completion: .failure(.failed))
        context.settle()
        #expect(recorder.values.contains(1))
        #expect(recorder.completion != nil)
        #expect(recorder.violations == [])
    }

    @Test(
        "From inside the upstream's request and cancel, another thread can use the stream", arguments: OperatorCase.all)
    func upstream(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let recorder = IntRecorder(initialDemand: .max(2))
        let (isFirstRequest, isFirstCancellation) = (Once(), Once())
        let probe = IntProbe(
            onRequest: { _, _ in
                if isFirstRequest.isFirst() { elsewhere { recorder.request(.max(1)) } }
            },
            onCancel: {
                if isFirstCancellation.isFirst() {
                    elsewhere {
                        recorder.request(.max(1))
                        recorder.cancel()
                    }
                }
            })
        operatorCase.apply(to: probe, on: context).subscribe(recorder)
        context.settle()
        #expect(!isFirstRequest.isFirst(), "nothing was requested")
        recorder.cancel()
        context.settle()
        #expect(!isFirstCancellation.isFirst(), "nothing was cancelled")
    }

    @Test("From inside the release of a closure, another thread can use the stream", arguments: OperatorCase.all)
    func release(_ operatorCase: OperatorCase) {
        for isCancelled in [false, true] {
            let subject = IntSubject()
            let recorder = IntRecorder()
            do {
                let guardian = OnRelease {
                    elsewhere {
                        recorder.request(.max(1))
                        recorder.cancel()
                        subject.send(3)
                        subject.send(completion: .finished)
                    }
                }
                let context = LawContext { withExtendedLifetime(guardian) {} }
                operatorCase.apply(to: subject, on: context).subscribe(recorder)
                context.settle()
                subject.send(1)
                if isCancelled { recorder.cancel() } else { subject.send(completion: .finished) }
                context.settle()
            }
            #expect(recorder.values.first == 1 || isCancelled)
        }
    }
}

/// Tells the first of several calls.
private final class Once: Sendable {
    private let isDone = Atomic<Bool>(false)

    func isFirst() -> Bool {
        !isDone.exchange(true, ordering: .relaxed)
    }
}

/// Does something when it is released.
private final class OnRelease: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    deinit {
        action()
    }
}
