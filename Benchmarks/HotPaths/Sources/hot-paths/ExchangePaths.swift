import Measuring
import StreamsHTTP
import StreamsLoopback

/// Whole exchanges, from the call to the socket and back, the server's part included. Threads take turns as they come,
/// so that no two runs cost quite the same.
let exchangePaths = [
    Pipeline("client.value(for:), over loopback", .request) { count, sum in
        CallerExecutor.run {
            let server = try LoopbackServer()
            defer { server.stop() }
            var reply = Reply.json(Document.text)
            for (name, value) in Document.fields where name != "Content-Type" { reply.headers.append(name, value) }
            server.on("GET", "/7.json", reply)
            let call = GetDocument(path: server.url("/7.json"))
            let client = HTTPClient()
            for _ in 0..<count { sum.add(try await client.value(for: call).id) }
        }
    },
    // Each message is sent when the one before it has come back.
    Pipeline("client.webSocket(for:), an echo over loopback", .event) { count, sum in
        CallerExecutor.run {
            let server = try LoopbackServer()
            defer { server.stop() }
            server.on("GET", "/", .webSocket(.echo))
            let message = WebSocket.Message.text(Document.text)
            var echoes = 0
            var socket: WebSocket?
            for try await event in HTTPClient().webSocket(for: HTTPRequest(.get, server.url("/"))).values {
                switch event {
                case .open(let opened): socket = opened
                case .message: echoes += 1
                case .closed: return sum.add(echoes)
                }
                if echoes < count { try await socket?.send(message) } else { try await socket?.close() }
            }
        }
    },
]
