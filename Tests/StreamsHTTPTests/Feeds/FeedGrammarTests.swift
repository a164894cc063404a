import StreamsHTTP
import StreamsTesting
import Testing

/// The grammar of `Feed.Event`, as a law of every kind of feed: whatever two responses it begins with, and whether or not
/// it connects again after each failure.
struct FeedGrammarTests {
    enum Kind: CaseIterable {
        case serverSentEvents
        case undecodableEvents
        case lines
        case linesWithCursor
        case jsonSequence
        case poll
        case changes
        case longPoll
        case webSocket
    }

    private struct Item: Decodable, Sendable { let id: Int }

    /// Responses with and without elements and positions, and other answers.
    private static let answers: [AnsweringTransport.Answer] = [
        reply("id: 1\ndata: {\"id\":1}\n\n: comment\n\n"), reply("data: {\"id\":2}\n\n{\"id\":2}\n\u{1E}{\"id\":2}\n"),
        reply("id: \u{1}\ndata: a\n\n"), reply("retry: 0\n\n"), reply(""),
        .reply(.ok, ["Content-Type": "text/html"], "data: {\"id\":3}\n\n"), .reply(.noContent),
        .reply(HTTPStatus(206), ["Content-Type": "text/event-stream"], "data: a\n\n"), .reply(.notModified),
        .reply(.gone), .reply(HTTPStatus(431)), .reply(.serviceUnavailable, ["Retry-After": "1"]),
        .reply(.notFound), .failure(.connection(.refused)), .failure(.transfer(.bodyEndedEarly)),
    ]

    private static func reply(_ text: String) -> AnsweringTransport.Answer {
        .reply(.ok, ["Content-Type": "text/event-stream", "ETag": "\"1\""], text)
    }

    @Test(arguments: Kind.allCases, [false, true])
    func eventsFollowTheGrammar(kind: Kind, reconnectsAlways: Bool) async {
        var options = FeedOptions.immediate
        options.deliversComments = true
        options.reconnection.maxRetries = 4
        options.undecodableElements = kind == .undecodableEvents ? .skip : .fail
        options.areSuccessive = FeedOptions.consecutiveNumbers
        if reconnectsAlways { options.reconnection.shouldRetry = { _ in true } }
        for first in Self.answers {
            for second in Self.answers {
                let transport = AnsweringTransport { _, number in
                    switch number {
                    case 1: first
                    case 2: second
                    default: Self.reply("id: 3\ndata: {\"id\":3}\n\n")
                    }
                }
                let violations = await violations(kind, options, transport)
                #expect(violations == [], "\(first), \(second)")
            }
        }
    }

    private func violations(_ kind: Kind, _ options: FeedOptions, _ transport: AnsweringTransport) async -> [String] {
        let scheduler = TestScheduler()
        let client = transport.client(scheduler)
        let request = HTTPRequest(.get, "/")
        switch kind {
        case .serverSentEvents:
            return await violations(of: client.serverSentEvents(for: request, options: options), scheduler)
        case .undecodableEvents:
            return await violations(
                of: client.serverSentEvents(of: Item.self, for: request, lastEventID: "0", options: options), scheduler)
        case .lines:
            return await violations(of: client.lines(for: request, options: options), scheduler)
        case .linesWithCursor:
            var cursor = Feed<Data>.Cursor.header("X-After") { String(decoding: $0, as: UTF8.self) }
            cursor.start = "0"
            return await violations(of: client.lines(for: request, cursor: cursor, options: options), scheduler)
        case .jsonSequence:
            let cursor = Feed<Item>.Cursor.query("after") { "\($0.id)" }
            return await violations(
                of: client.jsonSequence(of: Item.self, for: request, cursor: cursor, options: options), scheduler)
        case .poll:
            return await violations(of: client.polls(for: request, every: .seconds(1), options: options), scheduler)
        case .changes:
            return await violations(of: client.changes(for: request, every: .seconds(1), options: options), scheduler)
        case .longPoll:
            return await violations(of: client.longPolls(for: request, options: options) { _ in request }, scheduler)
        case .webSocket:
            return await violations(of: client.webSocketFeed(for: request, options: options), scheduler)
        }
    }

    private func violations(of feed: Feed<some Sendable>, _ scheduler: TestScheduler) async -> [String] {
        let recorder = FeedRecorder(of: feed.events)
        await scheduler.settle(advancingBy: .seconds(2))
        recorder.cancel()
        return recorder.recording.value.violations
    }
}
