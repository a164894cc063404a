import Dispatch
import StreamsHTTP
import StreamsLoopback
import Testing

/// Requests from everywhere at once, and from inside of one another.
@Suite(.serialized, .reservesDescriptors) struct ConcurrencyTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        client = server.client()
        server.on("GET", "/", .generated(20_000))
    }

    @Test func aRequestFromInsideAnEvent() async throws {
        let client = client
        let inner = EventRecorder<Void>()
        let outer = EventRecorder<Void> { _, event in
            if case .head = event { client.events(for: HTTPRequest(.get, "/")).subscribe(inner) }
            return .none
        }
        client.events(for: HTTPRequest(.get, "/")).subscribe(outer)
        for recorder in [outer, inner] {
            let recording = try await recorder.finished()
            #expect(recording.body.count == 20_000 && GeneratedBytes.matches(recording.body, at: 0))
        }
    }

    @Test func demandFromInsideAnEvent() async throws {
        let recorder = EventRecorder<Void>(demand: .max(1)) { recorder, _ in
            recorder.request(.max(1))
            return .none
        }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        let recording = try await recorder.finished()
        #expect(recording.body.count == 20_000 && GeneratedBytes.matches(recording.body, at: 0))
    }

    @Test func demandFromManyThreads() async throws {
        server.on("GET", "/big", .generated(2 << 20))
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/big")), demand: .none)
        DispatchQueue.concurrentPerform(iterations: 2000) { _ in recorder.request(.max(1)) }
        let recording = try await recorder.finished()
        #expect(recording.body.count == 2 << 20 && GeneratedBytes.matches(recording.body, at: 0))
        #expect(server.requests.count == 1)
    }

    @Test(.reservesDescriptors(220)) func subscriptionsFromManyThreads() async throws {
        let recorders = (0..<100).map { _ in EventRecorder<Void>() }
        let publisher = client.events(for: HTTPRequest(.get, "/"))
        DispatchQueue.concurrentPerform(iterations: recorders.count) { publisher.subscribe(recorders[$0]) }
        for recorder in recorders {
            let recording = try await recorder.finished()
            #expect(recording.body.count == 20_000 && GeneratedBytes.matches(recording.body, at: 0))
        }
    }

    @Test(.reservesDescriptors(420)) func manyStreamsOfWhichSomeAreCancelled() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        server.on("GET", "/slow", .generated(20_000).failing(with: .drip(bytes: 2000, every: .milliseconds(1))))
        let recorders = (0..<200).map { _ in EventRecorder<Void>() }
        let fates = recorders.map { _ in Int.random(in: 0..<4, using: &random) }
        let client = client
        await withTaskGroup(of: Void.self) { group in
            for (recorder, fate) in zip(recorders, fates) {
                group.addTask {
                    let path = fate % 2 == 0 ? "/" : "/slow"
                    client.events(for: HTTPRequest(.get, path)).subscribe(recorder)
                    if fate >= 2 { recorder.cancel() }
                }
            }
        }
        for (recorder, fate) in zip(recorders, fates) where fate < 2 {
            let recording = try await recorder.finished()
            let isExact = recording.body.count == 20_000 && GeneratedBytes.matches(recording.body, at: 0)
            #expect(isExact, "seed \(seed)")
        }
        for recorder in recorders { recorder.verify() }
    }
}
