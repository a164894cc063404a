import Streams
import StreamsTesting
import Testing

/// What the Reactive Streams specification asks for by number, where no law of the nine rules says it already. The page
/// "ReactiveStreams" of the documentation tells which test is for which of its rules.
@Suite("The Reactive Streams specification", .serialized)
struct SpecificationLaws {
    @Test("1.9 and 2.12: a subscription comes first, and once", arguments: OperatorCase.all)
    func subscriptionFirst(_ operatorCase: OperatorCase) {
        let sources = [
            count(to: 2).eraseToAnyPublisher(), Empty().eraseToAnyPublisher(),
            Fail(error: .failed).eraseToAnyPublisher(),
            IntSubject().eraseToAnyPublisher(),
        ]
        for source in sources {
            let context = LawContext()
            let recorder = IntRecorder()
            operatorCase.apply(to: source, on: context).subscribe(recorder)
            context.settle()
            expectSubscriptionFirst(recorder)
        }
    }

    @Test("1.9 and 2.12: a subscription comes first, and once, from sources", arguments: ProducerCase.all)
    func subscriptionFirst(_ producerCase: ProducerCase) {
        let recorder = IntRecorder()
        producerCase.make(LawContext()).subscribe(recorder)
        expectSubscriptionFirst(recorder)
    }

    @Test(
        "1.9 and 2.12: a subscription comes first, and once, from subjects, also after their end",
        arguments: SubjectCase.all)
    func subscriptionFirst(_ subjectCase: SubjectCase) {
        let subject = subjectCase.make()
        for isOver in [false, true] {
            if isOver { subject.complete(.failure(.failed)) }
            let recorder = IntRecorder()
            subject.subscribe(recorder)
            expectSubscriptionFirst(recorder)
            #expect((recorder.completion == nil) != isOver)
        }
    }

    @Test(
        "1.2, 1.4 and 1.5: fewer values may come than were asked for, and then the end of that kind",
        arguments: OperatorCase.all)
    func ends(_ operatorCase: OperatorCase) {
        let ends: [(IntPublisher, Subscribers.Completion<LawError>)] = [
            (count(to: 3).eraseToAnyPublisher(), .finished),
            (count(to: 3).append(Fail(error: .failed)).eraseToAnyPublisher(), .failure(.failed)),
        ]
        for (source, completion) in ends where completion == .finished || !operatorCase.traits.contains(.recovers) {
            let context = LawContext()
            let recorder = IntRecorder(initialDemand: .max(10))
            operatorCase.apply(to: source, on: context).subscribe(recorder)
            context.settle()
            #expect(recorder.completion == completion)
            // A failure does not wait for values that are kept.
            let isComplete = completion == .finished && !operatorCase.traits.contains(.hot)
            #expect(isComplete ? recorder.values == [0, 1, 2] : Set(recorder.values).isSubset(of: 0...2))
            #expect(recorder.violations == [])
        }
    }

    @Test("1.11: several subscribers of one publisher each get what they ask for", arguments: OperatorCase.all)
    func severalSubscribers(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let publisher = operatorCase.apply(to: count(to: 5), on: context)
        for demand in 1...3 where !operatorCase.traits.contains(.hot) {
            let recorder = IntRecorder(initialDemand: .max(demand))
            publisher.subscribe(recorder)
            context.settle()
            #expect(recorder.values == Array(0..<demand))
            #expect(recorder.violations == [])
        }
    }

    @Test("1.10 and 2.5: who subscribes twice keeps the first subscription", arguments: OperatorCase.all)
    func sameSubscriber(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let probe = IntProbe()
        let publisher = operatorCase.apply(to: probe, on: context)
        let values = Counter()
        let sink = Subscribers.Sink<Int, LawError>(
            receiveCompletion: { _ in }, receiveValue: { _ in values.increment() })
        publisher.subscribe(sink)
        publisher.subscribe(sink)
        context.settle()
        #expect(probe.subscriberCount == 1)
        probe.send(1)
        context.settle()
        #expect(values.value == 1)
        sink.cancel()
        context.settle()
        #expect(probe.subscriberCount == 0)
    }

    @Test(
        "1.6, 2.3 and 2.4: an upstream that has ended hears no more, whatever its subscriber calls",
        arguments: OperatorCase.all)
    func silenceUpwards(_ operatorCase: OperatorCase) {
        for completion in [Subscribers.Completion<LawError>.finished, .failure(.failed)]
        where completion == .finished || !operatorCase.traits.contains(.recovers) {
            let context = LawContext()
            let probe = IntProbe()
            let recorder = IntRecorder(keepsSubscription: true)
            operatorCase.apply(to: probe, on: context).subscribe(recorder)
            context.settle()
            probe.send(1)
            context.settle()
            let before = probe.commands
            probe.send(completion: completion)
            context.settle()
            recorder.request(.max(1))
            recorder.cancel()
            context.settle()
            // What hands the upstream's own subscription down hands up what is called on it.
            guard !operatorCase.traits.contains(.transparent) else { continue }
            // Those of several publishers cancel the one that failed too, as Combine's do.
            let cancelled = before.map { $0 + [.cancel] }
            let isJunction = ["zip", "combineLatest", "withLatestFrom"].contains { operatorCase.name.hasPrefix($0) }
            #expect(probe.commands == (isJunction && completion != .finished ? cancelled : before))
            #expect(recorder.completion == completion)
        }
    }

    @Test(
        "2.9 and 2.10: an end that no demand preceded arrives",
        arguments: OperatorCase.all.filter { !$0.traits.contains(.endsOnDemand) })
    func endWithoutDemand(_ operatorCase: OperatorCase) {
        for completion in [Subscribers.Completion<LawError>.finished, .failure(.failed)]
        where completion == .finished || !operatorCase.traits.contains(.recovers) {
            let context = LawContext()
            let probe = IntProbe()
            let recorder = IntRecorder(initialDemand: .none)
            operatorCase.apply(to: probe, on: context).subscribe(recorder)
            context.settle()
            probe.send(completion: completion)
            context.settle()
            #expect(recorder.completion == completion)
            #expect(recorder.violations == [])
        }
    }

    @Test(
        "3.5 to 3.7: cancelling counts once, from whatever threads, and nothing asked for later counts",
        arguments: OperatorCase.all)
    func cancelledOnce(_ operatorCase: OperatorCase) {
        for _ in 0..<10 {
            let context = LawContext()
            let probe = IntProbe(retention: .always)
            let recorder = IntRecorder(initialDemand: .max(1), keepsSubscription: true)
            operatorCase.apply(to: probe, on: context).subscribe(recorder)
            context.settle()
            concurrently(3) { _ in recorder.cancel() }
            context.settle()
            let before = probe.commands
            recorder.cancel()
            recorder.request(.max(1))
            recorder.request(.unlimited)
            context.settle()
            #expect(recorder.values.isEmpty && recorder.completion == nil)
            guard !operatorCase.traits.contains(.transparent) else { continue }
            #expect(probe.cancellations == 1)
            #expect(probe.commands == before)
        }
    }

    @Test("2.1: whatever subscribes asks for values", arguments: Asking.all)
    func subscribersAsk(_ asking: Asking) {
        let requested = Counter()
        let probe = Publishers.HandleEvents(
            upstream: IntSubject(), receiveSubscription: nil, receiveOutput: nil, receiveCompletion: nil,
            receiveCancel: nil, receiveRequest: { _ in requested.increment() })
        let kept = asking.subscribe(probe.eraseToAnyPublisher())
        #expect(requested.value == 1)
        withExtendedLifetime(kept) {}
    }

    private func expectSubscriptionFirst(_ recorder: IntRecorder) {
        let subscriptions = recorder.events.filter { if case .subscription = $0 { true } else { false } }
        #expect(subscriptions.count == 1)
        #expect(recorder.events.first == subscriptions.first)
        #expect(recorder.violations == [])
    }
}

/// A subscriber of this library.
struct Asking: Sendable, CustomTestStringConvertible {
    let testDescription: String

    /// - Returns: What keeps the subscription.
    let subscribe: @Sendable (IntPublisher) -> Any

    private final class Target {
        var value = 0
    }

    static let all: [Asking] = [
        Asking(testDescription: "sink") { $0.sink(receiveCompletion: { _ in }, receiveValue: { _ in }) },
        Asking(testDescription: "Subscribers.Sink") { publisher in
            let sink = Subscribers.Sink<Int, LawError>(receiveCompletion: { _ in }, receiveValue: { _ in })
            publisher.subscribe(sink)
            return sink
        },
        Asking(testDescription: "assign") { $0.replaceError(with: 0).assign(to: \.value, on: Target()) },
        Asking(testDescription: "a subject that is asked") { publisher in
            let subject = IntSubject()
            subject.subscribe(IntRecorder())
            return publisher.subscribe(subject)
        },
        Asking(testDescription: "an iterator that loses nothing") { $0.values.makeAsyncIterator() },
    ]
}
