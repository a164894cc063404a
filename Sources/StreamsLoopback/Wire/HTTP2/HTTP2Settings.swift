/// The settings that a server sends at the beginning of each connection of HTTP/2, and holds its clients to.
///
/// A setting that is `nil` is not sent, and has the protocol's default. A client must obey a setting from its
/// acknowledgement on; the server rejects one that does not.
public struct HTTP2Settings: Sendable, Hashable {
    /// One setting on the wire (RFC 9113 section 6.5.1).
    public struct Setting: Sendable, Hashable {
        /// The identifier, such as 3 for the maximum number of concurrent streams.
        public var identifier: UInt16
        /// The value.
        public var value: UInt32

        /// Creates a setting, which need not be valid.
        public init(_ identifier: UInt16, _ value: UInt32) {
            self.identifier = identifier
            self.value = value
        }
    }

    /// The way in which the connection's window for uploads is replenished.
    public enum ConnectionWindow: Sendable, Hashable {
        /// When bytes are received, so that a slow upload does not hold back others.
        case onReceipt
        /// When the routes' intakes read bytes, so that a slow upload holds back others.
        case onReading
    }

    /// The size of the table that the client may compress its field blocks with.
    public var headerTableSize: UInt32?
    /// The number of streams that the client may have open at once. A stream above it is refused.
    public var maxConcurrentStreams: UInt32?
    /// The window of each stream for uploads.
    public var initialWindow: UInt32?
    /// The largest payload of a frame that the client may send.
    public var maxFrameSize: UInt32?
    /// The advised size of a request's fields. The server's own limit is ``LoopbackServer/Limits/head``.
    public var maxHeaderListSize: UInt32?
    /// Settings that are sent after the others and have no effect on the server. They need not be valid.
    public var others: [Setting] = []
    /// Whether the settings are sent. A server must send its settings first.
    public var areSent = true
    /// Whether the server acknowledges the client's settings.
    public var acknowledgesSettings = true
    /// Whether the server answers the client's pings.
    public var answersPings = true
    /// The window of the whole connection for uploads, at least 65,535.
    public var connectionWindow = 65_535
    /// The way in which the connection's window is replenished.
    public var replenishing = ConnectionWindow.onReceipt

    /// Creates settings. Without any, an empty SETTINGS frame is sent.
    public init(
        headerTableSize: UInt32? = nil, maxConcurrentStreams: UInt32? = nil, initialWindow: UInt32? = nil,
        maxFrameSize: UInt32? = nil, maxHeaderListSize: UInt32? = nil
    ) {
        self.headerTableSize = headerTableSize
        self.maxConcurrentStreams = maxConcurrentStreams
        self.initialWindow = initialWindow
        self.maxFrameSize = maxFrameSize
        self.maxHeaderListSize = maxHeaderListSize
    }
}

extension HTTP2Settings {
    /// The settings on the wire, in order.
    var all: [Setting] {
        let values: [(UInt16, UInt32?)] = [
            (1, headerTableSize), (3, maxConcurrentStreams), (4, initialWindow), (5, maxFrameSize),
            (6, maxHeaderListSize),
        ]
        return values.compactMap { identifier, value in value.map { Setting(identifier, $0) } } + others
    }
}

extension HTTP2Settings.Setting: CustomStringConvertible {
    public var description: String { "\(identifier)=\(value)" }
}
