/// The options of a WebSocket, beside those of its request.
///
/// An option that is not set is that of ``HTTPClient/Configuration/webSocketOptions``.
///
/// The connection has the options of its request, and if that sets none, those of the client, with these
/// exceptions: of the timeouts, ``RequestOptions/Timeouts/connect`` and ``RequestOptions/Timeouts/idle`` hold until
/// the connection is open, and the others do not hold at all. Nothing is retried or hedged, and every status but 101
/// is an error.
public struct WebSocketOptions: OptionGroup, Hashable, Sendable {
    struct Values: Hashable, Sendable {
        var subprotocols: [String] = []
        var maxMessageSize = 16 << 20
        var pingInterval: Duration? = .seconds(30)
        var pongTimeout = Duration.seconds(20)
        var closeTimeout = Duration.seconds(10)
        var offersCompression = true
    }

    var settings = unset

    private static let unset = Settings(Values())

    /// Creates options of which none is set.
    public init() {}

    /// Creates options of which the subprotocols alone are set.
    public init(subprotocols: [String]) {
        self.subprotocols = subprotocols
    }

    /// The subprotocols that are offered, the preferred ones first; none by default. Each is a token, and none is
    /// there twice; otherwise the stream fails with ``HTTPError/InvalidRequest/headerValue``.
    public var subprotocols: [String] {
        get { settings.subprotocols }
        set { settings.subprotocols = newValue }
    }

    /// The maximum size of a message that is received, in bytes after decompression; 16 MiB by default. A larger
    /// one fails the stream with ``HTTPError/WebSocketFailure/messageTooLarge(limit:)``, and the connection is
    /// closed with ``WebSocketCloseCode/messageTooBig``. Messages that are sent have no limit.
    public var maxMessageSize: Int {
        get { settings.maxMessageSize }
        set { settings.maxMessageSize = newValue }
    }

    /// The time without anything received after which the peer is pinged; 30 seconds by default, `nil` for never.
    /// Time in which no event is requested does not count, because nothing is read then. Messages that are sent do
    /// not postpone a ping.
    public var pingInterval: Duration? {
        get { settings.pingInterval }
        set { settings.pingInterval = newValue }
    }

    /// The time that the peer has to answer a ping, or to send anything else; 20 seconds by default. Then the stream
    /// fails with ``HTTPError/Timeout/pong``, unless the peer has taken a part of a message meanwhile.
    public var pongTimeout: Duration {
        get { settings.pongTimeout }
        set { settings.pongTimeout = newValue }
    }

    /// The time that the peer has to answer a close frame, and to close the connection; 10 seconds by default. Then
    /// the client ends the connection, and ``WebSocket/Event/closed(_:)`` tells whether the peer has answered.
    public var closeTimeout: Duration {
        get { settings.closeTimeout }
        set { settings.closeTimeout = newValue }
    }

    /// Whether compression is offered (`permessage-deflate`, RFC 7692); it is by default. The server decides. It
    /// takes up to 300 KiB for each connection on which compressed messages have been sent and received. For secrets
    /// beside texts that others choose, see <doc:WebSockets#Compression>.
    public var offersCompression: Bool {
        get { settings.offersCompression }
        set { settings.offersCompression = newValue }
    }
}

extension WebSocketOptions: CustomReflectable {
    /// The options, with the number of the subprotocols alone: some servers take a token as one.
    public var customMirror: Mirror {
        let children = Mirror(reflecting: settings.values).children.map { label, value in
            (label: label, value: label == "subprotocols" ? subprotocols.count : value)
        }
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
