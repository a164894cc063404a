import StreamsHTTP
import StreamsLoopback
import Testing

#if os(Linux)
/// The end of a process by `SIGTERM`, with feeds and transfers under way: 220 connections, whose other ends are in the
/// same process and under the same limit of descriptors.
@Suite(.serialized, .reservesDescriptors) struct TerminationTests {
    /// The numbers that a feed has, each of which is sent in two parts with a pause between them. The first part alone
    /// could be decoded too.
    private static let numbers = 1000..<2000

    @Test(arguments: [true, false]) func everyStreamCompletesOnce(transfersEnd: Bool) async {
        await #expect(processExitsWith: .success) { [transfersEnd = transfersEnd as Bool] in
            var signals = Operators.Signals(SIGTERM).values.makeAsyncIterator()
            let (server, gate) = (try LoopbackServer(), Gate())
            Self.serve(on: server, transfersAfter: gate)
            let client = server.client()
            let events = (0..<100).map { _ in
                FeedRecorder(of: client.serverSentEvents(for: HTTPRequest(.get, "/events")).events)
            }
            let numbers = (0..<100).map { _ in
                let recorder = FeedRecorder<Int>()
                client.jsonLines(of: Int.self, for: HTTPRequest(.get, "/numbers")).events.subscribe(recorder)
                return recorder
            }
            let transfers = (0..<20).map { _ in
                EventRecorder(of: client.events(for: HTTPRequest(.get, "/transfer")))
            }
            for feed in events { try await feed.recording.wait(for: "an event") { $0.elements.count == 1 } }
            for feed in numbers { try await feed.recording.wait(for: "a number") { $0.elements.count >= 1 } }
            for transfer in transfers { try await transfer.wait(for: "a chunk") { $0.chunkCount >= 1 } }

            try #require(kill(getpid(), SIGTERM) == 0)
            #expect(await signals.next() == SIGTERM)
            async let shutdown: Void = client.shutdown(deadline: transfersEnd ? .seconds(240) : .milliseconds(500))
            // Before the transfers, which have not ended yet.
            for feed in events {
                let recording = try await feed.finished()
                #expect(recording.failure == nil && recording.elements.map(\.data) == ["whole"])
            }
            for feed in numbers {
                let recording = try await feed.finished()
                let count = recording.elements.count
                #expect(recording.failure == nil && recording.elements == Array(Self.numbers.prefix(count)))
            }
            if transfersEnd { gate.open() }
            await shutdown
            for transfer in transfers {
                let recording = try await transfer.finished()
                #expect(transfersEnd ? recording.body.count == 200_000 : recording.failure?.isCancellation == true)
                #expect(GeneratedBytes.matches(recording.body, at: 0))
            }
            // An event after a completion would come before the connections have ended.
            try await server.wait { $0.requests.allSatisfy { $0.state == .disconnected || $0.state == .replied } }
            for feed in events { _ = try await feed.finished() }
            for feed in numbers { _ = try await feed.finished() }
            for transfer in transfers { transfer.verify() }
        }
    }

    private static func serve(on server: LoopbackServer, transfersAfter gate: Gate) {
        server.on(
            "GET", "/events",
            Reply(
                headers: ["Content-Type": "text/event-stream"],
                body: .chunked("id: 1\ndata: whole\n\n", "id: 2\ndata: half of it", .hold(Gate()))))
        let parts = numbers.flatMap { number -> [Reply.Body.Piece] in
            let line = Array("\(number)\n".utf8)
            return [.bytes(Array(line.prefix(2))), .pause(.milliseconds(50)), .bytes(Array(line.dropFirst(2)))]
        }
        server.on(
            "GET", "/numbers",
            Reply(
                headers: ["Content-Type": "application/x-ndjson"],
                body: Reply.Body(parts + [.hold(Gate())], framing: .chunked)))
        server.on(
            "GET", "/transfer",
            Reply(body: .chunked(.generated(100_000), .hold(gate), .generated(100_000))))
    }
}
#endif
