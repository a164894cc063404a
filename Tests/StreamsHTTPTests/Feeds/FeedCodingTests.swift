import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// The content codings that the connections of feeds accept.
@Suite(.reservesDescriptors) struct FeedCodingTests {
    private struct Item: Decodable, Sendable {}

    /// Without a delay, a feed with an element in each response would connect for ever at one virtual moment.
    private static let steady = FeedOptions(reconnection: .init(backoff: .constant(.milliseconds(100))))

    /// Returns the fields `Accept-Encoding` of the first two requests of each kind of feed, without those that a
    /// transport adds.
    private func codings(
        of request: HTTPRequest = HTTPRequest(.get, "/"), _ options: FeedOptions = steady,
        _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) async -> [String: [String?]] {
        let scheduler = TestScheduler()
        let transport = AnsweringTransport { _, _ in .reply(.ok, ["Content-Type": "text/event-stream"], "data: a\n\n") }
        let client = transport.client(scheduler, change)
        var codings: [String: [String?]] = [:]
        func record(_ name: String, _ feed: Feed<some Sendable>) async {
            transport.requests.update { $0 = [] }
            let recorder = FeedRecorder(of: feed.events)
            await scheduler.settle(advancingBy: .seconds(2))
            recorder.cancel()
            codings[name] = transport.requests.value.prefix(2).map { $0.headers["Accept-Encoding"] }
        }
        var skipping = options
        skipping.undecodableElements = .skip
        await record("events", client.serverSentEvents(for: request, options: options))
        await record("decoded events", client.serverSentEvents(of: Item.self, for: request, options: skipping))
        await record("lines", client.lines(for: request, options: options))
        await record("JSON lines", client.jsonLines(of: Item.self, for: request, options: skipping))
        await record("long poll", client.longPolls(for: request, options: options) { _ in request })
        await record("poll", client.polls(for: request, every: .milliseconds(100), options: options))
        return codings
    }

    private let held = ["events", "decoded events", "lines", "JSON lines", "long poll"]

    @Test func acceptsNoCodingByWhichAProxyHoldsElementsBack() async {
        let codings = await codings()
        for name in held { #expect(codings[name] == ["identity", "identity"], "\(name)") }
        // A poll ends, and so does its coding.
        #expect(codings["poll"] == [nil, nil])
    }

    @Test func acceptsTheCodingsOfTheTransportIfTheOptionsSaySo() async {
        var options = Self.steady
        options.requestsCompression = true
        let codings = await codings(options)
        for name in held + ["poll"] { #expect(codings[name] == [nil, nil], "\(name)") }
    }

    @Test func acceptsTheCodingsOfTheRequestAndOfTheClient() async {
        let given = await codings(of: HTTPRequest(.get, "/", headers: ["accept-encoding": "gzip"]))
        let inherited = await codings { $0.defaultHeaders = ["Accept-Encoding": "br"] }
        for name in held + ["poll"] {
            #expect(given[name] == ["gzip", "gzip"], "\(name)")
            #expect(inherited[name] == ["br", "br"], "\(name)")
        }
    }

    /// A server that compresses whatever the request accepts.
    @Test(arguments: EncodedText.supported) func decodesWhatIsCompressedNevertheless(coding: EncodedText) async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", Reply(headers: ["Content-Encoding": coding.name], body: .bytes(coding.bytes)))
        let recorder = FeedRecorder(
            of: server.client().lines(for: HTTPRequest(.get, "/"), options: FeedOptions(reconnection: .never)).events)
        #expect(try await recorder.finished().elements == [EncodedText.text])
        #expect(server.requests.map { $0.headers.values(of: "Accept-Encoding") } == [["identity"]])
    }
}
