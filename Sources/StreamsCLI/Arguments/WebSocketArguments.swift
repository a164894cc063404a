import StreamsHTTP

/// A WebSocket as the command line describes it, besides its request.
struct WebSocketArguments {
    /// Whether the request opens a WebSocket.
    var isWanted = false
    var options = WebSocket.Options()
    /// Whether lines of standard input are binary messages.
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
