import StreamsHTTP
import StreamsTesting
import Testing

/// Feeds in virtual time.
struct FeedTimeTests {
    private let scheduler = TestScheduler()
    /// Each of a day's steps waits for a thread that the other tests share.
    private let patience = Duration.seconds(400)

    private func events(
        _ options: FeedOptions = FeedOptions(), _ transport: AnsweringTransport
    ) -> FeedRecorder<ServerSentEvent<String>> {
        let recorder = FeedRecorder<ServerSentEvent<String>>()
        transport.client(scheduler).serverSentEvents(for: HTTPRequest(.get, "/"), options: options).events
            .subscribe(recorder)
        return recorder
    }

    @Test func aServerThatClosesAtOnceIsNotHammered() async throws {
        let transport = AnsweringTransport { _, _ in
            .reply(.ok, ["Content-Type": "text/event-stream"], "data: a\n\n")
        }
        let recorder = events(FeedOptions(), transport)
        #expect(await scheduler.settle(advancingBy: .seconds(3600), within: patience))
        recorder.cancel()
        let recording = recorder.recording.value
        #expect(recording.violations == [])
        // The mean of the delays approaches 15 seconds.
        let count = transport.requests.value.count
        #expect((180...400).contains(count), "\(count) connections in an hour")
        #expect(recording.delays.allSatisfy { $0 <= .seconds(30) })
        #expect(scheduler.pendingCount == 0)
    }

    @Test(arguments: ["retry: 0\n\n", ""]) func aRefusalIsNotHammeredWithoutDelays(content: String) async throws {
        let transport = AnsweringTransport { _, number in
            number < 2 || !content.isEmpty
                ? .reply(.ok, ["Content-Type": "text/event-stream"], content) : .reply(.serviceUnavailable)
        }
        var options = FeedOptions()
        options.reconnection.backoff = Backoff(initial: .zero, maximum: .seconds(30))
        let recorder = events(options, transport)
        #expect(await scheduler.settle(advancingBy: .seconds(3600), within: patience))
        recorder.cancel()
        let delays = recorder.recording.value.delays
        #expect(delays.first == .zero && delays.allSatisfy { $0 <= .seconds(30) })
        // The mean of the delays approaches 15 seconds.
        #expect((180...400).contains(transport.requests.value.count), "\(transport.requests.value.count)")
    }

    @Test func delaysOfZeroEndInAFloor() async throws {
        let transport = AnsweringTransport { _, _ in .reply(.serviceUnavailable) }
        let recorder = events(FeedOptions(reconnection: .init(backoff: .constant(.zero))), transport)
        #expect(await scheduler.settle(advancingBy: .seconds(10), within: patience))
        recorder.cancel()
        #expect(transport.requests.value.count == 102)
    }

    @Test func connectionsHaveTheTimeoutsOfTheirRequest() async throws {
        let transport = AnsweringTransport { _, _ in .reply(.ok, ["Content-Type": "text/event-stream"], "data: a\n\n") }
        let client = transport.client(scheduler).configuring {
            $0.options.timeouts.connect = .seconds(3)
            $0.options.timeouts.idle = .seconds(10)
            $0.options.timeouts.minimumRate = .init(bytesPerSecond: 1000)
            $0.options.timeouts.total = .seconds(20)
        }
        let plain = HTTPRequest(.get, "/")
        let impatient = plain.settingOptions { $0.timeouts.idle = .seconds(30) }
        for request in [plain, impatient] {
            _ = try await client.serverSentEvents(for: request).first().value
        }
        _ = try await client.longPolls(for: plain) { _ in nil }.first().value
        _ = try await client.polls(for: plain, every: .seconds(60)).first().value
        let requests = transport.requests.value
        #expect(requests.map(\.idleTimeout) == [.seconds(180), .seconds(30), .seconds(180), .seconds(10)])
        #expect(requests.map(\.connectTimeout) == Array(repeating: .seconds(3), count: 4))
        #expect(requests.map(\.minimumRate?.bytesPerSecond) == [nil, nil, nil, 1000])
    }

    @Test func aRequestMayLimitTheTimeOfEachConnection() async throws {
        let transport = AnsweringTransport { _, _ in .silence }
        let recorder = FeedRecorder<ServerSentEvent<String>>()
        let request = HTTPRequest(.get, "/").settingOptions { $0.timeouts.total = .seconds(60) }
        transport.client(scheduler).serverSentEvents(for: request).events.subscribe(recorder)
        #expect(await scheduler.settle(advancingBy: .seconds(3600), within: patience))
        recorder.cancel()
        #expect((40...60).contains(transport.requests.value.count))
    }

    @Test func theServersDelayIsObeyed() async throws {
        let transport = AnsweringTransport { _, number in
            number < 3
                ? .reply(.ok, ["Content-Type": "text/event-stream"], "retry: 5000\n\n")
                : .reply(.serviceUnavailable, ["Retry-After": "120"])
        }
        let recorder = events(FeedOptions(), transport)
        await scheduler.settle(advancingBy: .seconds(100))
        recorder.cancel()
        #expect(recorder.recording.value.delays.prefix(3) == [.seconds(5), .seconds(5), .seconds(120)])
    }

    /// Returns a date as a header field has it.
    private static func httpDate(_ date: Date) -> String {
        var time = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 64)
        let length = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix(length).map(UInt8.init), as: UTF8.self)
    }

    @Test func datesMoveWithTheClock() async throws {
        let start = Date()
        let transport = AnsweringTransport { _, number in
            let date = start.addingTimeInterval(Double(number) * 600)
            return .reply(.serviceUnavailable, ["Retry-After": Self.httpDate(date)])
        }
        let recorder = events(FeedOptions(), transport)
        await scheduler.settle(advancingBy: .seconds(3000))
        recorder.cancel()
        let delays = recorder.recording.value.delays
        #expect(delays.count == 6)
        #expect(delays.allSatisfy { abs($0 / .seconds(600) - 1) < 0.02 }, "\(delays)")
    }

    @Test func aLongServerDelayIsShortened() async throws {
        let transport = AnsweringTransport { _, _ in .reply(.tooManyRequests, ["Retry-After": "99999999999999999999"]) }
        let recorder = events(FeedOptions(), transport)
        await scheduler.settle(advancingBy: .seconds(1))
        recorder.cancel()
        #expect(recorder.recording.value.delays == [.seconds(3600)])
    }

    @Test func aDayOfPollingMakesThePredictedRequests() async throws {
        // A change every hour; an outage of ten minutes at noon; a rate limit at 18 o'clock.
        let scheduler = scheduler
        let transport = AnsweringTransport { request, _ in
            let seconds = scheduler.now.sinceStart.nanoseconds / 1_000_000_000
            switch seconds {
            case 43_200..<43_800: return .failure(.connection(.refused))
            case 64_800..<64_860: return .reply(.tooManyRequests, ["Retry-After": "300"])
            default:
                let tag = "\"\(seconds / 3600)\""
                guard request.headers["If-None-Match"] != tag else { return .reply(.notModified, ["ETag": tag]) }
                return .reply(.ok, ["ETag": tag], "\(seconds / 3600)")
            }
        }
        var options = FeedOptions()
        options.pollJitter = 0
        options.unconditionalPollInterval = .seconds(6 * 3600)
        let recorder = FeedRecorder<HTTPResponse<Data>>()
        transport.client(scheduler).changes(for: HTTPRequest(.get, "/"), every: .seconds(60), options: options).events
            .subscribe(recorder)
        #expect(await scheduler.settle(advancingBy: .seconds(86_399), within: patience))
        recorder.cancel()
        let recording = recorder.recording.value
        #expect(recording.violations == [])
        #expect(recording.elements.map { String(decoding: $0.body, as: UTF8.self) } == (0..<24).map { "\($0)" })
        let requests = transport.requests.value
        let unconditional = requests.count { $0.headers["If-None-Match"] == nil }
        #expect((4...5).contains(unconditional))
        // A minute each, but for the outage, in which the delays are those of the policy.
        let failures = recording.delays.count { $0 != .seconds(60) }
        #expect((20...120).contains(failures), "\(failures)")
        #expect((1420...1560).contains(requests.count), "\(requests.count)")
    }

    @Test func freshResponsesPostponeThePoll() async throws {
        let transport = AnsweringTransport { _, _ in
            .reply(.ok, ["Cache-Control": "public, max-age=300", "Age": "60"], "x")
        }
        var options = FeedOptions()
        options.pollJitter = 0
        let recorder = FeedRecorder<HTTPResponse<Data>>()
        transport.client(scheduler).polls(for: HTTPRequest(.get, "/"), every: .seconds(10), options: options).events
            .subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(2400))
        recorder.cancel()
        #expect(transport.requests.value.count == 11)
    }

    @Test(
        arguments: [
            (["max-age=60"], 60), (["max-age=5"], 10), (["max-age=31536000"], 3600),
            (["max-age=99999999999999999999"], 3600), (["no-cache, max-age=60"], 10), (["max-age=60, NO-CACHE"], 10),
            (["no-store"], 10), (["max-age=60", "no-store"], 10), (["must-revalidate, max-age=0"], 10),
            (["must-revalidate, max-age=60"], 60), (["public", "Max-Age=\"60\""], 60),
            (["max-age=600, max-age=60"], 10), (["max-age=60", "max-age=60"], 60),
            (["max-age=60, max-age=x"], 10), (["max-age=-1"], 10), (["max-age"], 10), ([""], 10),
            (["", ",, max-age=60 ,"], 60), (["private=\"a, max-age=600\", max-age=60"], 60),
            (["private=\"a, no-store\", max-age=60"], 60),
        ] as [([String], Int)])
    func cacheControlPostponesThePoll(fields: [String], seconds: Int) async throws {
        var headers = HTTPHeaders()
        for field in fields { headers.add("Cache-Control", field) }
        let transport = AnsweringTransport { [headers] _, _ in .reply(.ok, headers, "x") }
        var options = FeedOptions()
        options.pollJitter = 0
        let recorder = FeedRecorder<HTTPResponse<Data>>()
        transport.client(scheduler).polls(for: HTTPRequest(.get, "/"), every: .seconds(10), options: options).events
            .subscribe(recorder)
        await scheduler.settle()
        recorder.cancel()
        #expect(recorder.recording.value.delays == [.seconds(seconds)])
    }

    @Test func theLongestPostponementIsThePolicys() async throws {
        // A response that is not modified has a lifetime, too.
        let transport = AnsweringTransport { _, number in
            .reply(number == 1 ? .ok : .notModified, ["Cache-Control": "max-age=31536000", "ETag": #""1""#])
        }
        var options = FeedOptions()
        options.pollJitter = 0
        options.reconnection.maxServerDelay = .seconds(30)
        let recorder = FeedRecorder<HTTPResponse<Data>>()
        transport.client(scheduler).changes(for: HTTPRequest(.get, "/"), every: .seconds(10), options: options).events
            .subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(40))
        recorder.cancel()
        #expect(recorder.recording.value.delays == [.seconds(30), .seconds(30)])
    }

    @Test func longPollsFollowTheResponses() async throws {
        let transport = AnsweringTransport { _, number in .reply(.ok, ["X-Next": "\(number)"], "\(number)") }
        let recorder = FeedRecorder<HTTPResponse<Data>>()
        transport.client(scheduler).longPolls(for: HTTPRequest(.get, "/0")) { response in
            let next = response.headers["X-Next"] ?? ""
            return next == "5" ? nil : HTTPRequest(.get, "/\(next)")
        }.events.subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(1))
        let recording = try await recorder.finished()
        #expect(recording.failure == nil)
        #expect(recording.elements.map(\.body) == (1...5).map { Data("\($0)".utf8) })
        #expect(transport.requests.value.map { $0.url.path } == ["/0", "/1", "/2", "/3", "/4"])
    }
}
