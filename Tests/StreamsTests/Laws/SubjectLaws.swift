import Streams
import StreamsTesting
import Testing

/// A subject as the laws use it.
struct SubjectCase: Sendable, CustomTestStringConvertible {
    struct Ends: Sendable {
        let send: @Sendable (Int) -> Void
        let complete: @Sendable (Subscribers.Completion<LawError>) -> Void
        let subscribe: @Sendable (IntRecorder) -> Void
    }

    let testDescription: String
    /// Whether the completion follows the values kept for a subscriber.
    let completesAfterValues: Bool
    let make: @Sendable () -> Ends

    static let all = [
        SubjectCase(testDescription: "PassthroughSubject", completesAfterValues: false) {
            ends(of: PassthroughSubject<Int, LawError>())
        },
        SubjectCase(testDescription: "CurrentValueSubject", completesAfterValues: false) {
            ends(of: CurrentValueSubject<Int, LawError>(-1))
        },
        SubjectCase(testDescription: "ReplaySubject without a buffer", completesAfterValues: false) {
            ends(of: ReplaySubject<Int, LawError>(bufferSize: 0))
        },
        SubjectCase(testDescription: "ReplaySubject", completesAfterValues: true) {
            ends(of: ReplaySubject<Int, LawError>(bufferSize: 5_000))
        },
    ]

    private static func ends<S: Subject & Sendable>(of subject: S) -> Ends
    where S.Output == Int, S.Failure == LawError {
        Ends(
            send: { subject.send($0) },
            complete: { subject.send(completion: $0) },
            subscribe: { subject.subscribe($0) })
    }
}

@Suite("The rules, for subjects", .serialized)
struct SubjectLaws {
    /// The threads run freely, so a breach may need several runs.
    @Test(
        "Rule 1: subscribers with different demand never receive more than they requested", arguments: SubjectCase.all)
    func obeysDemand(_ subjectCase: SubjectCase) {
        let chance = SeededRandom()
        let subject = subjectCase.make()
        let recorders = (0..<6).map { index in
            IntRecorder(initialDemand: .max(index), demandForValue: { _ in .max(chance.pick(0...1)) })
        }
        recorders.forEach(subject.subscribe)
        concurrently(3) { thread in
            for step in 0..<300 {
                if thread == 0 { subject.send(step) } else { recorders[chance.pick(0...5)].request(.max(1)) }
            }
        }
        subject.complete(.finished)
        for recorder in recorders {
            if subjectCase.completesAfterValues { recorder.request(.unlimited) }
            #expect(recorder.violations == [], "\(chance)")
            #expect(recorder.values == recorder.values.sorted(), "\(chance)")
            #expect(Set(recorder.values).count == recorder.values.count, "\(chance)")
            #expect(recorder.completion == .finished)
        }
    }

    /// The threads run freely, so a breach may need several runs.
    @Test(
        "Rule 2: values of several threads arrive one by one, each thread's in order", arguments: SubjectCase.all)
    func serialisesValuesOfSeveralThreads(_ subjectCase: SubjectCase) {
        let subject = subjectCase.make()
        let recorders = (0..<3).map { _ in IntRecorder() }
        recorders.forEach(subject.subscribe)
        concurrently(4) { thread in
            for step in 0..<300 { subject.send(thread * 1000 + step) }
        }
        subject.complete(.failure(.failed))
        let first = recorders[0].values
        for thread in 0..<4 {
            let own = first.filter { $0 >= 0 && $0 / 1000 == thread }
            #expect(own == (0..<300).map { thread * 1000 + $0 })
        }
        for recorder in recorders {
            #expect(recorder.values == first, "subscribers see different orders")
            #expect(recorder.completion == .failure(.failed))
            #expect(recorder.violations == [])
        }
    }

    /// The threads run freely, so a breach may need several runs.
    @Test("Rules 2 and 4: subscribers come and cancel while values are sent", arguments: SubjectCase.all)
    func subscribingAndCancellingWhileSending(_ subjectCase: SubjectCase) {
        let chance = SeededRandom()
        let subject = subjectCase.make()
        let witness = IntRecorder()
        subject.subscribe(witness)
        concurrently(4) { thread in
            for step in 0..<200 {
                if thread == 0 {
                    subject.send(step)
                } else {
                    let limit = chance.pick(1...3)
                    let seen = Counter()
                    let recorder = IntRecorder { recorder, event in
                        if case .value = event, seen.increment() == limit { recorder.cancel() }
                    }
                    subject.subscribe(recorder)
                    if chance.pick(0...1) == 0 { recorder.cancel() }
                    #expect(recorder.violations == [], "\(chance)")
                }
            }
        }
        subject.complete(.finished)
        #expect(witness.values.filter { $0 >= 0 } == Array(0..<200))
        #expect(witness.violations == [])
    }

    @Test("Rule 3: another thread can use the subject during every signal", arguments: SubjectCase.all)
    func holdsNoLockWhileDelivering(_ subjectCase: SubjectCase) {
        let subject = subjectCase.make()
        let recorder = IntRecorder(initialDemand: .max(2)) { recorder, event in
            if case .value(let value) = event, value > 1 { return }
            onAnotherThread {
                recorder.request(.max(1))
                subject.send(2)
                let another = IntRecorder()
                subject.subscribe(another)
                another.cancel()
            }
        }
        subject.subscribe(recorder)
        subject.send(1)
        subject.complete(.finished)
        #expect(recorder.completion == .finished)
        #expect(recorder.violations == [])
    }

    @Test("Rule 6: a subject that is released releases its subscribers", arguments: SubjectCase.all)
    func releasesSubscribersWhenReleased(_ subjectCase: SubjectCase) {
        let lifetimes = LifetimeTracker()
        for demand in [Subscribers.Demand.unlimited, .max(3)] {
            let recorder = IntRecorder(initialDemand: demand)
            lifetimes.watch(recorder, as: "downstream")
            let subject = subjectCase.make()
            subject.subscribe(recorder)
            subject.send(1)
        }
        #expect(lifetimes.alive == [])
    }

    @Test("Rules 4 and 6: a subject may be released while it delivers a value", arguments: SubjectCase.all)
    func mayBeReleasedInsideAValue(_ subjectCase: SubjectCase) {
        let lifetimes = LifetimeTracker()
        do {
            let subject = Locked<SubjectCase.Ends?>(subjectCase.make())
            let recorder = IntRecorder { _, event in
                guard event.value == 1 else { return }
                subject.withLock { $0 }?.send(2)
                let released = subject.withLock { $0.take() }
                withExtendedLifetime(released) {}
            }
            lifetimes.watch(recorder, as: "downstream")
            subject.withLock { $0 }?.subscribe(recorder)
            subject.withLock { $0 }?.send(1)
            #expect(recorder.values.suffix(2) == [1, 2])
            #expect(recorder.completion == nil)
        }
        #expect(lifetimes.alive == [])
    }

    @Test("Rule 6: a subject releases subscribers after their end", arguments: SubjectCase.all)
    func releasesSubscribers(_ subjectCase: SubjectCase) {
        let lifetimes = LifetimeTracker()
        let subject = subjectCase.make()
        for isCancelled in [true, false] {
            let recorder = IntRecorder()
            lifetimes.watch(recorder, as: "downstream")
            subject.subscribe(recorder)
            subject.send(1)
            if isCancelled { recorder.cancel() } else { subject.complete(.finished) }
        }
        #expect(lifetimes.alive == [])
        subject.send(2)
    }
}
