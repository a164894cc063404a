/// The connections of a transport to one origin.
///
/// A connection counts for the origin that it was opened for. One to a proxy may serve exchanges with other origins.
public struct OriginConnections: Hashable, Sendable {
    /// The scheme, host and port: `https://api.example.com:443`.
    public var origin: String
    /// The version of the latest response; `nil` before the first.
    public var version: HTTPVersion?
    /// The number of sockets that are connecting, or whose TLS handshake is under way.
    public var connecting: Int
    /// The number of established connections.
    public var open: Int
    /// The number of exchanges under way that have a connection.
    public var exchanges: Int
    /// The number of exchanges so far that had a new connection.
    public var opened: Int
    /// The number of exchanges so far that reused a connection.
    public var reused: Int

    /// Creates counts; the properties describe the parameters.
    public init(
        origin: String, version: HTTPVersion? = nil, connecting: Int = 0, open: Int = 0, exchanges: Int = 0,
        opened: Int = 0, reused: Int = 0
    ) {
        self.origin = origin
        self.version = version
        self.connecting = connecting
        self.open = open
        self.exchanges = exchanges
        self.opened = opened
        self.reused = reused
    }

    /// The number of established connections without an exchange. With HTTP/2, exchanges share connections: as long as
    /// there is an exchange, none counts as idle.
    public var idle: Int {
        guard version != .http2 else { return exchanges == 0 ? open : 0 }
        return max(open - exchanges, 0)
    }

    /// Returns the sums of the counts of one origin by two engines.
    func merging(_ other: OriginConnections) -> OriginConnections {
        OriginConnections(
            origin: origin, version: version ?? other.version, connecting: connecting + other.connecting,
            open: open + other.open, exchanges: exchanges + other.exchanges, opened: opened + other.opened,
            reused: reused + other.reused)
    }

    /// The share of exchanges that reused a connection, from 0 to 1; `nil` before the first.
    public var reuseRatio: Double? {
        let (count, overflow) = opened.addingReportingOverflow(reused)
        return overflow || count <= 0 ? nil : Double(reused) / Double(count)
    }
}
