import StreamsHTTP
import Testing

typealias SocketRecorder = StreamRecorder<SocketRecording>

/// The events of a WebSocket.
struct SocketRecording: StreamRecording {
    private(set) var messages: [WebSocket.Message] = []
    private(set) var socket: WebSocket?
    private(set) var closing: WebSocket.Closing?
    private(set) var outline: [String] = []
    var signals = SignalLog()

    mutating func accept(_ event: WebSocket.Event) {
        switch event {
        case .open(let socket):
            self.socket = socket
            outline.append("open")
        case .message(let message):
            messages.append(message)
            outline.append("message")
        case .closed(let closing):
            self.closing = closing
            outline.append("closed \(closing.code)")
        }
    }
}

extension StreamRecorder<SocketRecording> {
    /// Waits until the WebSocket is open.
    func socket() async throws -> WebSocket {
        try #require(try await wait(for: "the opening") { $0.socket != nil }.socket)
    }
}
