import Foundation
import StreamsHTTP
import StreamsTesting
import Testing

@testable import StreamsFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Tests of a session's exchange. The test calls it as a session does.
@Suite(.timeLimit(.minutes(2))) struct SessionExchangeTests {
    private final class IgnoringReceiver: TransportReceiver {
        func receive(_ event: TransportEvent) {}
    }

    /// A protocol that never responds.
    private final class SilentProtocol: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
        override func startLoading() {}
        override func stopLoading() {}
    }

    private let url: URL
    private let session: URLSession

    init() throws {
        url = try #require(URL(string: "http://h/"))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [SilentProtocol.self]
        session = URLSession(configuration: configuration)
    }

    private func exchange(_ body: HTTPBody) throws -> (SessionExchange, BlockingBodyReader?) {
        let exchange = SessionExchange(
            TransportRequest(method: .put, url: url, body: body, window: 1), receiver: IgnoringReceiver())
        let reader = try BlockingBodyReader(body)
        exchange.start(session.dataTask(with: url), body: reader)
        return (exchange, reader)
    }

    private static func readByte(_ stream: InputStream) -> Bool {
        var byte: UInt8 = 0
        return stream.read(&byte, maxLength: 1) > 0
    }

    /// A session may request another body stream during the abort.
    @Test func abortEndsReplayedBody() throws {
        for _ in 0..<100 {
            let source = ChunkSource([Data([1])], isOpen: true)
            let (exchange, _) = try exchange(.replayableStream { source.publisher })
            let first = try #require(exchange.makeBodyStream())
            #expect(Self.readByte(first))
            let isOver = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                if let stream = exchange.makeBodyStream() { while Self.readByte(stream) {} }
                isOver.signal()
            }
            exchange.abort()
            try #require(isOver.wait(timeout: .now() + 5) == .success)
        }
    }

    @Test func replaysBodyWithItsOwnReader() throws {
        let source = ChunkSource([Data([1])], isOpen: true)
        let (exchange, reader) = try exchange(.replayableStream { source.publisher })
        let first = try #require(exchange.makeBodyStream())
        #expect(Self.readByte(first))
        let second = try #require(exchange.makeBodyStream())
        reader?.cancel()
        #expect(!Self.readByte(first) && first.streamStatus == .error)
        #expect(Self.readByte(second))
        exchange.abort()
        #expect(!Self.readByte(second) && second.streamStatus == .error)
    }

    @Test func idleTimeStartsAfterWaitForSource() async throws {
        let probe = ProbePublisher<Data, any Error>()
        let (exchange, reader) = try exchange(.stream(probe))
        let isRead = AsyncStream<Void>.makeStream()
        let stream = try #require(exchange.makeBodyStream())
        let reading = Reading(stream: stream)
        Thread.detachNewThread {
            _ = Self.readByte(reading.stream)
            isRead.continuation.finish()
        }
        while reader?.lastWaitEnd == nil || probe.subscriberCount == 0 { await Task.yield() }
        let time = ContinuousClock.now
        #expect(try #require(exchange.idleSince) >= time)
        probe.send(Data([1]))
        for await _ in isRead.stream {}
        #expect(try #require(exchange.idleSince) >= time)
        exchange.abort()
        #expect(exchange.idleSince == nil)
    }

    private struct Reading: @unchecked Sendable {
        // Safe because one thread reads.
        let stream: InputStream
    }

    /// RFC 9110, sections 5.1 and 15.
    @Test(arguments: [(42, "A"), (999, "A"), (0, "A"), (200, "(A)"), (200, "A\u{B}"), (200, "A"), (599, "A")])
    func refusesInvalidStatusesAndNames(status: Int, name: String) throws {
        let (exchange, _) = try exchange(.empty)
        let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: [name: "1"])
        exchange.received(try #require(response))
        #expect((exchange.idleSince == nil) == (status < 100 || status > 599 || name != "A"))
        exchange.abort()
    }

    @Test func idleTimeStartsWithDemand() throws {
        let (exchange, _) = try exchange(.empty)
        let response = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
        exchange.received(response)
        exchange.received(Data([1, 2]))
        let before = ContinuousClock.now
        #expect(try #require(exchange.idleSince) < before)
        exchange.received(Data([3]))
        let time = ContinuousClock.now
        #expect(try #require(exchange.idleSince) >= time)
        exchange.allow(bytes: 10)
        #expect(try #require(exchange.idleSince) >= time)
        exchange.abort()
    }
}
