import Streams
import StreamsTesting
import Testing

@Suite("AnyPublisher.create") struct CreateTests {
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
