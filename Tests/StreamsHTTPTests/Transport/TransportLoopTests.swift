import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// A loop that the test runs in place of an engine's thread.
@Suite(.reservesDescriptors) struct TransportLoopTests {
    private let server: LoopbackServer
    private let gate = Gate()
    private let poller: SocketPoller
    private let recorder = TransportRecorder()

    init() throws {
        server = try LoopbackServer()
        server.otherwise { _ in .text("hello") }
        server.on("GET", "/held", .text("hello").held(by: gate))
        poller = try SocketPoller()
    }

    private func exchange(
        to url: String, connectTimeout: Duration? = nil, receiver: TransportRecorder? = nil
    ) throws -> Exchange {
        let request = TransportRequest(
            method: .get, url: try #require(URL(string: url)), connectTimeout: connectTimeout)
        return Exchange(request, receiver: receiver ?? recorder)
    }

    private func loop(maxIdleTime: Duration = .seconds(30)) -> TransportLoop {
        TransportLoop(CurlTransport.Configuration(maxIdleTime: maxIdleTime), poller: poller)
    }

    /// Runs a loop until the exchange is over.
    private func finish(_ loop: inout TransportLoop) {
        while !recorder.recording.value.isOver {
            loop.run(eventCount: poller.wait(milliseconds: loop.timeout()), [])
        }
    }

    @Test func endsWhenRetiredAndIdle() throws {
        var loop = loop()
        loop.run(eventCount: 0, [.start(try exchange(to: server.url("/held"))), .retire])
        let isOverEarly = loop.isOver
        #expect(!isOverEarly)
        gate.open()
        finish(&loop)
        #expect(recorder.recording.value.body == Data("hello".utf8))
        let isOver = loop.isOver
        #expect(isOver)
        loop.closeConnections()
    }

    @Test func startsNoAbortedExchange() throws {
        var loop = loop()
        let exchange = try exchange(to: server.url("/"))
        loop.run(eventCount: 0, [.abort(exchange), .start(exchange), .retire])
        let isOver = loop.isOver
        #expect(isOver && server.requests.isEmpty)
    }

    @Test func waitsForIdleConnectionsToExpire() throws {
        var loop = loop(maxIdleTime: .seconds(30))
        let initialTimeout = loop.timeout()
        #expect(initialTimeout < 0)
        loop.run(eventCount: 0, [.start(try exchange(to: server.url("/")))])
        finish(&loop)
        let idleTimeout = loop.timeout()
        #expect((1...30_000).contains(idleTimeout))
        loop.closeConnections()
        let finalTimeout = loop.timeout()
        #expect(finalTimeout < 0)
    }

    @Test func failsInTheIterationOfTheStart() throws {
        var loop = loop()
        loop.run(eventCount: 0, [.start(try exchange(to: "ftp://127.0.0.1/"))])
        #expect(recorder.recording.value.failure != nil)
        loop.closeConnections()
    }

    /// The exchange starts in the iteration in which those that wait for a descriptor are tried again.
    @Test(.enabled(if: DescriptorLimit(reserve: nil).reserve < 4096, "an eighth of all descriptors would be too many"))
    func aNewExchangeDoesNotWaitForADescriptorWithoutALimit() throws {
        // All descriptors are reserved, so that a transport has an eighth of them.
        let capacity = DescriptorLimit(reserve: nil).reserve
        let poller = try SocketPoller(reservedDescriptors: capacity * 8)
        var loop = TransportLoop(CurlTransport.Configuration(), poller: poller)
        let server = try BacklogServer()
        let held = try (0...capacity).map { _ in try exchange(to: server.url) }
        loop.run(eventCount: 0, held.map { .start($0) })
        for _ in 0..<5 {
            var eventCount = 0
            repeat {
                loop.run(eventCount: eventCount, [])
                eventCount = poller.wait(milliseconds: loop.timeout())
            } while eventCount > 0 || poller.hasRoom
            // They are tried again every 50 milliseconds.
            _ = poller.wait(milliseconds: 60)
            let late = TransportRecorder()
            let exchange = try exchange(to: server.url, connectTimeout: .milliseconds(20), receiver: late)
            loop.run(eventCount: 0, [.start(exchange)])
            let limit = ContinuousClock.now + .seconds(10)
            while !late.recording.value.isOver, ContinuousClock.now < limit {
                loop.run(eventCount: poller.wait(milliseconds: loop.timeout()), [])
            }
            #expect(late.recording.value.failure?.reason.outline == "connection.resource-exhausted")
        }
        loop.run(eventCount: 0, held.map { .abort($0) })
        loop.closeConnections()
    }
}
