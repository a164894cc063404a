import StreamsHTTP
import StreamsLoopback
import Testing

@Suite(.serialized, .reservesDescriptors) struct RequestStreamTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
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
        #expect(try await client.data(for: HTTPRequest(.get, "/greeting")).body == Data(#"{"text":"hello"}"#.utf8))
        let published = Watched<[Greeting]>([])
        let ended = Watched(false)
        let subscription = client.publisher(for: call).sink(
            receiveCompletion: { _ in ended.update { $0 = true } },
            receiveValue: { value in published.update { $0.append(value) } })
        try await ended.wait(for: "the completion") { $0 }
        #expect(published.value == [Greeting(text: "hello")])
        subscription.cancel()
    }

    @Test func nothingIsSentBeforeItIsAskedFor() async throws {
        let recorder = EventRecorder<Void>(demand: .none)
        client.events(for: HTTPRequest(.get, "/greeting")).subscribe(recorder)
        _ = try await client.data(for: HTTPRequest(.get, "/greeting"))
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
        let recorder = EventRecorder<Void>(demand: .max(1))
        client.events(for: HTTPRequest(.get, "/greeting")).subscribe(recorder)
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
            told.update { $0.append(progress) }
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
                    let response = try await client.data(for: request)
                    #expect(String(decoding: response.body, as: UTF8.self) == "\(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 200)
    }
}
