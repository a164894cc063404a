import StreamsHTTP

/// A WebSocket as the command line describes it, besides its request.
struct WebSocketArguments {
    /// Whether the request opens a WebSocket.
    var isWanted = false
    var options = WebSocketOptions()
    /// Whether lines of standard input are sent as binary messages.
    var sendsBinary = false
    /// Whether each message is sent back, instead of the lines of standard input.
    var echoes = false
    /// Whether a connection that breaks is opened again.
    var reconnects = false
    /// The time after the end of standard input for which messages are still received; `nil` for the default.
    var linger: Duration?
}

extension WebSocketArguments {
    mutating func addSubprotocol(_ name: String) throws(UsageError) {
        guard name.isToken else { throw UsageError("\(name.quoted) is no subprotocol") }
        options.subprotocols.append(name)
    }
}

extension RequestArguments {
    /// Checks the options that depend on each other.
    func checkWebSocket() throws(UsageError) {
        guard webSocket.isWanted else { return }
        if webSocket.echoes, webSocket.sendsBinary || webSocket.linger != nil {
            throw UsageError("--echo does not read standard input, and has neither --binary nor --linger")
        }
        if webSocket.reconnects, webSocket.echoes || webSocket.linger != nil {
            throw UsageError("--reconnect has neither --echo nor --linger")
        }
        if !webSocket.reconnects, options.contains(where: { $0.option == .reconnectDelay }) {
            throw UsageError("--reconnect-delay needs --reconnect")
        }
    }
}
