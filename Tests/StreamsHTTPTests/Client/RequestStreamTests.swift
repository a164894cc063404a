import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

@Suite(.serialized, .reservesDescriptors) struct RequestStreamTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 3_000_000))
        client = server.client()
        server.on("GET", "/greeting", .json(#"{"text":"hello"}"#))
        server.on("POST", "/echo") { .bytes($0.body) }
    }

    @Test func anEndpointIsCollectedAndDecoded() async throws {
        let recording = try await EventRecorder.record(client.events(for: Call<Greeting>(.get, "/greeting")))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
        #expect(recording.chunkCount == 0)
        #expect(recording.response?.body == Greeting(text: "hello"))
        #expect(recording.downloads.last?.fraction == 1)
    }

    @Test func aRequestIsDeliveredInChunks() async throws {
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/greeting")))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
        #expect(String(decoding: recording.body, as: UTF8.self) == #"{"text":"hello"}"#)
    }

    @Test func theSameCallByEveryWay() async throws {
        let call = Call<Greeting>(.get, "/greeting")
        #expect(try await client.value(for: call).text == "hello")
        #expect(try await client.response(for: call).body.text == "hello")
        #expect(try await client.response(for: HTTPRequest(.get, "/greeting")).body == Data(#"{"text":"hello"}"#.utf8))
        let published = Watched<[Greeting]>([])
        let ended = Watched(false)
        let subscription = client.publisher(for: call).sink(
            receiveCompletion: { _ in ended.update { $0 = true } },
            receiveValue: { value in published.update { $0.append(value) } })
        try await ended.wait(for: "the completion") { $0 }
        #expect(published.value == [Greeting(text: "hello")])
        subscription.cancel()
    }

    @Test func publishesWholeResponses() async throws {
        let typed = try await client.responsePublisher(for: Call<Greeting>(.get, "/greeting")).first().value
        #expect(typed?.status == .ok && typed?.body == Greeting(text: "hello"))
        let request = HTTPRequest(.post, "/echo", body: .text("hello"))
        let undecoded = try await client.responsePublisher(for: request).first().value
        #expect(undecoded?.headers.contains("Content-Length") == true && undecoded?.body == Data("hello".utf8))
        let error = try await failure { () async throws(HTTPError) in
            try await client.responsePublisher(for: HTTPRequest(.get, "/none")).first().value
        }
        #expect(error.status == .notFound)
    }

    @Test func sendsNothingForAResponseBeforeDemand() async throws {
        let recorder = RecordingSubscriber<HTTPResponse<Data>, HTTPError>(initialDemand: .none)
        client.responsePublisher(for: HTTPRequest(.get, "/greeting")).subscribe(recorder)
        _ = try await client.response(for: HTTPRequest(.get, "/greeting"))
        #expect(server.requests.count == 1)
        recorder.request(.max(1))
        #expect(await recorder.wait())
        #expect(recorder.values.map(\.status) == [.ok])
    }

    @Test func collectsAResponseUpToItsLimit() async throws {
        let request = HTTPRequest(.get, "/greeting").settingOptions { $0.maxBodySize = 4 }
        let error = try await failure { () async throws(HTTPError) in
            try await client.responsePublisher(for: request).first().value
        }
        #expect(error.reason.outline == "transfer.body-too-large(4)")
    }

    @Test func reportsTheProgressOfBothDirections() async throws {
        server.on("POST", "/both", .generated(2_000_000))
        struct Upload: Endpoint {
            let path = "/both"
            let method = HTTPMethod.post
            let body = HTTPBody.data(Data(GeneratedBytes.bytes(0..<3_000_000)))
        }
        let reported = Watched<[HTTPRequest.Progress]>([])
        let body = try await client.value(for: Upload()) { progress in reported.update { $0.append(progress) } }
        #expect(body.count == 2_000_000 && GeneratedBytes.matches(body, at: 0))
        let received = try #require(server.requests.first)
        let isExact = received.bodyCount == 3_000_000 && GeneratedBytes.matches(received.body, at: 0)
        #expect(isExact)
        let all = reported.value
        let uploads = all.filter { $0.direction == .upload }
        let downloads = all.filter { $0.direction == .download }
        // The upload comes first.
        #expect(all == uploads + downloads && !uploads.isEmpty && !downloads.isEmpty)
        #expect(uploads.allSatisfy { $0.download == nil && $0.fraction == nil })
        #expect(uploads.last?.upload?.fraction == 1)
        #expect(downloads.allSatisfy { $0.upload == uploads.last?.upload })
        let completed = all.map(\.transfer.completed)
        #expect(completed == completed.sorted() && completed.last == 5_000_000)
        #expect(downloads.last?.download?.fraction == 1 && downloads.last?.fraction == 1)
    }

    @Test func startsProgressAnewWithARetry() async throws {
        struct Upload: Endpoint {
            let path = "/flaky"
            let method = HTTPMethod.put
            let body = HTTPBody.data(Data(GeneratedBytes.bytes(0..<300_000)))
            let options = RequestOptions.with {
                $0.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero, maximum: .zero))
            }
        }
        server.on("PUT", "/flaky", .text("wait", status: 503), .text("well"))
        let reported = Watched<[HTTPRequest.Progress]>([])
        _ = try await client.value(for: Upload()) { progress in reported.update { $0.append(progress) } }
        let last = try #require(reported.value.last)
        #expect(last.direction == .download && last.transfer.completed == 300_004 && last.fraction == 1)
        #expect(server.requests.count == 2)
        for request in server.requests {
            let isExact = request.bodyCount == 300_000 && GeneratedBytes.matches(request.body, at: 0)
            #expect(isExact)
        }
    }

    @Test func nothingIsSentBeforeItIsAskedFor() async throws {
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/greeting")), demand: .none)
        _ = try await client.response(for: HTTPRequest(.get, "/greeting"))
        #expect(server.requests.count == 1)
        recorder.request(.unlimited)
        try await recorder.finished()
        #expect(server.requests.count == 2)
    }

    @Test func everySubscriptionIsARequest() async throws {
        let publisher = client.events(for: HTTPRequest(.get, "/greeting"))
        for _ in 1...3 { _ = try await EventRecorder.record(publisher) }
        #expect(server.requests.count == 3)
        #expect(server.acceptedConnections == 1)
    }

    @Test func eventsComeOneByOneAsTheyAreAskedFor() async throws {
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/greeting")), demand: .max(1))
        var count = 1
        while !recorder.recording.value.isComplete {
            let expected = count
            try await recorder.wait(for: "event \(expected)") { $0.eventCount >= expected || $0.isComplete }
            recorder.verify()
            recorder.request(.max(1))
            count += 1
        }
        let recording = try await recorder.finished()
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
    }

    @Test func progressIsToldWithAnAwaitedValue() async throws {
        server.on("GET", "/big", .generated(1 << 20))
        let told = Watched<[TransferProgress]>([])
        let data = try await client.value(for: Call<Data>(.get, "/big")) { progress in
            told.update { $0.append(progress.transfer) }
        }
        #expect(GeneratedBytes.matches(data, at: 0) && data.count == 1 << 20)
        var check = ProgressCheck("download")
        for progress in told.value { #expect(check.accept(progress) == nil) }
        #expect(told.value.last?.fraction == 1)
    }

    @Test(arguments: [0, 1, 65_521, 1 << 20], [Reply.Body.Framing.length, .chunked, .untilClose])
    func bodiesArriveWhole(size: Int, framing: Reply.Body.Framing) async throws {
        server.on("GET", "/body", .generated(size, framing: framing))
        let delivered = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/body")))
        #expect(delivered.body.count == size && GeneratedBytes.matches(delivered.body, at: 0))
        let collected = try await EventRecorder.record(client.events(for: Call<Data>(.get, "/body")))
        let body = try #require(collected.response?.body)
        #expect(body.count == size && GeneratedBytes.matches(body, at: 0))
        let fractions = delivered.downloads.map(\.fraction)
        if framing == .length { #expect(fractions.last == 1) } else { #expect(fractions.allSatisfy { $0 == nil }) }
    }

    @Test(.reservesDescriptors(420)) func manyRequestsAtOnce() async throws {
        server.on("POST", "/echo") { .bytes($0.body) }
        let client = client
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let request = HTTPRequest(.post, "/echo", body: .text("\(number)"))
                    let response = try await client.response(for: request)
                    #expect(String(decoding: response.body, as: UTF8.self) == "\(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 200)
    }
}
