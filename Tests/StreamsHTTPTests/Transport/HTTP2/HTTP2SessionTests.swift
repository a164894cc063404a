import Testing

@testable import StreamsHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A connection by HTTP/2 at chosen times, whose server is a test.
@Suite final class HTTP2SessionTests {
    private let descriptors: [CInt]
    private let server: RawConnection
    private let exchange: Exchange
    private let session: HTTP2Session
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    private let start = MonotonicTime.now

    /// Opens a connection, and a stream whose request is sent.
    init() throws {
        var pair: [CInt] = [0, 0]
        #if os(Linux)
        let type = CInt(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        try #require(socketpair(AF_UNIX, type, 0, &pair) == 0)
        try #require(fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0)
        descriptors = pair
        server = RawConnection(descriptor: pair[1], number: 1)
        let url = try #require(URL(string: "http://h/"))
        let connection = RequestOptions.Connection.with { $0.protocolPolicy = .http2 }
        let request = TransportRequest(method: .get, url: url, connection: connection, window: 1000)
        exchange = Exchange(request, receiver: TransportRecorder())
        session = HTTP2Session(
            TransportConnection(
                pair[0], nil, for: exchange, metrics: TransportEvent.Metrics(total: .zero), try SocketPoller(),
                HostLimit(nil), now: start),
            now: start)
        #expect(session.start(exchange, now: start))
        session.send()
        #expect(server.acceptHTTP2() && server.readStream() == 1)
    }

    deinit {
        buffer.deallocate()
        for descriptor in descriptors { close(descriptor) }
    }

    /// Receives what the server has sent, a number of seconds after the start.
    private func receive(after seconds: Int) {
        #expect(!session.receive(buffer, now: start + .seconds(seconds)))
    }

    private func inspect(after seconds: Int, readUpTo readTime: Int? = nil) -> Bool {
        session.inspect(start + .seconds(readTime ?? seconds), now: start + .seconds(seconds))
    }

    @Test func asksASilentServerWhetherItIsThere() {
        receive(after: 1)
        #expect(session.isSettled && session.deadline == start + .seconds(31))
        #expect(!inspect(after: 30) && inspect(after: 31))
        session.send()
        let types = (0..<2).map { _ in server.readFrame()?.type }
        // The acknowledgement of the settings, and the ping.
        #expect(types == [RawConnection.FrameType.settings.rawValue, RawConnection.FrameType.ping.rawValue])
        #expect(session.deadline == start + .seconds(51) && session.failure == nil)
    }

    @Test func endsWithoutAnAnswer() throws {
        receive(after: 0)
        #expect(inspect(after: 30) && !inspect(after: 49) && inspect(after: 50))
        #expect(session.failure?.reason.outline == "timeout.idle" && session.isOver && session.deadline == nil)
        let ended = session.takeEnded()
        #expect(ended.count == 1)
        let end = try #require(ended.first)
        guard case .failed(let failure) = end.end else {
            Issue.record("\(end.end)")
            return
        }
        #expect(end.exchange === exchange && failure.reason.outline == "timeout.idle")
    }

    @Test func anAnswerRestartsTheWait() {
        receive(after: 0)
        #expect(inspect(after: 30))
        session.send()
        _ = server.readFrame()
        let ping = server.readFrame()
        #expect(server.writeFrame(.ping, flags: 0x1, stream: 0, ping?.payload ?? []))
        receive(after: 45)
        #expect(session.failure == nil && session.deadline == start + .seconds(75))
        #expect(!inspect(after: 74) && inspect(after: 75))
    }

    /// The answer waits in the socket of a process that was stopped.
    @Test func aConnectionThatHasNotBeenReadIsNotGivenUp() {
        receive(after: 0)
        #expect(inspect(after: 30) && !inspect(after: 1000, readUpTo: 31))
        session.send()
        _ = server.readFrame()
        #expect(server.writeFrame(.ping, flags: 0x1, stream: 0, server.readFrame()?.payload ?? []))
        receive(after: 1000)
        #expect(!inspect(after: 1001) && session.failure == nil && session.deadline == start + .seconds(1030))
    }

    /// Nothing is asked of a server that is sent nothing.
    @Test func anIdleConnectionIsNotAsked() {
        receive(after: 0)
        session.remove(exchange)
        #expect(session.isIdle && session.deadline == nil && !inspect(after: 1000))
    }

    /// The server may have responded before.
    @Test func aConnectionThatCannotBeWrittenIsReadToItsEnd() throws {
        #expect(server.writeFrame(.headers, flags: 0x4, stream: 1, [0x88]))
        shutdown(descriptors[0], CInt(SHUT_WR))
        receive(after: 0)
        session.send()
        #expect(session.hasSendFailure && !session.waitsForRoom && !session.hasRoom && !session.isOver)
        #expect(session.takeChanged().count == 1 && exchange.responseHead?.status == .ok)
        receive(after: 1)
        #expect(session.isOver && session.failure?.reason.outline == "transfer.send-failed")
    }

    @Test func aConnectionThatIsClosedFailsItsStreams() {
        receive(after: 0)
        shutdown(descriptors[1], CInt(SHUT_RDWR))
        receive(after: 1)
        #expect(session.isOver && session.takeEnded().map(\.exchange).map { $0 === exchange } == [true])
    }
}
