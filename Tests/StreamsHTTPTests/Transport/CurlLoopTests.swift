import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// A loop by itself, with the test in the place of the engine's thread.
@Suite(.reservesDescriptors) struct CurlLoopTests {
    private let server: LoopbackServer
    private let gate = Gate()
    private let signal: WakeSignal
    private let reactor: CurlReactor

    init() throws {
        server = try LoopbackServer()
        server.otherwise { _ in .text("hello") }
        server.on("GET", "/held", .text("hello").held(by: gate))
        signal = try WakeSignal()
        reactor = try CurlReactor(wakeDescriptor: signal.readable)
    }

    private func transfer(
        _ method: HTTPMethod = .get, to url: String, _ recorder: TransportRecorder
    ) throws -> CurlTransfer {
        CurlTransfer(TransportRequest(method: method, url: try #require(URL(string: url))), receiver: recorder)
    }

    /// A loop that has done a request, and sleeps for half a minute.
    private func sleepingLoop() throws -> CurlLoop {
        var loop = CurlLoop(CurlTransport.Configuration(maxIdleTime: .seconds(30)), reactor: reactor)
        let recorder = TransportRecorder()
        loop.run([.start(try transfer(to: server.url("/first"), recorder))])
        finish(&loop, recorder)
        try #require(recorder.recording.value.isFinished)
        _ = loop.patience()
        return loop
    }

    /// Lets the loop work until an exchange is over.
    private func finish(_ loop: inout CurlLoop, _ recorder: TransportRecorder) {
        loop.run([])
        while !recorder.recording.value.isOver {
            _ = loop.act(onEvents: reactor.wait(milliseconds: loop.patience()))
            loop.run([])
        }
    }

    @Test func aCallersRequestIsSentBeforeTheLoopTurns() async throws {
        var loop = try sleepingLoop()
        let recorder = TransportRecorder()
        let start = loop.startByCaller(try transfer(to: server.url("/held"), recorder))
        #expect(start == .quiet)
        let requests = try await server.waitForRequests(2)
        #expect(requests.map(\.path) == ["/first", "/held"])
        #expect(requests[0].connection == requests[1].connection)
        #expect(recorder.recording.value.events.isEmpty)
        gate.open()
        finish(&loop, recorder)
        #expect(recorder.recording.value.body == Data("hello".utf8))
        loop.end()
    }

    /// What no handle is ready for, and what would be done beside others, is the engine's own.
    @Test func aCallerStartsOnlyWhatIsSoonDone() throws {
        var loop = try sleepingLoop()
        let recorder = TransportRecorder()
        let starts = [
            loop.startByCaller(try transfer(.post, to: server.url(), recorder)),
            loop.startByCaller(try transfer(to: server.url("/held"), recorder)),
            loop.startByCaller(try transfer(to: server.url("/held"), recorder)),
        ]
        #expect(starts == [.impossible, .quiet, .impossible])
        gate.open()
        finish(&loop, recorder)
        loop.end()
    }

    /// A failure at once is told by the engine's thread, which has to look for it.
    @Test func whatFailsAtOnceIsNewsForTheThread() throws {
        var loop = try sleepingLoop()
        let recorder = TransportRecorder()
        let start = loop.startByCaller(try transfer(to: "ftp://127.0.0.1/", recorder))
        #expect(start == .news)
        #expect(recorder.recording.value.events.isEmpty)
        gate.open()
        finish(&loop, recorder)
        #expect(recorder.recording.value.failure != nil)
        loop.end()
    }

    /// A few callers, each now and then alone: they and the engine's thread have the loop in turn.
    @Test func callersAndTheThreadTakeTurns() async throws {
        let client = server.client()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for caller in 0..<3 {
                group.addTask {
                    var count = 0
                    for number in 0..<200 {
                        // With a body it is the thread's own.
                        let request =
                            number % 7 == caller
                            ? HTTPRequest(.post, "/", body: .text("text")) : HTTPRequest(.get, "/\(number)")
                        count += try await client.data(for: request).body.count
                        if number % 50 == caller { Task { try await client.data(for: request) }.cancel() }
                    }
                    return count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [1000, 1000, 1000])
    }
}
