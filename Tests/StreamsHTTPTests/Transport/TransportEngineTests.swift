import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// The thread of a transport, and the commands that other threads post to it.
@Suite(.reservesDescriptors) struct TransportEngineTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.otherwise { .text($0.path + $0.text) }
    }

    @Test func deliversAllEventsOnItsThread() async throws {
        let transport = CurlTransport()
        let threads = Locked<Set<pthread_t>>([])
        let caller = Locked<Set<pthread_t>>([])
        for number in 0..<50 {
            // After each answer the thread waits, as it does for the first.
            let recorder = TransportRecorder { _ in _ = threads.withLock { $0.insert(pthread_self()) } }
            let url = try #require(URL(string: server.url("/\(number)")))
            _ = caller.withLock { $0.insert(pthread_self()) }
            _ = transport.start(TransportRequest(method: .get, url: url), delivering: recorder)
            #expect(try await recorder.ended().body == Data("/\(number)".utf8))
        }
        #expect(threads.withLock { $0.count } == 1)
        #expect(threads.withLock { $0 }.isDisjoint(with: caller.withLock { $0 }))
    }

    #if os(Linux)
    @Test func namesItsThread() async throws {
        let names = Locked<Set<String>>([])
        let recorder = TransportRecorder { _ in
            let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            _ = names.withLock { $0.insert(name ?? "none") }
        }
        let url = try #require(URL(string: server.url("/")))
        _ = CurlTransport().start(TransportRequest(method: .get, url: url), delivering: recorder)
        _ = try await recorder.ended()
        #expect(names.withLock { $0 } == ["streams-engine\n"])
    }
    #endif

    @Test func servesConcurrentCallers() async throws {
        let client = server.client()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for caller in 0..<3 {
                group.addTask {
                    var count = 0
                    for number in 0..<200 {
                        let (path, text) = ("/\(caller)/\(number)", number % 7 == caller ? "text" : "")
                        let request =
                            text.isEmpty ? HTTPRequest(.get, path) : HTTPRequest(.post, path, body: .text(text))
                        let body = try await client.response(for: request).body
                        count += body == Data((path + text).utf8) ? 1 : 0
                        if number % 50 == caller { Task { try await client.response(for: request) }.cancel() }
                    }
                    return count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [200, 200, 200])
    }

    @Test func releasesCommandsPostedAfterItsEnd() async throws {
        var recorder: TransportRecorder? = TransportRecorder()
        weak let released = recorder
        let url = try #require(URL(string: server.url("/")))
        var transport: CurlTransport? = CurlTransport()
        var exchange = try transport?.start(
            TransportRequest(method: .get, url: url), delivering: #require(recorder))
        _ = try await recorder?.ended()
        recorder = nil
        transport = nil
        // The thread closes its connections after its last look at the commands.
        try await server.wait { $0.openConnections == 0 }
        exchange?.abort()
        exchange = nil
        #expect(released == nil)
    }
}
