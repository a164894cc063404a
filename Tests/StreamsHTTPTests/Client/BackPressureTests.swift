import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// Demand reaches the socket: a subscriber that does not ask makes the server wait.
@Suite(.serialized, .reservesDescriptors) struct BackPressureTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(socketBuffers: 16 * 1024))
        client = server.client()
        server.on("GET", "/endless", .generated(4 << 30))
    }

    @Test func theServerWaitsForTheSubscriber() async throws {
        let recorder = EventRecorder<Void>(demand: .max(2), keepingBody: false)
        client.events(for: HTTPRequest(.get, "/endless")).subscribe(recorder)
        // So long that no busy machine is taken for a client that does not read.
        let held = try await server.waitForBackPressure(lasting: .milliseconds(500)).bytesWritten
        // What is under way fits into the window and the sockets' buffers.
        #expect(held < 16 << 20)
        recorder.cancel()
        try await server.waitForDisconnection()
        recorder.verify()
    }

    @Test func aSlowSubscriberGetsEveryByte() async throws {
        server.on("GET", "/long", .generated(1 << 20))
        let position = Watched(0)
        let isWrong = Watched(false)
        let recorder = EventRecorder<Void>(demand: .max(1), keepingBody: false) { _, event in
            if case .chunk(let chunk) = event {
                let start = position.update { position in
                    defer { position += chunk.count }
                    return position
                }
                if !GeneratedBytes.matches(chunk, at: start) { isWrong.update { $0 = true } }
            }
            return .max(1)
        }
        client.events(for: HTTPRequest(.get, "/long")).subscribe(recorder)
        try await recorder.finished()
        #expect(position.value == 1 << 20)
        #expect(!isWrong.value)
    }

    @Test func silenceThatTheSubscriberWantsIsNotThePeers() async throws {
        let options = RequestOptions.with { $0.timeouts.idle = .milliseconds(150) }
        let recorder = EventRecorder<Void>(demand: .max(3), keepingBody: false)
        client.events(for: HTTPRequest(.get, "/endless", options: options)).subscribe(recorder)
        // Several times as long as the limit, in which nobody asks.
        try await server.waitForBackPressure(lasting: .milliseconds(600))
        try await recorder.expectToContinue()
    }

    /// The window is full when the body turns out to be broken: libcurl has the end and still a part to hand over.
    @Test(arguments: [1, 100, 4000, 12_000, 16_000, 31_998])
    func aBodyThatBreaksWhileItIsHeldBackFails(beyondTheWindow: Int) async throws {
        var reply = Reply(body: .generated(2 << 20, framing: .chunked))
        reply.fault = .malformedChunkSize(after: (1 << 20) + beyondTheWindow)
        let server = try LoopbackServer()
        server.on("GET", "/broken", reply)
        let recorder = EventRecorder(of: server.client().events(for: HTTPRequest(.get, "/broken")), demand: .max(2))
        try await server.wait { $0.requests.first?.state.isEnd ?? false }
        recorder.request(.unlimited)
        let recording = try await recorder.finished()
        #expect(recording.failure != nil)
        #expect(GeneratedBytes.matches(recording.body, at: 0))
    }

    @Test(arguments: ["deflate", "br", "zstd"])
    func aBodyThatInflatesManyThousandfoldIsHeldBack(coding: String) async throws {
        guard let bomb = Bomb(coding) else { return }
        let server = try LoopbackServer()
        server.on("GET", "/", Reply(headers: ["Content-Encoding": coding], body: .bytes(bomb.bytes)))
        let recorder = EventRecorder<Void>(demand: .max(2), keepingBody: false)
        server.client().events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        // All of it lies ready, so that each read is as large as it may be.
        try await server.wait { $0.requests.first?.state.isEnd ?? false }
        recorder.request(.unlimited)
        let recording = try await recorder.finished()
        #expect(recording.failure == nil)
        #expect(recording.grammar.chunkBytes == bomb.size)
        recorder.verify()
    }

    @Test func aBlockedSubscriberHoldsNobodyElseUp() async throws {
        server.on("GET", "/", .text("well"))
        let isBlocked = Watched(false)
        let mayGoOn = Watched(false)
        let recorder = EventRecorder<Void> { _, event in
            if case .head = event {
                isBlocked.update { $0 = true }
                mayGoOn.waitSynchronously { $0 }
            }
            return .none
        }
        let events = client.events(for: HTTPRequest(.get, "/"))
        Thread.detachNewThread { events.subscribe(recorder) }
        try await isBlocked.wait(for: "the head") { $0 }
        for _ in 1...20 { _ = try await client.response(for: HTTPRequest(.get, "/")) }
        mayGoOn.update { $0 = true }
        try await recorder.finished()
    }

    @Test func aStreamOutlivesItsClient() async throws {
        let gate = Gate()
        server.on("GET", "/", Reply(body: .chunked("one", .hold(gate), "two")))
        let recorder = EventRecorder<Void>()
        do {
            let client = server.client()
            client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        }
        try await recorder.wait(for: "the first chunk") { $0.body == Data("one".utf8) }
        gate.open()
        let recording = try await recorder.finished()
        #expect(recording.body == Data("onetwo".utf8))
        try await server.wait { $0.openConnections == 0 }
    }

    @Test func aLoopOverValuesHoldsTheServerBack() async throws {
        var grammar = EventGrammar()
        var bytes = 0
        for try await event in client.events(for: HTTPRequest(.get, "/endless")).values {
            grammar.accept(event)
            if case .chunk(let chunk) = event {
                #expect(GeneratedBytes.matches(chunk, at: bytes))
                bytes += chunk.count
                if bytes > 1 << 20 { break }
                try await server.waitForBackPressure(lasting: .milliseconds(10))
            }
        }
        #expect(grammar.violations == [])
        try await server.waitForDisconnection()
    }

    @Test func aCancelledLoopOverValuesEnds() async throws {
        let publisher = client.events(for: HTTPRequest(.get, "/endless"))
        let task = Task {
            var count = 0
            for try await _ in publisher.values { count += 1 }
            return count
        }
        try await server.waitForRequests(1)
        task.cancel()
        _ = try? await task.value
        try await server.waitForDisconnection()
    }
}
