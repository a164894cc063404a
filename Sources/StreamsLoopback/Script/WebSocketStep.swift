/// A step of the server's side of a WebSocket (RFC 6455); see ``Reply/webSocket(_:)``.
///
/// The steps follow each other. Meanwhile, and after the last, the server answers pings, and a close frame ends the
/// connection in order. Nothing is validated, so that a test can send anything.
public enum WebSocketStep: Sendable {
    /// Sends a message in one frame.
    case send(WebSocketMessage)
    /// Sends binary messages of a number of bytes of ``GeneratedBytes``, again and again, until the connection ends.
    case flood(bytes: Int)
    /// Sends a ping.
    case ping
    /// Sends bytes as they are, such as those of a broken frame.
    case bytes([UInt8])
    /// Waits.
    case pause(Duration)
    /// Waits until the gate opens.
    case hold(Gate)
    /// Waits for a message of the client, and continues with the steps that a closure returns, before those that
    /// follow. The closure runs on the connection's thread, and should not block.
    case answer(@Sendable (WebSocketMessage) -> [WebSocketStep])
    /// Answers no ping and no close frame from now on, as if the server were gone.
    case stopAnswering
    /// Sends a close frame, and waits for that of the client. Without a code, the frame is empty.
    case close(UInt16? = 1000, reason: String = "")
    /// Closes the connection (FIN) without a close frame.
    case drop
    /// Resets the connection (RST).
    case reset

    /// Sends each message of the client back.
    public static var echo: WebSocketStep { .answer { [.send($0), .echo] } }

    /// Waits for a message of the client.
    public static var receive: WebSocketStep { .answer { _ in [] } }
}

extension Reply {
    /// Returns a reply that opens a WebSocket, whose server follows a script.
    ///
    /// ```swift
    /// server.on("GET", "/echo", .webSocket(.echo))
    /// server.on("GET", "/prices", .webSocket(.send("1"), .drop), .status(503), .webSocket(.send("2"), .close()))
    /// ```
    ///
    /// The intake of the route is the way in which the server reads what the client sends: with ``Intake/never``, it
    /// reads nothing. A request that asks for no WebSocket gets status 426. Only faults before the end of the head have
    /// an effect; the script has steps for others.
    public static func webSocket(_ steps: WebSocketStep...) -> Reply {
        .webSocket(steps)
    }

    /// Returns a reply that opens a WebSocket, whose server follows a script.
    public static func webSocket(_ steps: [WebSocketStep]) -> Reply {
        var reply = Reply(101)
        reply.webSocketSteps = steps
        return reply
    }

    /// Returns this reply with the fields that accept the request; another one if the reply opens a WebSocket and the
    /// request does not.
    func accepting(_ request: RecordedRequest) -> Reply {
        guard webSocketSteps != nil else { return self }
        guard request.headers.list("Upgrade", contains: "websocket"), let key = request.headers["Sec-WebSocket-Key"]
        else { return Reply(426, headers: ["Upgrade": "websocket"]) }
        var reply = self
        let acceptance = base64(SHA1.digest(of: Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
        let fields: HeaderFields = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": acceptance,
        ]
        for field in fields where reply.headers[field.name] == nil { reply.headers.append(field) }
        return reply
    }
}
