import Foundation
import StreamsHTTP
import Testing

#if os(Linux)
import Glibc

/// A feed that connects again thousands of times, in a process of its own, whose descriptors, threads and memory are all
/// the feed's and its server's.
@Suite(.serialized, .reservesDescriptors) struct ReconnectionCensusTests {
    /// The number of reconnections.
    ///
    /// `STREAMS_RECONNECTIONS=1000000` in the environment raises it to a million, which takes minutes.
    private static var count: Int {
        ProcessInfo.processInfo.environment["STREAMS_RECONNECTIONS"].flatMap { Int($0) } ?? 3000
    }

    /// The growth of the memory that is not a leak: of caches, and of the heap's fragments. A leak of 700 bytes for each
    /// of the reconnections exceeds it.
    private static let allowance = 2 << 20

    @Test func reconnectionsLeaveNothingBehind() async {
        await #expect(processExitsWith: .success) {
            let server = try OneEventServer()
            let client = HTTPClient(configuration: HTTPClient.Configuration(), transport: CurlTransport())
            // The memory that the process keeps for good is allocated by the first connections.
            try await receive(500, from: server, by: client)
            let start = try await ProcessCensus.first()
            let memory = Memory.resident

            try await receive(Self.count, from: server, by: client)
            let end = try await ProcessCensus.afterReturn(to: start)
            let growth = Memory.resident - memory
            #expect(end.descriptors <= start.descriptors, "\(end), at first \(start)")
            #expect(end.threads <= start.threads, "\(end), at first \(start)")
            #expect(Memory.isDistorted || growth < Self.allowance, "\(growth) bytes")
        }
    }
}

/// Receives a number of events, each of which comes by a connection of its own.
private func receive(_ count: Int, from server: OneEventServer, by client: HTTPClient) async throws {
    let feed = client.serverSentEvents(for: HTTPRequest(.get, server.url), options: .immediate)
    var received = 0
    var last = 0
    for try await event in feed.values {
        received += 1
        let number = try #require(Int(event.data))
        #expect(number > last)
        last = number
        if received == count { return }
    }
}

/// A server that answers each connection with one event, the number of the connection, and closes it. It takes no memory
/// for a connection that is over.
private struct OneEventServer {
    private let listener: ListeningSocket

    init() throws {
        let listener = try ListeningSocket(backlog: 128)
        self.listener = listener
        Thread.detachNewThread {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
            var request = [UInt8](repeating: 0, count: 4096)
            for number in 1... {
                let connection = accept(listener.descriptor, nil, nil)
                guard connection >= 0 else { break }
                let reply = Array("\(head)data: \(number)\n\n".utf8)
                // The head fits in one segment.
                recv(connection, &request, request.count, 0)
                send(connection, reply, reply.count, CInt(MSG_NOSIGNAL))
                close(connection)
            }
        }
    }

    var url: String { "http://127.0.0.1:\(listener.port)/" }
}
#endif
