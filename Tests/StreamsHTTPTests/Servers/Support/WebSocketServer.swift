import Foundation
import StreamsHTTP
import Testing

/// A server of WebSockets, by a library that is not ours.
///
/// `/echo` sends each message back. `/close` closes the connection with 4000. `/ping` sends a ping, and a message when it
/// has been answered. The server knows the subprotocol `chat`, and compresses for clients that can decompress. That of
/// aiohttp also responds to a POST with the body that it has decoded.
struct WebSocketServer: Sendable {
    enum Library: String, CaseIterable, Sendable {
        case websockets, aiohttp

        fileprivate static let servers = Dictionary(
            uniqueKeysWithValues: allCases.map { library in (library, Task { try await WebSocketServer(library) }) })

        /// The server of all tests.
        var server: WebSocketServer {
            get async throws {
                guard let server = Self.servers[self] else { throw Program.NotInstalled(name: rawValue) }
                return try await server.value
            }
        }
    }

    /// The interpreter that has the packages, if any.
    static let python = PythonInterpreter.having("websockets", "aiohttp")

    private let port: UInt16
    private let securePort: UInt16
    private let certificates: Certificates
    let process: ServerProcess

    init(_ library: Library) async throws {
        guard let python = Self.python else { throw Program.NotInstalled(name: library.rawValue) }
        let folder = try ServerFolder(library.rawValue)
        certificates = try Certificates(in: folder)
        port = try LoopbackPort.free()
        securePort = try LoopbackPort.free()
        try folder.write(library.program, to: "server.py")
        process = try await ServerProcess(
            ["/usr/bin/env", python, "server.py", "\(port)", "\(securePort)"], folder: folder.path, port: securePort)
    }

    /// A URL in clear text.
    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    func request(_ path: String, isSecure: Bool = false) -> HTTPRequest {
        let url = isSecure ? "wss://localhost:\(securePort)\(path)" : "ws://127.0.0.1:\(port)\(path)"
        return HTTPRequest(.get, url)
            .settingOptions { $0.connection.trustRoots = .file(path: certificates.authority) }
    }
}

extension WebSocketServer.Library {
    fileprivate var program: String {
        switch self {
        case .websockets:
            """
            import asyncio, ssl, sys
            from websockets.asyncio.server import serve

            async def handle(socket):
                match socket.request.path:
                    case "/close":
                        await socket.close(4000, "as asked")
                    case "/ping":
                        await (await socket.ping())
                        await socket.send("answered")
                    case _:
                        async for message in socket:
                            await socket.send(message)

            def choose(socket, offered):
                return "chat" if "chat" in offered else None

            async def main():
                context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
                context.load_cert_chain("server.pem", "server.key")
                options = {"select_subprotocol": choose, "max_size": None}
                await serve(handle, "127.0.0.1", int(sys.argv[1]), **options)
                await serve(handle, "127.0.0.1", int(sys.argv[2]), ssl=context, **options)
                await asyncio.Future()

            asyncio.run(main())
            """
        case .aiohttp:
            """
            import asyncio, ssl, sys
            from aiohttp import WSMsgType, web

            async def handle(request):
                socket = web.WebSocketResponse(protocols=["chat"], max_msg_size=0, autoping=False)
                await socket.prepare(request)
                match request.path:
                    case "/close":
                        await socket.close(code=4000, message=b"as asked")
                    case "/ping":
                        await socket.ping()
                        if (await socket.receive()).type == WSMsgType.PONG:
                            await socket.send_str("answered")
                    case _:
                        async for message in socket:
                            match message.type:
                                case WSMsgType.TEXT:
                                    await socket.send_str(message.data)
                                case WSMsgType.BINARY:
                                    await socket.send_bytes(message.data)
                                case WSMsgType.PING:
                                    await socket.pong(message.data)
                return socket

            async def read(request):
                return web.Response(body=await request.read(), content_type=request.content_type)

            async def main():
                context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
                context.load_cert_chain("server.pem", "server.key")
                application = web.Application(client_max_size=1 << 30)
                application.router.add_get("/{path:.*}", handle)
                application.router.add_post("/{path:.*}", read)
                runner = web.AppRunner(application)
                await runner.setup()
                await web.TCPSite(runner, "127.0.0.1", int(sys.argv[1])).start()
                await web.TCPSite(runner, "127.0.0.1", int(sys.argv[2]), ssl_context=context).start()
                await asyncio.Future()

            asyncio.run(main())
            """
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where websockets and aiohttp are missing, unless the environment has `STREAMS_REQUIRE_SERVERS`.
    static var needsWebSocketServers: Self {
        .enabled(
            "no websockets and aiohttp, neither in STREAMS_HTTPBIN_PYTHON's interpreter nor in python3's"
        ) { Program.areRequired || WebSocketServer.python != nil }
    }
}
