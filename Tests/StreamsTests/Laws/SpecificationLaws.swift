import Streams
import StreamsTesting
import Testing

/// The rules of the Reactive Streams specification that no law of the contract covers.
///
/// The documentation's page "ReactiveStreams" lists the tests of each rule.
@Suite("The Reactive Streams specification", .serialized)
struct SpecificationLaws {
    @Test("1.9 and 2.12: an operator delivers one subscription, before any other signal", arguments: OperatorCase.all)
    func deliversOneSubscriptionFirst(_ operatorCase: OperatorCase) {
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

    @Test("1.9 and 2.12: a source delivers one subscription, before any other signal", arguments: ProducerCase.all)
    func deliversOneSubscriptionFirst(_ producerCase: ProducerCase) {
        let recorder = IntRecorder()
        producerCase.make(LawContext()).subscribe(recorder)
        expectSubscriptionFirst(recorder)
    }

    @Test("1.9 and 2.12: a subject delivers one subscription first, also after its end", arguments: SubjectCase.all)
    func deliversOneSubscriptionFirst(_ subjectCase: SubjectCase) {
        let subject = subjectCase.make()
        for hasEnded in [false, true] {
            if hasEnded { subject.complete(.failure(.failed)) }
            let recorder = IntRecorder()
            subject.subscribe(recorder)
            expectSubscriptionFirst(recorder)
            #expect((recorder.completion == nil) != hasEnded)
        }
    }

    @Test("1.2, 1.4 and 1.5: a short stream delivers its values and its completion", arguments: OperatorCase.all)
    func deliversTheCompletionOfAShortStream(_ operatorCase: OperatorCase) {
        let streams: [(IntPublisher, Subscribers.Completion<LawError>)] = [
            (count(to: 3).eraseToAnyPublisher(), .finished),
            (count(to: 3).append(Fail(error: .failed)).eraseToAnyPublisher(), .failure(.failed)),
        ]
        for (source, completion) in streams where completion == .finished || !operatorCase.traits.contains(.recovers) {
            let context = LawContext()
            let recorder = IntRecorder(initialDemand: .max(10))
            operatorCase.apply(to: source, on: context).subscribe(recorder)
            context.settle()
            #expect(recorder.completion == completion)
            // A failure may drop buffered values.
            let isComplete = completion == .finished && !operatorCase.traits.contains(.hot)
            let output = operatorCase.output(of: 0..<3, isFinished: true)
            #expect(isComplete ? recorder.values == output : Set(recorder.values).isSubset(of: output))
            #expect(recorder.violations == [])
        }
    }

    @Test("1.11: every subscriber of a publisher receives the values it requests", arguments: OperatorCase.all)
    func servesEverySubscriber(_ operatorCase: OperatorCase) {
        let context = LawContext()
        let publisher = operatorCase.apply(to: count(to: 5), on: context)
        for demand in 1...3 where !operatorCase.traits.contains(.hot) {
            let recorder = IntRecorder(initialDemand: .max(demand))
            publisher.subscribe(recorder)
            context.settle()
            #expect(recorder.values == Array(operatorCase.output(of: 0..<5, isFinished: true).prefix(demand)))
            #expect(recorder.violations == [])
        }
    }

    @Test(
        "1.10 and 2.5: a subscriber that subscribes twice cancels the second subscription", arguments: OperatorCase.all)
    func sameSubscriberCancelsTheSecondSubscription(_ operatorCase: OperatorCase) {
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
        for value in operatorCase.opening { probe.send(value) }
        context.settle()
        #expect(values.value == 1)
        sink.cancel()
        context.settle()
        #expect(probe.subscriberCount == 0)
    }

    @Test("1.6, 2.3 and 2.4: an upstream receives no calls after its completion", arguments: OperatorCase.all)
    func callsNothingAfterCompletion(_ operatorCase: OperatorCase) {
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
            // The subscriber of a transparent operator calls the upstream's subscription directly.
            guard !operatorCase.traits.contains(.transparent) else { continue }
            // Combining operators also cancel the publisher that failed, as in Combine.
            let cancelled = before.map { $0 + [.cancel] }
            let isCombining = ["zip", "combineLatest", "withLatestFrom", "sample(_:)"].contains {
                operatorCase.name.hasPrefix($0)
            }
            #expect(probe.commands == (isCombining && completion != .finished ? cancelled : before))
            #expect(recorder.completion == completion)
        }
    }

    @Test(
        "2.9 and 2.10: a completion is delivered without demand",
        arguments: OperatorCase.all.filter(\.completesWithoutDemand))
    func deliversTheCompletionWithoutDemand(_ operatorCase: OperatorCase) {
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

    /// Looks at 10 free runs of the threads.
    @Test(
        "3.5 to 3.7: concurrent cancellations count once, and later requests are ignored", arguments: OperatorCase.all)
    func cancelsUpstreamOnce(_ operatorCase: OperatorCase) {
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

    @Test("2.1: every subscriber of the library requests values", arguments: SubscriberCase.all)
    func subscribersRequestValues(_ subscriberCase: SubscriberCase) async {
        let requested = Counter()
        let probe = Publishers.HandleEvents(
            upstream: IntSubject(), receiveSubscription: nil, receiveOutput: nil, receiveCompletion: nil,
            receiveCancel: nil, receiveRequest: { _ in requested.increment() })
        let retained = subscriberCase.subscribe(probe.eraseToAnyPublisher())
        if let task = retained as? Task<Int?, any Error> {
            for _ in 0..<1_000_000 where requested.value == 0 { await Task.yield() }
            task.cancel()
            _ = await task.result
        }
        #expect(requested.value == 1)
        withExtendedLifetime(retained) {}
    }

    private func expectSubscriptionFirst(_ recorder: IntRecorder) {
        let subscriptions = recorder.events.filter { if case .subscription = $0 { true } else { false } }
        #expect(subscriptions.count == 1)
        #expect(recorder.events.first == subscriptions.first)
        #expect(recorder.violations == [])
    }
}

/// A subscriber of this library.
struct SubscriberCase: Sendable, CustomTestStringConvertible {
    let testDescription: String

    /// Subscribes to a publisher and returns an object that retains the subscription.
    let subscribe: @Sendable (IntPublisher) -> Any

    private final class Target {
        var value = 0
    }

    static let all: [SubscriberCase] = [
        SubscriberCase(testDescription: "sink") { $0.sink(receiveCompletion: { _ in }, receiveValue: { _ in }) },
        SubscriberCase(testDescription: "Subscribers.Sink") { publisher in
            let sink = Subscribers.Sink<Int, LawError>(receiveCompletion: { _ in }, receiveValue: { _ in })
            publisher.subscribe(sink)
            return sink
        },
        SubscriberCase(testDescription: "assign") { $0.replaceError(with: 0).assign(to: \.value, on: Target()) },
        SubscriberCase(testDescription: "a subject with demand") { publisher in
            let subject = IntSubject()
            subject.subscribe(IntRecorder())
            return publisher.subscribe(subject)
        },
        SubscriberCase(testDescription: "the iterator of values") { publisher in
            let publisher = UncheckedTransfer(publisher)
            return Task<Int?, any Error> {
                var iterator = publisher.value.values.makeAsyncIterator()
                return try await iterator.next()
            }
        },
    ]
}
