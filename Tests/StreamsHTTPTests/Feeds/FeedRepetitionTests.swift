import StreamsHTTP
import StreamsTesting
import Testing

/// The requests that a feed sends again.
struct FeedRepetitionTests {
    private let scheduler = TestScheduler()

    /// Returns the recording of the feed of a request, after an hour.
    private func recording(
        _ request: HTTPRequest, methods: Set<HTTPMethod>? = nil,
        answer: @escaping @Sendable (_ number: Int) -> AnsweringTransport.Answer
    ) async -> (FeedRecording<ServerSentEvent<String>>, requests: Int) {
        let transport = AnsweringTransport { _, number in answer(number) }
        var options = FeedOptions()
        if let methods { options.reconnection.methods = methods }
        let recorder = FeedRecorder<ServerSentEvent<String>>()
        transport.client(scheduler).serverSentEvents(for: request, options: options).events.subscribe(recorder)
        // Each of an hour's steps waits for a thread that the other tests share.
        #expect(await scheduler.settle(advancingBy: .seconds(3600), within: .seconds(400)))
        recorder.cancel()
        return (recorder.recording.value, transport.requests.value.count)
    }

    private static let events = AnsweringTransport.Answer.reply(
        .ok, ["Content-Type": "text/event-stream"], "data: a\n\n")

    @Test func aPostIsNotSentAgainAfterTheEnd() async {
        let (recording, requests) = await recording(HTTPRequest(.post, "/")) { _ in Self.events }
        #expect(recording.outline == ["connecting 1", "open 200", "elements"])
        #expect(recording.completion != nil && recording.failure == nil)
        #expect(requests == 1)
    }

    @Test func aPostIsNotSentAgainAfterAFailure() async {
        for answer: AnsweringTransport.Answer in [.failure(.transfer(.emptyReply)), .reply(.serviceUnavailable)] {
            let (recording, requests) = await recording(HTTPRequest(.post, "/")) { _ in answer }
            #expect(recording.outline == ["connecting 1"])
            #expect(recording.failure != nil)
            #expect(requests == 1)
        }
    }

    @Test func aPostThatWasNotSentIsSentAgain() async {
        let (recording, requests) = await recording(HTTPRequest(.post, "/")) { number in
            number < 3 ? .failure(.connection(.refused)) : Self.events
        }
        #expect(recording.elements.map(\.data) == ["a"])
        #expect(recording.completion != nil && recording.failure == nil)
        #expect(requests == 3)
    }

    @Test(arguments: [HTTPMethod.query, "REPORT", HTTPMethod("WATCH", isSafe: true)])
    func whatOnlyReadsIsSentAgain(method: HTTPMethod) async {
        let (recording, requests) = await recording(HTTPRequest(method, "/", body: .text("a"))) { _ in Self.events }
        #expect(recording.completion == nil)
        #expect(requests > 100)
    }

    @Test func aPostIsSentAgainIfThePolicySaysSo() async {
        let (recording, requests) = await recording(HTTPRequest(.post, "/"), methods: [.post]) { _ in Self.events }
        #expect(recording.completion == nil)
        #expect(requests > 100)
    }

    @Test func aBodyThatIsSentOnceEndsTheFeed() async {
        let request = HTTPRequest(.put, "/", body: .stream(Just(Data())))
        let (recording, requests) = await recording(request) { _ in .failure(.connection(.refused)) }
        #expect(recording.failure?.name == "connection.refused")
        #expect(requests == 1)
    }

    @Test func pollsRepeatWhateverTheMethod() async {
        let transport = AnsweringTransport { _, number in
            number % 2 == 0 ? .failure(.transfer(.emptyReply)) : .reply(.ok, [:], "\(number)")
        }
        let recorder = FeedRecorder<HTTPResponse<Data>>()
        transport.client(scheduler).polls(for: HTTPRequest(.post, "/search"), every: .seconds(60)).events.subscribe(
            recorder)
        // Each of an hour's steps waits for a thread that the other tests share.
        #expect(await scheduler.settle(advancingBy: .seconds(3600), within: .seconds(400)))
        recorder.cancel()
        #expect(recorder.recording.value.elements.count > 25)
        #expect(recorder.recording.value.violations == [])
    }

    @Test func acceptedErrorsAreResponsesOfPolls() async throws {
        let transport = AnsweringTransport { _, number in number == 2 ? .reply(.ok) : .reply(.notFound) }
        let client = transport.client(scheduler) { $0.options.validation = .acceptAll }
        let recorder = FeedRecorder<HTTPResponse<Data>>()
        client.longPolls(for: HTTPRequest(.get, "/")) { $0.status.isSuccess ? nil : HTTPRequest(.get, "/next") }.events
            .subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(60))
        let recording = try await recorder.finished()
        #expect(recording.failure == nil)
        #expect(recording.elements.map(\.status) == [.notFound, .ok])
        #expect(recording.outline.filter { $0.hasPrefix("open") } == ["open 404", "open 200"])
    }
}
