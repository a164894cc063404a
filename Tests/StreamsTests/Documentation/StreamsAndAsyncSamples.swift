import Observation
import Streams
import StreamsTesting
import Testing

/// The samples of the article "Streams and async code".
@Suite(.timeLimit(.minutes(15))) struct StreamsAndAsyncSamples {
    @MainActor
    @Observable
    final class Document {
        var title = "Untitled"
    }

    private actor Store {
        func save(_ reading: Int) {}
    }

    private actor Log {
        var events: [String] = []

        func append(_ event: String) { events.append(event) }
    }

    private actor Cursor {
        var rows = ["a", "b", "c"]

        func next() -> String? { rows.isEmpty ? nil : rows.removeFirst() }
    }

    private actor Station {
        var latest = 0
    }

    @Test func savesReadings() async {
        let (readings, store) = (PassthroughSubject<Int, Never>(), Store())
        let recorder = RecordingSubscriber<Void, Never>()
        let saved =
            readings.onBackpressureLatest().asyncMap { await store.save($0) }
        saved.subscribe(recorder)
        readings.send(1)
        readings.send(completion: .finished)
        #expect(await recorder.wait())
        #expect(recorder.values.count == 1)
    }

    @Test func keepsWhatIsSentBeforeTheLoop() async {
        let (player, log) = (PassthroughSubject<String, Never>(), Log())
        let events = player.bufferedValues(size: 100, whenFull: .dropOldest)
        let task = Task {
            for await event in events { await log.append(event) }
        }
        player.send("started")  // is kept until the task awaits it

        player.send(completion: .finished)
        await task.value
        #expect(await log.events == ["started"])
    }

    @Test func readsNoFurtherThanRequested() async {
        let cursor = Cursor()
        let rows = AnyPublisher<String, any Error>.create { emitter in
            let task = Task {
                while let row = await cursor.next() { try await emitter.send(row) }
                emitter.send(completion: .finished)
            }
            return AnyCancellable { task.cancel() }
        }

        let recorder = RecordingSubscriber<String, any Error>(initialDemand: .max(1))
        rows.subscribe(recorder)
        #expect(await recorder.wait(forValues: 1))
        #expect(await cursor.rows.count > 0)
        recorder.request(.unlimited)
        #expect(await recorder.wait())
        #expect(recorder.values == ["a", "b", "c"])
    }

    @Test func storesReadingsOnAnActor() async {
        let (readings, station) = (CurrentValueSubject<Int, Never>(7), Station())
        let subscription = readings.sink(on: station) { station, reading in
            station.latest = reading  // state of the actor
        }

        while await station.latest != 7 { await Task.yield() }
        subscription.cancel()
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @MainActor
    @Test func publishesAnObservedProperty() async {
        let document = Document()
        let titles = Observations { document.title }.publisher.removeDuplicates()

        let recorder = RecordingSubscriber<String, Never>()
        titles.subscribe(recorder)
        #expect(await recorder.wait(forValues: 1))
        document.title = "Streams"
        #expect(await recorder.wait(forValues: 2))
        #expect(recorder.values == ["Untitled", "Streams"])
        recorder.cancel()
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @MainActor
    @Test func deliversTheNewestOfUnrequestedChanges() async {
        let document = Document()
        let recorder = RecordingSubscriber<String, Never>(initialDemand: .max(1))
        Observations { document.title }.publisher.subscribe(recorder)
        #expect(await recorder.wait(forValues: 1))
        for number in 1...3 {
            document.title = "\(number)"
            await Task.yield()
        }
        recorder.request(.max(1))
        #expect(await recorder.wait(forValues: 2))
        #expect(recorder.values == ["Untitled", "3"])
        recorder.cancel()
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/Streams/Streams.docc/StreamsAndAsync.md")
        #expect(article.samples.count == 6)
        try article.expectAll(inFolders: ["Tests/StreamsTests/Documentation", "Tests/StreamsHTTPTests/Documentation"])
    }
}
