/// The record of a server's requests and connections up to a moment.
public struct Journal: Sendable {
    /// The requests, in the order in which their heads were received.
    public internal(set) var requests: [RecordedRequest] = []
    /// The reasons for the rejection of malformed requests and of violations of HTTP/2, in order, such as
    /// `400: not a request line` and `PROTOCOL_ERROR: CONTINUATION without HEADERS`. Requests without a valid head
    /// are not in `requests`.
    public internal(set) var rejections: [String] = []
    /// The records of the connections of HTTP/2, in the order in which they began.
    public internal(set) var http2Connections: [HTTP2Connection] = []
    /// The number of connections accepted so far.
    public internal(set) var acceptedConnections = 0
    /// The number of open connections.
    public internal(set) var openConnections = 0
    /// The number of bytes of content of all replies that the kernel has accepted so far.
    public internal(set) var bytesWritten = 0
}

extension Journal: CustomStringConvertible {
    /// A short summary, for the messages of failed tests.
    public var description: String {
        let exchanges = requests.suffix(10).map { "\($0.method) \($0.target) \($0.state)" }
        let counts = "\(requests.count) requests, \(rejections.count) rejected, \(openConnections) open connections"
        return exchanges.isEmpty ? counts : "\(counts): \(exchanges.joined(separator: ", "))"
    }
}

extension Journal {
    /// Returns the request of a number; `nil` if it has not been received.
    func request(_ number: Int) -> RecordedRequest? {
        requests.indices.contains(number - 1) ? requests[number - 1] : nil
    }
}
