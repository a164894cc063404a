import Foundation
import StreamsHTTP
import Testing

/// WebSockets with servers that have implementations of their own.
@Suite(.needsWebSocketServers, .needs(.openssl), .serialized, .reservesDescriptors) struct WebSocketServerTests {
    private let client = HTTPClient.alone

    private func record(
        _ path: String, of library: WebSocketServer.Library, isSecure: Bool = false,
        options: WebSocketOptions = WebSocketOptions()
    ) async throws -> SocketRecorder {
        let request = try await library.server.request(path, isSecure: isSecure)
        return SocketRecorder(of: client.webSocket(for: request, options: options))
    }

    /// Sends messages, and closes the connection when as many have been received.
    private func echo(_ messages: [WebSocket.Message], _ recorder: SocketRecorder) async throws {
        let socket = try await recorder.socket()
        for message in messages { try await socket.send(message) }
        try await recorder.recording.wait(for: "the echo") { $0.messages.count == messages.count }
        try await socket.close()
        let end = try await recorder.finished()
        #expect(end.messages == messages)
        #expect(end.closing == WebSocket.Closing(code: .normal) && end.failure == nil)
    }

    @Test(arguments: WebSocketServer.Library.allCases, [false, true])
    func receivesEchoes(library: WebSocketServer.Library, isSecure: Bool) async throws {
        let messages: [WebSocket.Message] = ["größer", "", .binary(Data()), .binary(Data([0, 255])), "😀"]
        try await echo(messages, record("/echo", of: library, isSecure: isSecure))
    }

    @Test(arguments: WebSocketServer.Library.allCases, [true, false])
    func agreesOnCompression(library: WebSocketServer.Library, isOffered: Bool) async throws {
        var options = WebSocketOptions()
        options.offersCompression = isOffered
        let recorder = try await record("/echo", of: library, options: options)
        let extensions = try await recorder.socket().head.headers["Sec-WebSocket-Extensions"]
        #expect(extensions?.hasPrefix("permessage-deflate") ?? false == isOffered)
        // The later ones refer to the content of those before, unless each is compressed by itself.
        let text = (0..<200).map { "{\"number\":\($0)}" }.joined(separator: ",")
        try await echo((0..<20).map { .text("\($0)\(text)") }, recorder)
    }

    @Test(arguments: WebSocketServer.Library.allCases, [true, false])
    func receivesLargeEchoes(library: WebSocketServer.Library, isCompressed: Bool) async throws {
        var options = WebSocketOptions()
        options.offersCompression = isCompressed
        var random = SystemRandomNumberGenerator()
        var bytes = Data()
        while bytes.count < 1 << 20 { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
        let text = (0..<1 << 15).map { "All streams flow into the sea, \($0). " }.joined()
        try await echo([.binary(bytes), .text(text)], record("/echo", of: library, options: options))
    }

    @Test(arguments: WebSocketServer.Library.allCases)
    func reportsServersClose(library: WebSocketServer.Library) async throws {
        let end = try await record("/close", of: library).finished()
        #expect(end.closing == WebSocket.Closing(code: .init(rawValue: 4000), reason: "as asked"))
        #expect(end.outline == ["open", "closed 4000"] && end.failure == nil)
    }

    @Test(arguments: WebSocketServer.Library.allCases)
    func receivesChosenSubprotocol(library: WebSocketServer.Library) async throws {
        let recorder = try await record("/echo", of: library, options: .init(subprotocols: ["other", "chat"]))
        #expect(try await recorder.socket().subprotocol == "chat")
        try await echo([], recorder)
    }

    @Test(arguments: WebSocketServer.Library.allCases)
    func answersPings(library: WebSocketServer.Library) async throws {
        let end = try await record("/ping", of: library).finished()
        #expect(end.messages == ["answered"])
    }

    /// The kernel still acknowledges all that is sent to a stopped process: only the missing pong tells.
    @Test(arguments: WebSocketServer.Library.allCases, [false, true])
    func noticesStoppedServer(library: WebSocketServer.Library, isSecure: Bool) async throws {
        let server = try await WebSocketServer(library)
        var options = WebSocketOptions()
        options.pingInterval = .milliseconds(100)
        options.pongTimeout = .milliseconds(500)
        let recorder = SocketRecorder(
            of: client.webSocket(for: server.request("/echo", isSecure: isSecure), options: options))
        let socket = try await recorder.socket()
        try await server.process.setSuspended(true)
        // On a slow machine, the failure may come first.
        try? await socket.send("hello")
        let end = try await recorder.finished()
        try await server.process.setSuspended(false)
        #expect(end.failure?.name == "timeout.pong" && end.messages.isEmpty)
    }

    #if os(Linux)
    /// libcurl keeps a connection that it encrypts.
    @Test(arguments: [false, true]) func leavesNothingOpen(isSecure: Bool) async {
        await #expect(processExitsWith: .success) { [isSecure = isSecure as Bool] in
            let client = HTTPClient.alone
            let request = try await WebSocketServer.Library.websockets.server.request("/close", isSecure: isSecure)
            func open(_ count: Int) async throws {
                for _ in 0..<count {
                    let end = try await SocketRecorder(of: client.webSocket(for: request)).finished()
                    #expect(end.closing?.code.rawValue == 4000)
                }
            }
            // The first connections make what the process keeps for good.
            try await open(5)
            let start = try await ProcessCensus.first()
            try await open(20)
            #expect(try await ProcessCensus.afterReturn(to: start).descriptors <= start.descriptors)
        }
    }
    #endif
}
