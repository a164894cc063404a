import Foundation
import Testing

/// A server of WebSockets, by `websockets` from PyPI. It prints the end of each connection.
final class SocketServer: Sendable {
    private static let python = ProcessInfo.processInfo.environment["STREAMS_HTTPBIN_PYTHON"] ?? "python3"

    /// Whether the tests that need it can run, or must.
    static let isExpected: Bool = {
        guard ProcessInfo.processInfo.environment["STREAMS_REQUIRE_SERVERS"] == nil else { return true }
        let probe = Process()
        guard (try? start(probe, ["import websockets"], output: FileHandle.nullDevice)) != nil else { return false }
        return probe.waitForStatus() == 0
    }()

    private let process = Process()
    private let output = Pipe.uninherited()
    private let port: String

    /// Starts a server, on a thread that may wait for it.
    static func start() async throws -> SocketServer {
        try await Running.onThread { Result { try SocketServer() } }.get()
    }

    private init() throws {
        try Self.start(process, [Self.program], output: output)
        try output.fileHandleForWriting.close()
        port = try #require(Self.line(from: output.fileHandleForReading))
    }

    deinit {
        // A process inherits which signals its starter's thread blocks, and that may be every one that can be blocked.
        kill(process.processIdentifier, SIGKILL)
    }

    func url(_ path: String) -> String { "ws://127.0.0.1:\(port)\(path)" }

    /// Waits for the end of a connection.
    ///
    /// - Returns: The close code that the client has sent; 1006 without a close frame.
    func endOfConnection() async throws -> String {
        let handle = output.fileHandleForReading
        return try #require(await Running.onThread { Self.line(from: handle) })
    }

    private static func start(_ process: Process, _ arguments: [String], output: Any) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [python, "-c"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    private static func line(from handle: FileHandle) -> String? {
        var line = Data()
        while let byte = try? handle.read(upToCount: 1), !byte.isEmpty {
            if byte.first == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line += byte
        }
        return nil
    }

    private static let program = #"""
        import asyncio
        from websockets.asyncio.server import serve

        async def echo(socket):
            async for message in socket:
                if message == "bye":
                    return
                await socket.send(message)

        async def close(socket, code):
            await socket.close(int(code), "as asked")

        async def say(socket):
            for message in ("one", "two\nlines", b"\x00\xff"):
                await socket.send(message)

        async def hold(socket):
            await socket.send("here")
            await socket.wait_closed()

        async def ask(socket):
            await socket.send("question")
            await socket.close(1000, await socket.recv())

        # The client has answered the ping when the answer is sent, so it has not closed the connection.
        async def answer_late(socket):
            message = await socket.recv()
            await (await socket.ping())
            await socket.send(message)
            await socket.wait_closed()

        connections = 0

        async def break_once(socket):
            global connections
            connections += 1
            await socket.send(await socket.recv())
            await (await socket.ping())
            if connections == 1:
                socket.transport.abort()
            else:
                await socket.close(4001, "enough")

        async def handle(socket):
            name, *arguments = socket.request.path.strip("/").split("/")
            handlers = {
                "echo": echo, "close": close, "say": say, "hold": hold, "ask": ask, "late": answer_late,
                "break": break_once,
            }
            try:
                await handlers[name](socket, *arguments)
            finally:
                await socket.close()
                print(socket.close_code, flush=True)

        def refuse(socket, request):
            if request.path == "/refused":
                return socket.respond(403, "not\nfor you\n")

        def choose(socket, offered):
            return "chat" if "chat" in offered else None

        async def main():
            async with serve(handle, "127.0.0.1", 0, select_subprotocol=choose, process_request=refuse) as server:
                print(server.sockets[0].getsockname()[1], flush=True)
                await asyncio.Future()

        asyncio.run(main())
        """#
}
