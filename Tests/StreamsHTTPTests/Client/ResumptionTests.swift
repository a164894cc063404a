import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// Downloads that break off and go on.
@Suite(.reservesDescriptors) struct ResumptionTests {
    private static let size = 100_000
    private static let tag = #""v1""#

    private let server: LoopbackServer
    private let scheduler = TestScheduler()

    init() throws {
        server = try LoopbackServer()
    }

    /// The whole body under a tag, which breaks off.
    private func broken(after count: Int = 40_000, tag: String? = tag) -> Reply {
        var reply = Reply.generated(Self.size)
        if let tag { reply.headers.append("ETag", tag) }
        return reply.failing(with: .close(at: .inBody(after: count)))
    }

    /// The rest of the body, as the request's range has it.
    private static func rest(for request: RecordedRequest, tag: String = tag) -> Reply {
        guard let range = request.headers["Range"], request.headers["If-Range"] == tag,
            let start = Int(range.dropFirst("bytes=".count).dropLast())
        else { return .status(400) }
        var reply = Reply.bytes(GeneratedBytes.bytes(start..<size))
        reply.status = 206
        reply.headers.append("Content-Range", "bytes \(start)-\(size - 1)/\(size)")
        reply.headers.append("ETag", tag)
        return reply
    }

    private func record(_ request: HTTPRequest = HTTPRequest(.get, "/"), retries: Int = 1) async throws
        -> EventRecorder<Void>.Recording
    {
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: retries)
            $0.retry?.resumesDownloads = true
        }
        let recorder = EventRecorder<Void>()
        recorder.recording.update { $0.grammar.allowsResuming = true }
        server.client(options: options, scheduler: scheduler).events(for: request).subscribe(recorder)
        for _ in 0..<retries {
            try await recorder.wait(for: "an end, or a wait") { recording in
                recording.isComplete
                    || (!recording.attempts.isEmpty && recording.retries.count == recording.attempts.count)
            }
            if recorder.recording.value.isComplete { break }
            try #require(await scheduler.wait(forPending: 1))
            scheduler.jump(by: .seconds(30))
        }
        return try await recorder.finished()
    }

    private func expectWhole(_ recording: EventRecorder<Void>.Recording) {
        #expect(recording.failure == nil)
        #expect(recording.body.count == Self.size && GeneratedBytes.matches(recording.body, at: 0))
    }

    @Test func aDownloadGoesOnWhereItBrokeOff() async throws {
        let first = broken()
        server.on("GET", "/") { request in request.turn == 1 ? first : Self.rest(for: request) }
        let recording = try await record()
        expectWhole(recording)
        #expect(
            recording.outline == ["attempt 1", "head 200", "retrying", "attempt 2", "head 206", "response 206"])
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=40000-"])
        // Progress is of the whole.
        #expect(recording.downloads.last?.completed == Int64(Self.size))
        #expect(recording.downloads.allSatisfy { $0.total == Int64(Self.size) })
    }

    @Test func itMayBreakOffAgain() async throws {
        let first = broken()
        server.on("GET", "/") { request in
            switch request.turn {
            case 1: first
            case 2: Self.rest(for: request).failing(with: .close(at: .inBody(after: 20_000)))
            default: Self.rest(for: request)
            }
        }
        let recording = try await record(retries: 2)
        expectWhole(recording)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=40000-", "bytes=60000-"])
    }

    @Test func aServerWithoutRangesSendsTheWholeAgain() async throws {
        var whole = Reply.generated(Self.size)
        whole.headers.append("ETag", Self.tag)
        server.on("GET", "/", broken(), whole)
        expectWhole(try await record())
    }

    @Test func whatHasChangedIsNotAppended() async throws {
        var other = Reply.generated(2 * Self.size)
        other.headers.append("ETag", #""v2""#)
        server.on("GET", "/", broken(), other)
        let recording = try await record()
        #expect(recording.failure?.reason.outline == "transfer(bodyEndedEarly)")
        #expect(recording.failure?.attempt == 2)
        #expect(recording.body.count == 40_000 && GeneratedBytes.matches(recording.body, at: 0))
    }

    @Test func anotherPartIsNotAppended() async throws {
        let first = broken()
        server.on("GET", "/") { request in
            guard request.turn > 1 else { return first }
            var reply = Self.rest(for: request)
            reply.headers = ["Content-Range": "bytes 0-9/100000", "ETag": Self.tag]
            return reply
        }
        #expect(try await record().failure?.reason.outline == "transfer(bodyEndedEarly)")
    }

    @Test(arguments: [nil, #"W/"v1""#])
    func withoutAStrongTagNothingIsResumed(tag: String?) async throws {
        server.on("GET", "/", broken(tag: tag))
        let recording = try await record()
        #expect(recording.outline == ["attempt 1", "head 200"])
        #expect(server.requests.count == 1)
    }

    @Test func aRequestForARangeIsNotResumed() async throws {
        server.on("GET", "/", broken())
        #expect(try await record(HTTPRequest(.get, "/").settingHeader("Range", "bytes=0-")).attempts.count == 1)
    }

    @Test func theLimitHoldsForTheWhole() async throws {
        let first = broken()
        server.on("GET", "/") { request in request.turn == 1 ? first : Self.rest(for: request) }
        let request = HTTPRequest(.get, "/").settingOptions { $0.maxBodySize = 70_000 }
        let recording = try await record(request)
        #expect(recording.failure?.reason.outline == "bodyTooLarge(70000)")
        #expect(recording.body.count <= 70_000)
    }

    /// The whole and the rest of it as a mock has them, tried again at once.
    private func mocked(_ responses: MockResponse...) -> HTTPClient {
        let mock = MockTransport()
        let turns = Watched(0)
        mock.otherwise { _ in
            responses[
                turns.update {
                    $0 += 1; return $0
                } - 1]
        }
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: RetryPolicy.Backoff(initial: .zero))
            $0.retry?.resumesDownloads = true
        }
        let configuration = HTTPClient.Configuration(baseURL: URL(string: "http://h"), options: options)
        return HTTPClient(configuration: configuration, transport: mock)
    }

    /// What a server says of lengths may be any number.
    @Test func aLengthThatCannotBeIsNone() async throws {
        let client = mocked(
            MockResponse(headers: ["ETag": Self.tag], body: Data("0123456789".utf8))
                .failing(.transfer(.bodyEndedEarly), at: .inBody(after: 4)),
            MockResponse(
                .partialContent,
                headers: ["ETag": Self.tag, "Content-Range": "bytes 4-9/10", "Content-Length": "\(Int64.max)"],
                body: Data("456789".utf8)))
        let recorder = EventRecorder<Void>()
        recorder.recording.update { $0.grammar.allowsResuming = true }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        let recording = try await recorder.finished()
        #expect(recording.body == Data("0123456789".utf8) && recording.failure == nil)
        #expect(recording.downloads.last == TransferProgress(completed: 10, total: nil))
    }

    @Test func whatComesTwiceIsLeftOutOfAChunk() async throws {
        let whole = MockResponse(headers: ["ETag": Self.tag], body: Data("0123456789".utf8))
        let client = mocked(whole.failing(.transfer(.bodyEndedEarly), at: .inBody(after: 4)), whole)
        let starts = Watched<[Int]>([])
        let recorder = EventRecorder<Void> { _, event in
            if case .chunk(let chunk) = event { starts.update { $0.append(chunk.startIndex) } }
            return .none
        }
        recorder.recording.update { $0.grammar.allowsResuming = true }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        #expect(try await recorder.finished().body == Data("0123456789".utf8))
        #expect(starts.value == [0, 0])
    }

    /// Nor is a count in a recording, which is anybody's to write.
    @Test func aCountThatCannotBeIsTheLargest() async throws {
        let url = try #require(URL(string: "http://h/"))
        let turns = Watched(0)
        let transport = ScriptedTransport { _, receiver in
            let isFirst = turns.update {
                $0 += 1
                return $0 == 1
            }
            let headers: HTTPHeaders = ["ETag": Self.tag, "Content-Range": "bytes 4-9/10"]
            receiver.receive(
                .head(HTTPResponse(status: isFirst ? .ok : .partialContent, headers: headers, body: (), url: url)))
            if isFirst {
                receiver.receive(.chunk(Data("0123".utf8), received: 4))
                receiver.receive(.failed(TransportFailure(.transfer(.bodyEndedEarly))))
            } else {
                receiver.receive(.chunk(Data("456789".utf8), received: .max))
                receiver.receive(.finished)
            }
            return ScriptedExchange()
        }
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: RetryPolicy.Backoff(initial: .zero))
            $0.retry?.resumesDownloads = true
        }
        let client = HTTPClient(configuration: HTTPClient.Configuration(options: options), transport: transport)
        let recorder = EventRecorder<Void>()
        recorder.recording.update { $0.grammar.allowsResuming = true }
        client.events(for: HTTPRequest(.get, url)).subscribe(recorder)
        let recording = try await recorder.finished()
        #expect(recording.body == Data("0123456789".utf8) && recording.failure == nil)
        #expect(recording.downloads.last?.completed == .max)
    }
}
