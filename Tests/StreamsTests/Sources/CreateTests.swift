import Streams
import StreamsTesting
import Testing

@Suite("AnyPublisher.create") struct CreateTests {
    typealias Source = Operators.Creation<Int, LawError>.Subscriber

    /// A publisher whose sources a test takes out, with a count of those that were stopped.
    private func open() -> (publisher: IntPublisher, sources: Sources, stops: Counter) {
        let sources = Sources()
        let stops = Counter()
        let publisher = IntPublisher.create { source in
            sources.add(source)
            return AnyCancellable { stops.increment() }
        }
        return (publisher, sources, stops)
    }

    @Test("Each subscriber has a source of its own, after it has received its subscription")
    func cold() {
        let (publisher, sources, stops) = open()
        let (first, second) = (IntRecorder(), IntRecorder())
        publisher.subscribe(first)
        publisher.subscribe(second)
        sources[0]?.send(1)
        sources[1]?.send(2)
        #expect(first.events == [.subscription("Create"), .value(1)])
        #expect(second.events == [.subscription("Create"), .value(2)])
        #expect(stops.value == 0)
    }

    @Test("Values without demand are kept, and the completion waits for them, but the source is stopped at once")
    func demand() {
        let (publisher, sources, stops) = open()
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

    @Test("Completing before the source is there stops it")
    func immediateCompletion() {
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

    @Test("Cancellation stops the source and drops what is kept, also from inside the closure")
    func cancellation() {
        let (publisher, sources, stops) = open()
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

    @Test("Who cancels on receiving the subscription starts no source")
    func earlyCancellation() {
        let (publisher, sources, _) = open()
        let recorder = IntRecorder(initialDemand: .none) { recorder, _ in recorder.cancel() }
        publisher.subscribe(recorder)
        #expect(sources[0] == nil)
    }

    @Test("Values sent by several threads, and asked for by others, all arrive, each thread's in order")
    func concurrency() {
        for demand in [Subscribers.Demand.unlimited, .max(1)] {
            let (publisher, sources, _) = open()
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

    @Test("Sending from inside a value queues")
    func reentrancy() {
        let (publisher, sources, _) = open()
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

    @Test("A source that is kept keeps nothing once the stream has ended")
    func release() {
        let lifetimes = LifetimeTracker()
        for isCancelled in [false, true] {
            let (publisher, sources, _) = open()
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

/// The sources that were started.
private final class Sources: Sendable {
    private let started = Locked<[CreateTests.Source]>([])

    func add(_ source: CreateTests.Source) {
        started.withLock { $0.append(source) }
    }

    subscript(index: Int) -> CreateTests.Source? {
        started.withLock { $0.indices.contains(index) ? $0[index] : nil }
    }
}
