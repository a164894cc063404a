import Streams
import StreamsTesting
import Testing

@Suite("AnyPublisher.create", .timeLimit(.minutes(15))) struct CreateTests {
    typealias Source = Operators.Creation<Int, LawError>.Emitter

    /// Returns a publisher, its started sources, and a counter of the stopped ones.
    private func makePublisher() -> (publisher: IntPublisher, sources: Sources, stops: Counter) {
        let sources = Sources()
        let stops = Counter()
        let publisher = IntPublisher.create { source in
            sources.add(source)
            return AnyCancellable { stops.increment() }
        }
        return (publisher, sources, stops)
    }

    @Test("Every subscription starts a source")
    func everySubscriptionStartsASource() {
        let (publisher, sources, stops) = makePublisher()
        let (first, second) = (IntRecorder(), IntRecorder())
        publisher.subscribe(first)
        publisher.subscribe(second)
        sources[0]?.send(1)
        sources[1]?.send(2)
        #expect(first.events == [.subscription("Create"), .value(1)])
        #expect(second.events == [.subscription("Create"), .value(2)])
        #expect(stops.value == 0)
    }

    @Test("Unrequested values are buffered, the completion follows them, and the source stops immediately")
    func buffersUnrequestedValues() {
        let (publisher, sources, stops) = makePublisher()
        let recorder = IntRecorder(initialDemand: .max(1))
        publisher.subscribe(recorder)
        for value in 1...3 { sources[0]?.send(value) }
        sources[0]?.send(completion: .failure(.failed))
        sources[0]?.send(4)
        sources[0]?.send(completion: .finished)
        #expect(recorder.values == [1])
        #expect(stops.value == 1)
        recorder.request(.max(1))
        #expect(recorder.values == [1, 2])
        #expect(recorder.completion == nil)
        recorder.request(.max(1))
        #expect(recorder.events.suffix(2) == [.value(3), .completion(.failure(.failed))])
        #expect(recorder.violations == [])
        #expect(sources[0]?.isCancelled == true)
    }

    @Test("A completion sent while the source starts stops it")
    func completionDuringTheStartStopsTheSource() {
        let stops = Counter()
        let recorder = IntRecorder()
        IntPublisher.create { source in
            source.send(1)
            source.send(completion: .finished)
            return AnyCancellable { stops.increment() }
        }.subscribe(recorder)
        #expect(recorder.events == [.subscription("Create"), .value(1), .completion(.finished)])
        #expect(stops.value == 1)
    }

    @Test("Cancellation stops the source and drops buffered values, also while the source starts")
    func cancellationStopsTheSource() {
        let (publisher, sources, stops) = makePublisher()
        let recorder = IntRecorder(initialDemand: .none)
        publisher.subscribe(recorder)
        sources[0]?.send(1)
        recorder.cancel()
        #expect(stops.value == 1)
        #expect(sources[0]?.isCancelled == true)
        sources[0]?.send(2)
        #expect(recorder.values == [])

        let eager = IntRecorder { recorder, event in if event == .value(1) { recorder.cancel() } }
        IntPublisher.create { source in
            source.send(1)
            source.send(2)
            return AnyCancellable { stops.increment() }
        }.subscribe(eager)
        #expect(eager.values == [1])
        #expect(stops.value == 2)
    }

    @Test("A subscriber that cancels on receiving the subscription starts no source")
    func startsNoSourceAfterEarlyCancellation() {
        let (publisher, sources, _) = makePublisher()
        let recorder = IntRecorder(initialDemand: .none) { recorder, _ in recorder.cancel() }
        publisher.subscribe(recorder)
        #expect(sources[0] == nil)
    }

    @Test("All values of concurrent senders are delivered, each thread's in order")
    func deliversConcurrentSends() {
        for demand in [Subscribers.Demand.unlimited, .max(1)] {
            let (publisher, sources, _) = makePublisher()
            let recorder = IntRecorder(initialDemand: demand, demandPerValue: .max(1))
            publisher.subscribe(recorder)
            concurrently(4) { thread in
                for step in 0..<250 { sources[0]?.send(thread * 1000 + step) }
            }
            sources[0]?.send(completion: .finished)
            #expect(recorder.values.count == 1000)
            for thread in 0..<4 {
                #expect(recorder.values.filter { $0 / 1000 == thread } == (0..<250).map { thread * 1000 + $0 })
            }
            #expect(recorder.completion == .finished)
            #expect(recorder.violations == [])
        }
    }

    @Test("Values sent while a value is delivered follow it")
    func queuesNestedSends() {
        let (publisher, sources, _) = makePublisher()
        let recorder = IntRecorder { _, event in
            if event == .value(1) {
                sources[0]?.send(2)
                sources[0]?.send(completion: .finished)
            }
        }
        publisher.subscribe(recorder)
        sources[0]?.send(1)
        #expect(recorder.events.dropFirst() == [.value(1), .value(2), .completion(.finished)])
        #expect(recorder.violations == [])
    }

    @Test("A source retained after the end holds no subscriber")
    func endReleasesTheSubscriber() {
        let lifetimes = LifetimeTracker()
        for isCancelled in [false, true] {
            let (publisher, sources, _) = makePublisher()
            do {
                let recorder = IntRecorder()
                lifetimes.watch(recorder, as: "downstream")
                publisher.subscribe(recorder)
                if isCancelled { recorder.cancel() } else { sources[0]?.send(completion: .finished) }
            }
            #expect(lifetimes.alive == [])
        }
    }
    @Test("The requested demand is what has been requested and not been sent")
    func tellsTheRequestedDemand() {
        let (publisher, sources, _) = makePublisher()
        let recorder = IntRecorder(initialDemand: .max(2))
        publisher.subscribe(recorder)
        #expect(sources[0]?.requestedDemand == .max(2))
        sources[0]?.send(1)
        #expect(sources[0]?.requestedDemand == .max(1))
        sources[0]?.send(2)
        sources[0]?.send(3)
        #expect(sources[0]?.requestedDemand == Subscribers.Demand.none)
        // One of these is for the value that is buffered.
        recorder.request(.max(3))
        #expect(sources[0]?.requestedDemand == .max(2))
        recorder.request(.unlimited)
        sources[0]?.send(4)
        #expect(sources[0]?.requestedDemand == .unlimited)
        recorder.cancel()
        #expect(sources[0]?.requestedDemand == Subscribers.Demand.none)
    }

    @Test("A source that awaits sends what is requested")
    func awaitsDemand() {
        let sent = Counter()
        let publisher = IntPublisher.create { source in
            let task = Task(executorPreference: InlineExecutor.shared) {
                for value in 1...4 {
                    try await source.send(value)
                    sent.increment()
                }
                source.send(completion: .finished)
            }
            return AnyCancellable { task.cancel() }
        }
        let recorder = IntRecorder(initialDemand: .none)
        publisher.subscribe(recorder)
        #expect(sent.value == 0)
        recorder.request(.max(1))
        #expect(recorder.values == [1])
        #expect(sent.value == 1)
        recorder.request(.max(2))
        #expect(recorder.values == [1, 2, 3])
        #expect(sent.value == 3)
        recorder.request(.max(1))
        #expect(recorder.values == [1, 2, 3, 4])
        #expect(recorder.completion == .finished)
        #expect(recorder.violations == [])
    }

    @Test("Values sent without waiting take the demand before those that wait")
    func buffersBeforeThoseThatWait() {
        let (publisher, sources, _) = makePublisher()
        let recorder = IntRecorder(initialDemand: .none)
        publisher.subscribe(recorder)
        sources[0]?.send(1)
        let sent = Counter()
        let task = Task(executorPreference: InlineExecutor.shared) {
            try await sources[0]?.send(3)
            sent.increment()
        }
        sources[0]?.send(2)
        recorder.request(.max(2))
        #expect(recorder.values == [1, 2])
        #expect(sent.value == 0)
        recorder.request(.max(1))
        #expect(recorder.values == [1, 2, 3])
        #expect(sent.value == 1)
        task.cancel()
    }

    @Test("The subscriber's cancellation, and a completion, end the waiting with an error", arguments: [true, false])
    func endsTheWaiting(_ isCancelled: Bool) async {
        let (publisher, sources, _) = makePublisher()
        let recorder = IntRecorder(initialDemand: .none)
        publisher.subscribe(recorder)
        let task = Task(executorPreference: InlineExecutor.shared) { try await sources[0]?.send(1) }
        if isCancelled { recorder.cancel() } else { sources[0]?.send(completion: .finished) }
        await #expect(throws: CancellationError.self) { try await task.value }
        await #expect(throws: CancellationError.self) { try await sources[0]?.send(2) }
        #expect(recorder.values == [])
        #expect(recorder.violations == [])
    }

    @Test("Cancelling a waiting task sends nothing and takes no demand")
    func cancelledTaskTakesNoDemand() async {
        let (publisher, sources, _) = makePublisher()
        let recorder = IntRecorder(initialDemand: .none)
        publisher.subscribe(recorder)
        let tasks = (1...3).map { value in
            Task(executorPreference: InlineExecutor.shared) { try await sources[0]?.send(value) }
        }
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        recorder.request(.max(2))
        #expect(recorder.values == [1, 3])
        let late = Task(executorPreference: InlineExecutor.shared) {
            withUnsafeCurrentTask { $0?.cancel() }
            try await sources[0]?.send(4)
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(sources[0]?.requestedDemand == Subscribers.Demand.none)
        recorder.request(.max(1))
        #expect(sources[0]?.requestedDemand == .max(1))
        #expect(recorder.values == [1, 3])
    }

    @Test("Concurrent tasks send no more than is requested, each in order")
    func concurrentTasksObeyDemand() async {
        for unlimited in [false, true] {
            let (publisher, sources, _) = makePublisher()
            let requested = LockedValue(0)
            let recorder = IntRecorder(initialDemand: .none)
            publisher.subscribe(recorder)
            let sent = Counter()
            await withTaskGroup { group in
                for task in 0..<4 {
                    group.addTask {
                        for step in 0..<250 {
                            try? await sources[0]?.send(task * 1000 + step)
                            let count = sent.increment()
                            if !unlimited { #expect(count <= requested.value) }
                        }
                    }
                }
                if unlimited { return recorder.request(.unlimited) }
                for count in 1...250 {
                    requested.update { $0 += 4 }
                    recorder.request(.max(3))
                    recorder.request(.max(1))
                    if count.isMultiple(of: 16) { await Task.yield() }
                }
            }
            sources[0]?.send(completion: .finished)
            #expect(recorder.values.count == 1000)
            for task in 0..<4 {
                #expect(recorder.values.filter { $0 / 1000 == task } == (0..<250).map { task * 1000 + $0 })
            }
            #expect(recorder.completion == .finished)
            #expect(recorder.violations == [])
        }
    }

    @Test("Cancellation at any moment ends all waiting tasks")
    func cancellationAtAnyMomentEndsTheWaiting() async {
        for round in 0..<300 {
            let (publisher, sources, _) = makePublisher()
            let recorder = IntRecorder(initialDemand: .max(round % 7))
            publisher.subscribe(recorder)
            await withTaskGroup { group in
                for task in 0..<3 {
                    group.addTask {
                        do {
                            for value in 0... { try await sources[0]?.send(task * 1000 + value) }
                        } catch {
                            #expect(error is CancellationError)
                        }
                    }
                }
                group.addTask {
                    recorder.request(.max(round % 5))
                    if round.isMultiple(of: 3) { sources[0]?.send(completion: .finished) } else { recorder.cancel() }
                }
                if round.isMultiple(of: 4) { group.cancelAll() }
            }
            #expect(recorder.values.count <= round % 7 + round % 5)
            #expect(recorder.violations == [])
        }
    }

    @Test("An asynchronous sequence of the values paces the source")
    func sequenceOfValuesPacesTheSource() async throws {
        let sent = Counter()
        let publisher = IntPublisher.create { source in
            let task = Task {
                for value in 1...100 {
                    try await source.send(value)
                    sent.increment()
                }
                source.send(completion: .finished)
            }
            return AnyCancellable { task.cancel() }
        }
        var count = 0
        for try await value in publisher.values {
            count += 1
            #expect(value == count)
            #expect(sent.value <= count)
        }
        #expect(count == 100)
    }
}

/// A list of the sources that were started.
private final class Sources: Sendable {
    private let started = Locked<[CreateTests.Source]>([])

    func add(_ source: CreateTests.Source) {
        started.withLock { $0.append(source) }
    }

    subscript(index: Int) -> CreateTests.Source? {
        started.withLock { $0.indices.contains(index) ? $0[index] : nil }
    }
}
