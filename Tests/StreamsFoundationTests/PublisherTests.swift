import StreamsFoundation
import StreamsLoopback
import StreamsTesting
import Testing

@Suite("Foundation's publishers", .timeLimit(.minutes(15)))
struct PublisherTests {
    static let name = Notification.Name("test")

    @Test("A timer publishes the time to subscribers with demand, from its connection to its cancellation")
    func timer() async {
        let thread = SchedulerTests.LoopThread()
        defer { thread.end() }
        let publisher = Timer.publish(every: 0.005, on: thread.loop, in: .default)
        let three = RecordingSubscriber<Date, Never>()
        let one = RecordingSubscriber<Date, Never>(initialDemand: .max(1))
        publisher.prefix(3).subscribe(three)
        publisher.subscribe(one)
        let connection = publisher.connect()
        #expect(await three.wait())
        connection.cancel()
        #expect(three.values == three.values.sorted())
        #expect(one.values == Array(three.values.prefix(1)))
    }

    @Test("All connections share one timer, and the cancellation of any connection ends it")
    func connections() async {
        let thread = SchedulerTests.LoopThread()
        defer { thread.end() }
        let publisher = Timer.publish(every: 0.05, on: thread.loop, in: .default)
        let ticks = RecordingSubscriber<Date, Never>()
        publisher.prefix(4).subscribe(ticks)
        let connections = [publisher.connect(), publisher.connect()]
        #expect(await ticks.wait())
        // The first tick may be late, but comes before the second is due, so that two intervals lie between the second and
        // the fourth. Two timers would have made four ticks within one interval.
        #expect(ticks.values.last?.timeIntervalSince(ticks.values.first ?? .distantPast) ?? 0 > 0.09)
        connections[0].cancel()
        let late = RecordingSubscriber<Date, Never>()
        publisher.subscribe(late)
        // Another timer measures the time without a value.
        let clock = RecordingSubscriber<Date, Never>()
        Timer.publish(every: 0.06, on: thread.loop, in: .default).autoconnect().prefix(2).subscribe(clock)
        #expect(await clock.wait())
        #expect(late.values == [])
        // The publisher can be connected again.
        let again = RecordingSubscriber<Date, Never>()
        publisher.prefix(1).subscribe(again)
        let connection = publisher.connect()
        #expect(await again.wait())
        // Earlier connections don't affect the new one.
        connections[1].cancel()
        let more = RecordingSubscriber<Date, Never>()
        publisher.prefix(1).subscribe(more)
        #expect(await more.wait())
        connection.cancel()
    }

    // Nothing runs the main run loop of the test process, whose main function is asynchronous.
    @Test("Timers of the main run loop fire in a program with an asynchronous main function", arguments: [true, false])
    func mainTimer(isCommon: Bool) async {
        let publisher = Timer.publish(every: 0.005, on: .main, in: isCommon ? .common : .default)
        let three = RecordingSubscriber<Date, Never>()
        publisher.prefix(3).subscribe(three)
        let connections = [publisher.connect(), publisher.connect()]
        #expect(await three.wait())
        connections[0].cancel()
        let again = RecordingSubscriber<Date, Never>()
        publisher.autoconnect().prefix(1).subscribe(again)
        #expect(await again.wait())
        #expect(again.values.count == 1)
    }

    @Test("The first value arrives an interval after the connection")
    func firstTime() async throws {
        let thread = SchedulerTests.LoopThread()
        defer { thread.end() }
        let recorder = RecordingSubscriber<Date, Never>()
        let start = Date()
        Timer.publish(every: 0.05, on: thread.loop, in: .default).autoconnect().prefix(1).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(try #require(recorder.values.first).timeIntervalSince(start) >= 0.05)
    }

    @Test("Autoconnected, a timer runs while it has a subscriber")
    func autoconnection() async {
        let thread = SchedulerTests.LoopThread()
        defer { thread.end() }
        let recorder = RecordingSubscriber<Date, Never>()
        Timer.publish(every: 0.002, on: thread.loop, in: .default).autoconnect().prefix(2).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values.count == 2)
    }

    @Test("Notifications are delivered on demand, and none after the cancellation")
    func notifications() {
        let center = NotificationCenter()
        let recorder = RecordingSubscriber<String, Never>(initialDemand: .none)
        center.publisher(for: Self.name).map { $0.userInfo?["text"] as? String ?? "" }.subscribe(recorder)
        let post = { center.post(name: Self.name, object: nil, userInfo: ["text": $0]) }
        post("unwanted")
        recorder.request(.max(2))
        for text in ["first", "second", "third"] { post(text) }
        #expect(recorder.events == [.subscription("NotificationCenter Observer"), .value("first"), .value("second")])
        recorder.request(.unlimited)
        recorder.cancel()
        post("late")
        #expect(recorder.values == ["first", "second"])
    }

    @Test(
        "A notification posted by a subscriber is delivered after the current one, and other senders are ignored"
    )
    func reentrantNotifications() {
        let center = NotificationCenter()
        let object = Marker()
        let recorder = RecordingSubscriber<String, Never>()
        let watching = center.publisher(for: Self.name, object: object)
            .map { $0.userInfo?["text"] as? String ?? "" }
            .handleEvents(receiveOutput: { text in
                guard text == "outer" else { return }
                center.post(name: Self.name, object: object, userInfo: ["text": "inner"])
                #expect(recorder.values == [])
            })
        watching.subscribe(recorder)
        center.post(name: Self.name, object: nil, userInfo: ["text": "other"])
        center.post(name: Self.name, object: object, userInfo: ["text": "outer"])
        #expect(recorder.values == ["outer", "inner"])
        #expect(recorder.violations == [])
    }

    @Test("A notification center releases a subscriber on its cancellation")
    func releasedNotifications() {
        let center = NotificationCenter()
        let lifetimes = LifetimeTracker()
        do {
            let token = lifetimes.token("closure")
            let watching = center.publisher(for: Self.name).sink { _ in withExtendedLifetime(token) {} }
            center.post(name: Self.name, object: nil)
            withExtendedLifetime(watching) {}
        }
        #expect(lifetimes.alive == [])
    }

    @Test("Each subscription to a data task performs a request and delivers the data and the response")
    func dataTask() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.otherwise { _ in .text("hello") }
        let url = try #require(URL(string: server.url("/greeting")))
        let publisher = URLSession.shared.dataTaskPublisher(for: url).map { String(decoding: $0.data, as: UTF8.self) }
        for _ in 0..<2 {
            let recorder = RecordingSubscriber<String, URLError>()
            publisher.subscribe(recorder)
            #expect(await recorder.wait())
            #expect(
                recorder.events == [.subscription("DataTaskPublisher"), .value("hello"), .completion(.finished)])
        }
        #expect(server.requests.count == 2)
    }

    @Test("A data task without a server fails with a URLError")
    func dataTaskFailure() async throws {
        let server = try LoopbackServer()
        let url = try #require(URL(string: server.url()))
        server.stop()
        let recorder = RecordingSubscriber<Data, URLError>()
        URLSession.shared.dataTaskPublisher(for: url).map(\.data).subscribe(recorder)
        #expect(await recorder.wait())
        #expect(recorder.values == [])
        guard case .failure = recorder.completion else {
            Issue.record("no failure")
            return
        }
    }

    @Test("A data task starts with the first demand and delivers nothing after the cancellation")
    func dataTaskCancellation() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let gate = Gate()
        server.otherwise { _ in Reply.text("late").held(by: gate) }
        let url = try #require(URL(string: server.url()))
        let recorder = RecordingSubscriber<Data, URLError>(initialDemand: .none)
        URLSession.shared.dataTaskPublisher(for: url).map(\.data).subscribe(recorder)
        #expect(server.requests.isEmpty)
        recorder.request(.max(1))
        _ = try await server.waitForRequests(1)
        recorder.cancel()
        gate.open()
        #expect(recorder.events == [.subscription("DataTaskPublisher")])
    }

    @Test("An iterator loses no notification that comes between two calls of next()")
    func awaitedNotifications() async {
        let center = NotificationCenter()
        var iterator = center.publisher(for: Self.name).compactMap { $0.object as? String }.values.makeAsyncIterator()
        for number in 1...3 { center.post(name: Self.name, object: "\(number)") }
        for number in 1...3 { #expect(await iterator.next() == "\(number)") }
    }

    @Test("Foundation's coders encode and decode values")
    func coders() {
        let recorder = RecordingSubscriber<[Int], any Error>()
        Just([1, 2]).encode(encoder: JSONEncoder()).decode(type: [Int].self, decoder: JSONDecoder()).subscribe(recorder)
        #expect(recorder.values == [[1, 2]])
        let listed = RecordingSubscriber<[Int], any Error>()
        Just([3]).encode(encoder: PropertyListEncoder()).decode(type: [Int].self, decoder: PropertyListDecoder())
            .subscribe(listed)
        #expect(listed.values == [[3]])
    }
}

/// A sender of notifications.
private final class Marker: Sendable {}
