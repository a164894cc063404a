import StreamsHTTP
import StreamsLoopback

/// Failures of WebSockets.
extension FaultMatrix {
    static let webSocketRows: [FaultRow] = [
        FaultRow(
            "The response opens no WebSocket", "status(200)", exitStatus: 22, use: .webSocket(.init()),
            .reply(.text("hello"))),
        FaultRow(
            "The response accepts another request", "web-socket.not-accepted", exitStatus: 56, use: .webSocket(.init()),
            acceptance(["Sec-WebSocket-Accept": "c29tZXRoaW5nIGVsc2U="]), acceptance(["Upgrade": "other"])),
        FaultRow(
            "The server chooses what was not offered", "web-socket.not-accepted", exitStatus: 56,
            use: .webSocket(.init()),
            acceptance(["Sec-WebSocket-Protocol": "chat"]), acceptance(["Sec-WebSocket-Extensions": "bbf-usp"])),
        FaultRow(
            "A frame is malformed", "web-socket.protocol-error", exitStatus: 56, use: .webSocket(.init()),
            .reply(.webSocket(.bytes([0x83, 0]))), .reply(.webSocket(.bytes([0x91, 0]))),
            .reply(.webSocket(.bytes([0x81, 0x80, 1, 2, 3, 4]))), .reply(.webSocket(.bytes([0x80, 0]))),
            .reply(.webSocket(.bytes([0x88, 1, 3])))),
        FaultRow(
            "A text is not UTF-8", "web-socket.invalid-text", exitStatus: 56, use: .webSocket(.init()),
            .reply(.webSocket(.bytes([0x81, 1, 0xFF]))), .reply(.webSocket(.bytes([0x01, 2, 0x61, 0xC0])))),
        FaultRow(
            "A message cannot be decompressed", "web-socket.undecodable-message", exitStatus: 56,
            use: .webSocket(.init()),
            acceptance(["Sec-WebSocket-Extensions": "permessage-deflate"], .bytes([0xC1, 1, 0xFF]))),
        FaultRow(
            "A message is too large", "web-socket.message-too-large(16777216)", exitStatus: 63,
            bound: "WebSocketOptions/maxMessageSize", use: .webSocket(.init()),
            .reply(.webSocket(.bytes([0x82, 127, 0, 0, 0, 0, 1, 0, 0, 1]))),
            .reply(.webSocket([.bytes([0x02, 0])] + Array(repeating: .bytes(fragment), count: 300)))),
        FaultRow(
            "The server closes with a code that is an error", "web-socket.closed(1008)", exitStatus: 71,
            use: .webSocket(.init()), .reply(.webSocket(.close(1008))), .reply(.webSocket(.send("one"), .close(1008)))),
        FaultRow(
            "The server closes with a code that can be transient", "web-socket.closed(1011)", isRetried: true,
            exitStatus: 71, use: .webSocket(.init()), .reply(.webSocket(.close(1011)))),
        FaultRow(
            "The connection closes without a close frame", "web-socket.lost", isRetried: true, exitStatus: 56,
            use: .webSocket(.init()), .reply(.webSocket(.drop)), .reply(.webSocket(.send("one"), .drop)),
            .reply(.webSocket(.bytes([0x81, 100, 0x61]), .drop))),
        FaultRow(
            "The connection of a WebSocket is reset", "transfer.receive-failed", isRetried: true, exitStatus: 56,
            use: .webSocket(.init()), .reply(.webSocket(.reset))),
        FaultRow(
            "The server answers no ping", "timeout.pong", isRetried: true, exitStatus: nil,
            bound: "WebSocketOptions/pingInterval", setting: .pongTimeout, use: .webSocket(.impatient),
            .reply(.webSocket(.stopAnswering))),
    ]

    /// A fragment of 64 KiB, which is not the last.
    private static let fragment: [UInt8] = [0x00, 127, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 1, count: 65_536)

    private static func acceptance(_ headers: HeaderFields, _ steps: WebSocketStep...) -> FaultPeer {
        var reply = Reply.webSocket(steps)
        reply.headers = headers
        return .reply(reply)
    }
}

extension WebSocketOptions {
    /// Options that notice a silent server soon.
    fileprivate static var impatient: WebSocketOptions {
        var options = WebSocketOptions()
        options.pingInterval = .milliseconds(100)
        options.pongTimeout = .milliseconds(100)
        return options
    }
}
