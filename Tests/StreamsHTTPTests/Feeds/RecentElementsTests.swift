import StreamsLoopback
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// The elements that are dropped because the server has sent them before.
struct RecentElementsTests {
    private typealias Content = ElementIdentity.Content

    /// Returns which of the elements are new if they come again after a reconnection.
    private func novelty(
        of again: [(id: String, content: Content)], after elements: [(id: String, content: Content)],
        capacity: Int = 128
    ) -> [Bool] {
        var recent = RecentElements(capacity: capacity)
        for element in elements {
            let isNew = recent.insert(ElementIdentity(id: element.id, content: element.content))
            #expect(isNew)
        }
        recent.expectDuplicates()
        return again.map { recent.insert(ElementIdentity(id: $0.id, content: $0.content)) }
    }

    private func event(_ data: String, type: String = "message") -> Content { .event(type: type, data: data) }

    @Test func aDuplicateHasTheSameIdentifierAndContent() {
        let first = [("1", event("a")), ("2", event("b")), ("3", event("c"))]
        #expect(novelty(of: [("2", event("b")), ("3", event("c"))], after: first) == [false, false])
        #expect(novelty(of: [("1", event("x"))], after: first) == [true])
        #expect(novelty(of: [("4", event("a"))], after: first) == [true])
        #expect(novelty(of: [("1", event("a", type: "other"))], after: first) == [true])
        #expect(novelty(of: [("1", .record(Data("a".utf8)))], after: [("1", .record(Data("b".utf8)))]) == [true])
        #expect(novelty(of: [("1", .record(Data("a".utf8)))], after: [("1", .record(Data("a".utf8)))]) == [false])
    }

    /// After a new element, the numbering is another one.
    @Test func anElementAfterANewOneIsNew() {
        let first = [("1", event("a")), ("2", event("b"))]
        #expect(
            novelty(of: [("1", event("a")), ("2", event("x")), ("1", event("a"))], after: first) == [false, true, true])
    }

    @Test func largeContentIsToldApart() {
        let large = (0..<20_000).map { "\($0)" }.joined(separator: ",")
        let first = [("1", event(large)), ("2", .record(Data(large.utf8)))]
        #expect(novelty(of: [("1", event(large)), ("2", .record(Data(large.utf8)))], after: first) == [false, false])
        #expect(novelty(of: [("1", event(large + "y"))], after: first) == [true])
        #expect(novelty(of: [("1", event("y" + large.dropFirst()))], after: first) == [true])
        let moved = String(large.dropFirst(1000)) + large.prefix(1000)
        #expect(novelty(of: [("1", event(moved))], after: first) == [true])
        #expect(novelty(of: [("2", .record(Data((large.dropLast() + "y").utf8)))], after: first) == [true])
        // The end of the type and the beginning of the data count.
        #expect(novelty(of: [("1", event("a" + large))], after: [("1", event(large, type: "a"))]) == [true])
    }

    @Test func textsAreComparedByteForByte() {
        #expect(novelty(of: [("1", event("e\u{301}"))], after: [("1", event("\u{E9}"))]) == [true])
        #expect(novelty(of: [("e\u{301}", event("a"))], after: [("\u{E9}", event("a"))]) == [true])
    }

    @Test func theOldestElementsAreForgotten() {
        let first = (1...5).map { ("\($0)", event("\($0)")) }
        #expect(novelty(of: [first[2]], after: first, capacity: 3) == [false])
        #expect(novelty(of: [first[1]], after: first, capacity: 3) == [true])
        #expect(novelty(of: first, after: first, capacity: 0) == [true, true, true, true, true])
    }
}

/// Feeds of servers that restart their numbering, or that send elements again.
@Suite(.reservesDescriptors) struct RepeatedElementTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func serve(_ bodies: [String], contentType: String = "text/event-stream") {
        let replies =
            bodies.map { Reply(headers: ["Content-Type": contentType], body: .text($0)) } + [.status(204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
    }

    private func events(_ numbers: ClosedRange<Int>, _ text: String) -> String {
        numbers.map { "id: \($0)\ndata: \(text) \($0)\n\n" }.joined()
    }

    private func lines(_ numbers: ClosedRange<Int>, _ text: String) -> String {
        numbers.map { "\($0) \(text)\n" }.joined()
    }

    private func recordEvents(_ change: (inout FeedOptions) -> Void = { _ in }) async throws -> [String] {
        var options = FeedOptions.immediate
        change(&options)
        let recorder = FeedRecorder<ServerSentEvent<String>>()
        server.client().serverSentEvents(for: HTTPRequest(.get, "/"), options: options).events.subscribe(recorder)
        return try await recorder.finished().elements.map(\.data)
    }

    private func recordLines(_ change: (inout FeedOptions) -> Void = { _ in }) async throws -> [String] {
        var options = FeedOptions.immediate
        change(&options)
        let cursor = Feed<Data>.Cursor.query("after") { line in
            String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        }
        let recorder = FeedRecorder<Data>()
        server.client().lines(for: HTTPRequest(.get, "/"), cursor: cursor, options: options).events.subscribe(recorder)
        return try await recorder.finished().elements.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func eventsOfARestartedNumberingAreNew() async throws {
        serve([events(1...5, "old"), events(1...5, "new"), events(6...30, "new")])
        let expected = (1...5).map { "old \($0)" } + (1...30).map { "new \($0)" }
        #expect(try await recordEvents() == expected)
    }

    @Test func linesOfARestartedNumberingAreNew() async throws {
        serve([lines(1...5, "old"), lines(1...5, "new"), lines(6...30, "new")], contentType: "text/plain")
        let expected = (1...5).map { "\($0) old" } + (1...30).map { "\($0) new" }
        #expect(try await recordLines() == expected)
    }

    @Test func repeatedElementsAreDroppedOrDelivered() async throws {
        serve([events(1...3, "a"), events(2...4, "a")])
        #expect(try await recordEvents() == (1...4).map { "a \($0)" })
        serve([events(1...3, "a"), events(2...4, "a")])
        #expect(
            try await recordEvents { $0.repeatedElements = .deliver } == [1, 2, 3, 2, 3, 4].map { "a \($0)" })
        serve([lines(1...3, "a"), lines(2...4, "a")], contentType: "text/plain")
        #expect(try await recordLines() == (1...4).map { "\($0) a" })
        serve([lines(1...3, "a"), lines(2...4, "a")], contentType: "text/plain")
        #expect(try await recordLines { $0.repeatedElements = .deliver } == [1, 2, 3, 2, 3, 4].map { "\($0) a" })
    }

    /// A restart whose first element equals an earlier one cannot be told from a repetition, but a rule tells it.
    @Test func aRestartOfTheNumberingIsAGapByARule() async throws {
        serve([events(1...3, "old"), events(1...2, "new")])
        let recorder = FeedRecorder<ServerSentEvent<String>>()
        var options = FeedOptions.immediate
        options.areSuccessive = FeedOptions.consecutiveNumbers
        server.client().serverSentEvents(for: HTTPRequest(.get, "/"), options: options).events.subscribe(recorder)
        let recording = try await recorder.finished()
        #expect(recording.elements.map(\.data) == ["old 1", "old 2", "old 3", "new 1", "new 2"])
        #expect(recording.outline.count { $0 == "feed.missing-elements" } == 1)
    }

    @Test func pollsAndLongPollsDeliverEachResponse() async throws {
        let scheduler = TestScheduler()
        let transport = AnsweringTransport { _, _ in .reply(.ok, ["ETag": #""1""#], "same") }
        let (polls, longPolls) = (FeedRecorder<HTTPResponse<Data>>(), FeedRecorder<HTTPResponse<Data>>())
        let client = transport.client(scheduler)
        client.polls(for: HTTPRequest(.get, "/"), every: .seconds(10)).events.subscribe(polls)
        client.longPolls(for: HTTPRequest(.get, "/"), atMostEvery: .seconds(10)) { _ in HTTPRequest(.get, "/") }.events
            .subscribe(longPolls)
        await scheduler.settle(advancingBy: .seconds(25))
        polls.cancel()
        longPolls.cancel()
        let bodies = Array(repeating: Data("same".utf8), count: 3)
        #expect(polls.recording.value.elements.map(\.body) == bodies)
        #expect(longPolls.recording.value.elements.map(\.body) == bodies)
    }
}
