import Dispatch
import StreamsHTTP
import Testing

#if os(Linux)
import Glibc

/// A process that is stopped for longer than its streams' idle timeout, as a suspended machine is.
@Suite(.serialized, .reservesDescriptors) struct StoppedProcessTests {
    @Test func readsWhatArrivedBeforeItJudgesSilence() async {
        await #expect(processExitsWith: .success) {
            let server = try ChunkServer()
            let options = RequestOptions.with { $0.timeouts.idle = .seconds(1) }
            let client = HTTPClient(
                configuration: HTTPClient.Configuration(options: options), transport: CurlTransport())
            // More than the events that one wait reports.
            let recorders = (0..<200).map { _ in
                EventRecorder(of: client.events(for: HTTPRequest(.get, server.url)))
            }
            let connections = server.acceptAndBegin(recorders.count)
            for recorder in recorders { try await recorder.wait(for: "a chunk") { $0.chunkCount == 1 } }
            let helper = try server.stopThisProcess(
                for: .seconds(2), sending: "1\r\nb\r\n", to: connections)
            for recorder in recorders {
                try await recorder.wait(for: "the other chunk") { $0.chunkCount == 2 || $0.isComplete }
            }
            for connection in connections { ChunkServer.send("0\r\n\r\n", to: connection) }
            for recorder in recorders {
                let recording = try await recorder.finished()
                #expect(recording.failure == nil && recording.body == Data("ab".utf8))
            }
            #expect(waitpid(helper, nil, 0) == helper)
        }
    }
}

/// A server of chunked bodies without a thread, whose connections another process can write to.
private struct ChunkServer {
    private let listener: ListeningSocket

    init() throws {
        listener = try ListeningSocket(backlog: 1024)
    }

    var url: String { "http://127.0.0.1:\(listener.port)/" }

    /// Accepts connections, reads their requests, and sends heads and a first chunk.
    func acceptAndBegin(_ count: Int) -> [CInt] {
        (0..<count).map { _ in
            let connection = accept(listener.descriptor, nil, nil)
            var request = [UInt8](repeating: 0, count: 4096)
            _ = recv(connection, &request, request.count, 0)
            Self.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n", to: connection)
            return connection
        }
    }

    /// Stops this process, and lets it go on when the time is over, from a process of its own.
    ///
    /// - Parameter text: The text that is sent to each connection while this process is stopped.
    /// - Returns: The other process.
    func stopThisProcess(for duration: Duration, sending text: String, to connections: [CInt]) throws -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: Fork.self)
        let parent = getpid()
        let half = CInt(duration / .milliseconds(2))
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        // Ready when this process has ended: the other one has no other reason to stop waiting.
        var parentsEnd = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        let helper = fork()
        guard helper == 0 else { return helper }
        close(ends[1])
        kill(parent, SIGSTOP)
        // Until the threads stand still: the bytes must not end a wait that is still under way.
        poll(&parentsEnd, 1, half)
        for connection in connections { Self.send(text, to: connection) }
        poll(&parentsEnd, 1, half)
        kill(parent, SIGCONT)
        _exit(0)
    }

    static func send(_ text: String, to connection: CInt) {
        _ = text.withCString { Glibc.send(connection, $0, strlen($0), CInt(MSG_NOSIGNAL)) }
    }
}
#endif
