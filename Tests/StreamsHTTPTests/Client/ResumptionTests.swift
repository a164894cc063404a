import StreamsHTTP
import StreamsHTTPTesting
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
            $0.retry.resumesDownloads = true
        }
        let recorder = EventRecorder<Void>()
        recorder.recording.update { $0.grammar.allowsResuming = true }
        server.client(options: options, scheduler: scheduler).events(for: request).subscribe(recorder)
        for retry in 1...retries {
            try await recorder.wait(for: "an end, or a wait") { recording in
                recording.isComplete || recording.retries.count == retry
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

    /// Checks that the download failed as it did the first time, and that nothing was appended.
    private func expectFirstPart(_ recording: EventRecorder<Void>.Recording) {
        #expect(recording.failure?.reason.outline == "transfer.body-ended-early")
        #expect(recording.body.count == 40_000 && GeneratedBytes.matches(recording.body, at: 0))
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
        expectFirstPart(recording)
        #expect(recording.failure?.attempt == 2)
    }

    @Test func anotherPartIsNotAppended() async throws {
        let first = broken()
        server.on("GET", "/") { request in
            guard request.turn > 1 else { return first }
            var reply = Self.rest(for: request)
            reply.headers = ["Content-Range": "bytes 0-9/100000", "ETag": Self.tag]
            return reply
        }
        #expect(try await record().failure?.reason.outline == "transfer.body-ended-early")
    }

    /// A server that ignores `If-Range` and does not name the version of the part.
    @Test func appendsNoPartWithoutATag() async throws {
        let first = broken()
        server.on("GET", "/") { request in
            guard request.turn > 1 else { return first }
            var reply = Reply.bytes(Array(repeating: 0, count: Self.size - 40_000))
            reply.status = 206
            reply.headers = ["Content-Range": "bytes 40000-\(Self.size - 1)/\(Self.size)"]
            return reply
        }
        expectFirstPart(try await record())
    }

    @Test func appendsNoPartWithContradictingTags() async throws {
        let first = broken()
        server.on("GET", "/") { request in
            guard request.turn > 1 else { return first }
            var reply = Self.rest(for: request)
            reply.headers.append("ETag", #""v2""#)
            return reply
        }
        expectFirstPart(try await record())
    }

    @Test(arguments: ["200000", "*", "99999999999999999999", "-1", ""])
    func appendsNoPartOfAnotherTotal(total: String) async throws {
        let first = broken()
        server.on("GET", "/") { request in
            guard request.turn > 1 else { return first }
            var reply = Self.rest(for: request)
            reply.headers = ["Content-Range": "bytes 40000-\(Self.size - 1)/\(total)", "ETag": Self.tag]
            return reply
        }
        expectFirstPart(try await record())
    }

    @Test func aPartThatEndsBeforeTheTotalIsNotTheWhole() async throws {
        let first = broken()
        server.on("GET", "/") { request in
            guard request.turn > 1 else { return first }
            guard request.turn == 2 else { return Self.rest(for: request) }
            var reply = Reply.bytes(GeneratedBytes.bytes(40_000..<70_000))
            reply.status = 206
            reply.headers = ["Content-Range": "bytes 40000-69999/\(Self.size)", "ETag": Self.tag]
            return reply
        }
        expectWhole(try await record(retries: 2))
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=40000-", "bytes=70000-"])
    }

    /// All bytes have arrived, but not the end of the chunked body (RFC 9110, section 15.5.17).
    @Test func isCompleteIfNothingIsLeft() async throws {
        var whole = Reply(body: Reply.Body([.generated(Self.size), .generated(1)], framing: .chunked))
        whole.headers.append("ETag", Self.tag)
        let first = whole.failing(with: .close(at: .inBody(after: Self.size)))
        server.on(
            "GET", "/", first, .status(416, headers: ["Content-Range": "bytes */\(Self.size)", "ETag": Self.tag]))
        let recording = try await record()
        expectWhole(recording)
        #expect(
            recording.outline == ["attempt 1", "head 200", "retrying", "attempt 2", "head 200", "response 200"])
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=\(Self.size)-"])
    }

    @Test(arguments: [
        ["Content-Range": "bytes */100001"], ["Content-Range": "bytes */100000", "ETag": #""v2""#], [:],
    ])
    func anotherUnsatisfiedRangeIsAFailure(headers: HeaderFields) async throws {
        var whole = Reply(body: Reply.Body([.generated(Self.size), .generated(1)], framing: .chunked))
        whole.headers.append("ETag", Self.tag)
        server.on(
            "GET", "/", whole.failing(with: .close(at: .inBody(after: Self.size))), .status(416, headers: headers))
        #expect(try await record().failure?.status == .rangeNotSatisfiable)
    }

    @Test(arguments: [nil, #"W/"v1""#, "\"v\u{1}\"", #""v1"#])
    func withoutAStrongTagNothingIsResumed(tag: String?) async throws {
        server.on("GET", "/", broken(tag: tag))
        let recording = try await record()
        #expect(recording.outline == ["attempt 1", "head 200"])
        #expect(server.requests.count == 1)
    }

    /// A part of the body under the tag, as a server responds to a request for a range.
    private static func part(_ range: Range<Int>, tag: String = tag) -> Reply {
        var reply = Reply.bytes(GeneratedBytes.bytes(range))
        reply.status = 206
        reply.headers.append("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)")
        reply.headers.append("ETag", tag)
        return reply
    }

    /// Each range of the body, with the range that the retry requests after 500 bytes.
    @Test(arguments: [
        ("bytes=1000-2999", 1000..<3000, "bytes=1500-2999"), ("bytes=99000-", 99_000..<100_000, "bytes=99500-99999"),
        ("bytes=-2000", 98_000..<100_000, "bytes=98500-99999"), ("Bytes=0-999", 0..<1000, "bytes=500-999"),
        ("bytes=99000-200000", 99_000..<100_000, "bytes=99500-99999"),
    ])
    func resumesInsideTheRequestedRange(range: String, part: Range<Int>, rest: String) async throws {
        let first = Self.part(part).failing(with: .close(at: .inBody(after: 500)))
        server.on("GET", "/", first, Self.part(part.dropFirst(500)))
        let recording = try await record(HTTPRequest(.get, "/").settingHeader("Range", range))
        #expect(recording.failure == nil)
        #expect(recording.body.elementsEqual(GeneratedBytes.bytes(part)))
        #expect(server.requests.map { $0.headers["Range"] } == [range, rest])
        #expect(server.requests.map { $0.headers["If-Range"] } == [nil, Self.tag])
        #expect(recording.downloads.last == TransferProgress(completed: Int64(part.count), total: Int64(part.count)))
    }

    @Test func requestedRangeMayBreakOffAgain() async throws {
        let first = Self.part(1000..<3000).failing(with: .close(at: .inBody(after: 500)))
        server.on("GET", "/", first, Self.part(1500..<2000), Self.part(2000..<3000))
        let recording = try await record(
            HTTPRequest(.get, "/").settingHeader("Range", "bytes=1000-2999"), retries: 2)
        #expect(recording.body.elementsEqual(GeneratedBytes.bytes(1000..<3000)))
        #expect(
            server.requests.map { $0.headers["Range"] } == ["bytes=1000-2999", "bytes=1500-2999", "bytes=2000-2999"])
    }

    @Test func requestedRangeOfAnotherVersionIsNotAppended() async throws {
        let first = Self.part(1000..<3000).failing(with: .close(at: .inBody(after: 500)))
        server.on("GET", "/", first, broken(tag: #""v2""#))
        let recording = try await record(HTTPRequest(.get, "/").settingHeader("Range", "bytes=1000-2999"))
        #expect(recording.failure?.reason.outline == "transfer.body-ended-early")
        #expect(recording.body.elementsEqual(GeneratedBytes.bytes(1000..<1500)))
    }

    /// The whole body would have to be cut at both ends.
    @Test func wholeBodyDoesNotContinueARequestedRange() async throws {
        let first = Self.part(1000..<3000).failing(with: .close(at: .inBody(after: 500)))
        var whole = Reply.generated(Self.size)
        whole.headers.append("ETag", Self.tag)
        server.on("GET", "/", first, whole)
        let recording = try await record(HTTPRequest(.get, "/").settingHeader("Range", "bytes=1000-2999"))
        #expect(recording.failure?.reason.outline == "transfer.body-ended-early")
        #expect(recording.body.elementsEqual(GeneratedBytes.bytes(1000..<1500)))
    }

    @Test func resumesAWholeBodyThatAServerSendsForARange() async throws {
        let first = broken()
        server.on("GET", "/") { request in request.turn == 1 ? first : Self.rest(for: request) }
        expectWhole(try await record(HTTPRequest(.get, "/").settingHeader("Range", "bytes=1000-2999")))
    }

    @Test(arguments: ["bytes=0-9,20-29", "lines=1-3", "bytes=9-5", "bytes=-", "bytes=a-b", "bytes 0-9"])
    func resumesNoOtherRange(range: String) async throws {
        server.on("GET", "/", Self.part(0..<1000).failing(with: .close(at: .inBody(after: 500))))
        #expect(try await record(HTTPRequest(.get, "/").settingHeader("Range", range)).attempts.count == 1)
    }

    @Test func theLimitHoldsForTheWhole() async throws {
        let first = broken()
        server.on("GET", "/") { request in request.turn == 1 ? first : Self.rest(for: request) }
        let request = HTTPRequest(.get, "/").settingOptions { $0.maxBodySize = 70_000 }
        let recording = try await record(request)
        #expect(recording.failure?.reason.outline == "transfer.body-too-large(70000)")
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
            $0.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero))
            $0.retry.resumesDownloads = true
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
            $0.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero))
            $0.retry.resumesDownloads = true
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
