import Streams
import StreamsTesting
import Testing

/// A publisher without an upstream.
struct ProducerCase: Sendable, CustomTestStringConvertible {
    let name: String
    let values: [Int]
    let completion: Subscribers.Completion<LawError>?
    let make: @Sendable (LawContext) -> IntPublisher

    init(
        _ name: String,
        _ values: [Int],
        _ completion: Subscribers.Completion<LawError>? = .finished,
        make: @escaping @Sendable (LawContext) -> IntPublisher
    ) {
        self.name = name
        self.values = values
        self.completion = completion
        self.make = make
    }

    var testDescription: String { name }

    /// All publishers without an upstream. A new one needs one line here.
    static let all: [ProducerCase] = [
        ProducerCase("Sequence", [0, 1, 2, 3, 4]) { context in
            Publishers.Sequence(sequence: (0..<5).lazy.map { context.passing($0) }).eraseToAnyPublisher()
        },
        ProducerCase("Just", [1]) { _ in Just(1).restoringLawError() },
        ProducerCase("Empty", []) { _ in Empty().eraseToAnyPublisher() },
        ProducerCase("Empty, endless", [], nil) { _ in Empty(completeImmediately: false).eraseToAnyPublisher() },
        ProducerCase("Fail", [], .failure(.failed)) { _ in Fail(error: .failed).eraseToAnyPublisher() },
        ProducerCase("Deferred", [0, 1]) { context in
            Deferred { context.passing(count(to: 2)) }.eraseToAnyPublisher()
        },
        ProducerCase("Future", [1]) { _ in Future { $0(.success(1)) }.eraseToAnyPublisher() },
        ProducerCase("Future, failed", [], .failure(.failed)) { _ in
            Future { $0(.failure(.failed)) }.eraseToAnyPublisher()
        },
        ProducerCase("Optional", [1]) { _ in Optional.Publisher(1).restoringLawError() },
        ProducerCase("Result", [1]) { _ in Result<Int, LawError>.success(1).publisher.eraseToAnyPublisher() },
        ProducerCase("Result, failed", [], .failure(.failed)) { _ in
            Result<Int, LawError>.failure(.failed).publisher.eraseToAnyPublisher()
        },
        ProducerCase("Create", [0, 1, 2]) { context in
            IntPublisher.create { subscriber in
                for value in 0..<3 { subscriber.send(value) }
                subscriber.send(completion: .finished)
                return AnyCancellable { context.hook() }
            }
        },
        ProducerCase("Create, awaiting demand", [0, 1, 2]) { context in
            IntPublisher.create { subscriber in
                let task = Task(executorPreference: InlineExecutor.shared) {
                    for value in 0..<3 { try await subscriber.send(value) }
                    subscriber.send(completion: .finished)
                }
                return AnyCancellable {
                    context.hook()
                    task.cancel()
                }
            }
        },
        ProducerCase("Async", [1]) { context in
            Operators.Async(executorPreference: InlineExecutor.shared) { () async throws(LawError) in
                context.passing(1)
            }.eraseToAnyPublisher()
        },
        ProducerCase("AsyncSequence", [0, 1, 2]) { context in
            let numbers = SynchronousNumbers(bound: 3, hook: context.hook)
            return Operators.AsyncSequence(numbers, executorPreference: InlineExecutor.shared).eraseToAnyPublisher()
        },
        ProducerCase("Interval", [0, 1, 2]) { context in
            Operators.Interval(every: 0, scheduler: ImmediateScheduler.shared).prefix(3).map { context.passing($0) }
                .setFailureType(to: LawError.self).eraseToAnyPublisher()
        },
        ProducerCase("Interval, endless", [], nil) { context in
            Operators.Interval(every: .seconds(1), scheduler: context.scheduler).setFailureType(to: LawError.self)
                .eraseToAnyPublisher()
        },
    ]
}

@Suite("The rules, for publishers without an upstream", .serialized)
struct ProducerLaws {
    @Test("Rule 1: delivers as many values as were requested", arguments: ProducerCase.all)
    func demand(_ producerCase: ProducerCase) {
        let recorder = IntRecorder(initialDemand: .none)
        producerCase.make(LawContext()).subscribe(recorder)
        #expect(recorder.values == [])
        for value in producerCase.values.indices {
            recorder.request(.max(1))
            #expect(recorder.values == Array(producerCase.values[...value]))
        }
        // Some sources need demand to find out that there are no more values.
        if recorder.completion == nil { recorder.request(.max(1)) }
        #expect(recorder.completion == producerCase.completion)
        #expect(recorder.violations == [])
    }

    /// Looks at 20 free runs of the threads.
    @Test("Rules 1, 2 and 4: serves concurrent requests", arguments: ProducerCase.all)
    func concurrentRequests(_ producerCase: ProducerCase) {
        for _ in 0..<20 {
            let recorder = IntRecorder(initialDemand: .none)
            producerCase.make(LawContext()).subscribe(recorder)
            concurrently(4) { _ in for _ in 0..<3 { recorder.request(.max(1)) } }
            #expect(recorder.values == producerCase.values)
            #expect(recorder.completion == producerCase.completion)
            #expect(recorder.violations == [])
        }
    }

    @Test(
        "Rule 2: serves requests of other threads right after the subscription was received",
        arguments: ProducerCase.all)
    func handover(_ producerCase: ProducerCase) {
        let recorder = IntRecorder(initialDemand: .none) { recorder, event in
            guard case .subscription = event else { return }
            onAnotherThread { recorder.request(.unlimited) }
            #expect(recorder.events.count == 1)
        }
        producerCase.make(LawContext()).subscribe(recorder)
        #expect(recorder.values == producerCase.values)
        #expect(recorder.completion == producerCase.completion)
        #expect(recorder.violations == [])
    }

    @Test(
        "Rules 2 and 6: another thread can cancel while the subscription is being received", arguments: ProducerCase.all
    )
    func cancellationInHandover(_ producerCase: ProducerCase) {
        for demand in [Subscribers.Demand.none, .unlimited] {
            let lifetimes = LifetimeTracker()
            do {
                let token = lifetimes.token("closure")
                let recorder = IntRecorder(initialDemand: .none) { recorder, event in
                    guard case .subscription = event else { return }
                    onAnotherThread {
                        if demand > .none { recorder.request(demand) }
                        recorder.cancel()
                    }
                }
                lifetimes.watch(recorder, as: "downstream")
                producerCase.make(LawContext { withExtendedLifetime(token) {} }).subscribe(recorder)
                #expect(recorder.values == [])
            }
            #expect(lifetimes.alive == [])
        }
    }

    @Test("Rule 2: cancellation inside any signal ends delivery", arguments: ProducerCase.all)
    func cancellation(_ producerCase: ProducerCase) {
        for limit in 1...(producerCase.values.count + 1) {
            let seen = Counter()
            let recorder = IntRecorder { recorder, _ in
                if seen.increment() == limit { recorder.cancel() }
            }
            producerCase.make(LawContext()).subscribe(recorder)
            // As in Combine, a source without values completes even if its subscription was cancelled on receipt.
            let isInstant = producerCase.values.isEmpty && producerCase.completion != nil
            #expect(recorder.events.count == limit || isInstant)
        }
    }

    @Test("Rule 3: another thread can use the stream during every signal", arguments: ProducerCase.all)
    func locks(_ producerCase: ProducerCase) {
        let publisher = producerCase.make(LawContext())
        let recorder = IntRecorder { [publisher = UncheckedTransfer(publisher)] recorder, _ in
            onAnotherThread {
                publisher.value.subscribe(IntRecorder())
                recorder.request(.max(1))
            }
        }
        publisher.subscribe(recorder)
        #expect(recorder.values == producerCase.values)
        #expect(recorder.completion == producerCase.completion)
        #expect(recorder.violations == [])
        let cancelling = IntRecorder { recorder, event in
            if case .value = event { onAnotherThread { recorder.cancel() } }
        }
        publisher.subscribe(cancelling)
        #expect(cancelling.values.count == min(producerCase.values.count, 1))
    }

    @Test("Rule 6: the end releases everything, even if the subscription is kept", arguments: ProducerCase.all)
    func release(_ producerCase: ProducerCase) {
        for isCancelled in [true, false] {
            let lifetimes = LifetimeTracker()
            let keeper = IntRecorder(initialDemand: isCancelled ? .none : .unlimited, keepsSubscription: true)
            do {
                let token = lifetimes.token("closure")
                producerCase.make(LawContext { withExtendedLifetime(token) {} }).subscribe(keeper)
                if isCancelled { keeper.cancel() }
            }
            #expect(lifetimes.alive == [])
            let recorder = IntRecorder(initialDemand: isCancelled ? .none : .unlimited)
            lifetimes.watch(recorder, as: "downstream")
            producerCase.make(LawContext()).subscribe(recorder)
            if isCancelled { recorder.cancel() }
        }
    }
}
