import Streams
import StreamsTesting
import Synchronization
import Testing

@Suite("Rule 3: no lock is held while user code runs", .serialized)
struct LockLaws {
    @Test("Another thread can use the stream during any signal", arguments: OperatorCase.all)
    func holdsNoLockDuringSignals(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let another = IntRecorder()
        let isFirstValue = Once()
        let recorder = IntRecorder(initialDemand: .max(100)) { recorder, event in
            if case .value = event, !isFirstValue.isFirst() { return }
            onAnotherThread {
                recorder.request(.max(1))
                // Twice, so that an operator that pairs values pairs these.
                for _ in 0..<2 { subject.send(7) }
                operatorCase.apply(to: subject, on: context).subscribe(another)
                another.cancel()
            }
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        for value in operatorCase.opening { subject.send(value) }
        subject.send(completion: .finished)
        context.settle()
        #expect(!Set(recorder.values).isDisjoint(with: operatorCase.opening))
        #expect(recorder.completion == .finished)
        #expect(recorder.violations == [])
    }

    @Test("Another thread can cancel while a value is delivered", arguments: OperatorCase.all)
    func anotherThreadCancelsDuringAValue(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let subject = IntSubject()
        let recorder = IntRecorder { recorder, event in
            if case .value = event { onAnotherThread { recorder.cancel() } }
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        for value in operatorCase.opening { subject.send(value) }
        subject.send(2)
        subject.send(3)
        context.settle()
        #expect(recorder.values == [operatorCase.firstValue])
    }

    @Test("Another thread can use the stream while a closure of the operator runs", arguments: OperatorCase.all)
    func holdsNoLockDuringClosures(_ operatorCase: OperatorCase) {
        let subject = IntSubject()
        let recorder = IntRecorder()
        let isFirstCall = Once()
        let context = LawContext {
            guard isFirstCall.isFirst() else { return }
            onAnotherThread {
                recorder.request(.max(1))
                subject.send(2)
            }
        }
        operatorCase.apply(to: subject, on: context).subscribe(recorder)
        context.settle()
        for value in operatorCase.opening { subject.send(value) }
        subject.send(completion: .failure(.failed))
        context.settle()
        #expect(!Set(recorder.values).isDisjoint(with: operatorCase.opening))
        #expect(recorder.completion != nil)
        #expect(recorder.violations == [])
    }

    @Test("Another thread can use the stream while the upstream is requested or cancelled", arguments: OperatorCase.all)
    func holdsNoLockDuringUpstreamCalls(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let recorder = IntRecorder(initialDemand: .max(2))
        let (isFirstRequest, isFirstCancellation) = (Once(), Once())
        let probe = IntProbe(
            onRequest: { _, _ in
                if isFirstRequest.isFirst() { onAnotherThread { recorder.request(.max(1)) } }
            },
            onCancel: {
                if isFirstCancellation.isFirst() {
                    onAnotherThread {
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

    @Test("Another thread can use the stream while a closure is released", arguments: OperatorCase.all)
    func holdsNoLockDuringRelease(_ operatorCase: OperatorCase) {
        for isCancelled in [false, true] {
            let subject = IntSubject()
            let recorder = IntRecorder()
            do {
                let onRelease = OnRelease {
                    onAnotherThread {
                        recorder.request(.max(1))
                        recorder.cancel()
                        subject.send(3)
                        subject.send(completion: .finished)
                    }
                }
                let context = LawContext { withExtendedLifetime(onRelease) {} }
                operatorCase.apply(to: subject, on: context).subscribe(recorder)
                context.settle()
                for value in operatorCase.opening { subject.send(value) }
                if isCancelled { recorder.cancel() } else { subject.send(completion: .finished) }
                context.settle()
            }
            #expect(recorder.values.first == operatorCase.firstValue || isCancelled)
        }
    }
}

/// A flag that is true for the first call only.
private final class Once: Sendable {
    private let isDone = Atomic<Bool>(false)

    func isFirst() -> Bool {
        !isDone.exchange(true, ordering: .relaxed)
    }
}

/// An object that performs an action when it is released.
private final class OnRelease: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    deinit {
        action()
    }
}
