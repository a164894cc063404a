import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

#if os(Linux)
import Glibc

/// WebSockets that are opened and lost thousands of times, in processes of their own, whose descriptors, threads and
/// memory are all theirs and their server's.
@Suite(.serialized, .reservesDescriptors) struct WebSocketCensusTests {
    /// The number of connections.
    ///
    /// `STREAMS_WEBSOCKETS=100000` in the environment raises it, which takes minutes.
    private static var count: Int {
        ProcessInfo.processInfo.environment["STREAMS_WEBSOCKETS"].flatMap { Int($0) } ?? 1000
    }

    /// The growth of the memory that is not a leak: of caches, and of the heap's fragments. A leak of two kilobytes for
    /// each of the connections exceeds it.
    private static let allowance = 2 << 20

    @Test func leavesNothingBehind() async {
        await #expect(processExitsWith: .success) {
            let server = try OneMessageServer()
            let client = HTTPClient(configuration: HTTPClient.Configuration(), transport: CurlTransport())
            // The memory that the process keeps for good is allocated by the first connections.
            try await exchange(300, with: server, by: client)
            let start = try await ProcessCensus.first()
            let memory = Memory.inUse

            try await exchange(Self.count, with: server, by: client)
            let end = try await ProcessCensus.afterReturn(to: start)
            let growth = Memory.inUse - memory
            #expect(end.descriptors <= start.descriptors, "\(end), at first \(start)")
            #expect(end.threads <= start.threads, "\(end), at first \(start)")
            #expect(Memory.isDistorted || growth < Self.allowance, "\(growth) bytes")
        }
    }

    @Test func healsManyLostConnections() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            let numbers = NumberedMessages(perConnection: 3, forgets: true)
            server.on("GET", "/") { numbers.reply(to: $0) }
            let last = Self.count * 4
            let recording = try await numbers.receive(upTo: last, from: server.client())
            #expect(recording.numbers.last ?? 0 >= last && recording.gapCount > 0 && !recording.hasUntoldGap)
            #expect(server.acceptedConnections >= Self.count)
        }
    }
}

/// Opens a number of WebSockets one after another, each for a message there and back.
private func exchange(_ count: Int, with server: OneMessageServer, by client: HTTPClient) async throws {
    for _ in 0..<count {
        var outline: [String] = []
        for try await event in client.webSocket(for: HTTPRequest(.get, server.url)).values {
            switch event {
            case .open(let socket): try await socket.send("hello")
            case .message(let message): outline.append("\(message)")
            case .closed(let closing): outline.append("\(closing.code)")
            }
        }
        #expect(outline == [#"text("a")"#, "1000"])
    }
}

/// A server that answers the first message on each connection, and closes it. It takes no memory for a connection that is
/// over.
private struct OneMessageServer {
    private let listener: ListeningSocket

    init() throws {
        let listener = try ListeningSocket(backlog: 128)
        self.listener = listener
        Thread.detachNewThread {
            // A text and a close frame.
            let reply: [UInt8] = [0x81, 1, 0x61, 0x88, 2, 0x03, 0xE8]
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let connection = accept(listener.descriptor, nil, nil)
                guard connection >= 0 else { break }
                // The head fits in one segment.
                let count = recv(connection, &bytes, bytes.count, 0)
                let head = Self.head(acceptingRequest: String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self))
                send(connection, head, head.count, CInt(MSG_NOSIGNAL))
                recv(connection, &bytes, bytes.count, 0)
                send(connection, reply, reply.count, CInt(MSG_NOSIGNAL))
                // The client's close frame.
                recv(connection, &bytes, bytes.count, 0)
                close(connection)
            }
        }
    }

    var url: String { "http://127.0.0.1:\(listener.port)/" }

    private static func head(acceptingRequest request: String) -> [UInt8] {
        let lines = request.split(separator: "\r\n")
        let key = lines.first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst("Sec-WebSocket-Key: ".count) ?? ""
        let fields = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
        return Array("HTTP/1.1 101 \r\n\(fields)\(OpeningHandshake.acceptance(of: String(key)))\r\n\r\n".utf8)
    }
}
#endif
