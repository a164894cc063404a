extension LoopbackServer {
    /// What a server has seen and done up to a moment.
    public struct Journal: Sendable {
        /// The requests, in the order their heads arrived.
        public internal(set) var requests: [RecordedRequest] = []
        /// Why each malformed request was turned away, in order: those without a proper head are not among `requests`.
        public internal(set) var rejections: [String] = []
        /// The connections accepted so far.
        public internal(set) var acceptedConnections = 0
        /// The connections that are open now.
        public internal(set) var openConnections = 0
        /// The bytes of content the kernel has taken so far, of all replies.
        public internal(set) var bytesWritten = 0
    }
}

extension LoopbackServer.Journal: CustomStringConvertible {
    /// A line or two for the message of a failed test.
    public var description: String {
        let exchanges = requests.suffix(10).map { "\($0.method) \($0.target) \($0.state)" }
        let counts = "\(requests.count) requests, \(rejections.count) rejected, \(openConnections) open connections"
        return exchanges.isEmpty ? counts : "\(counts): \(exchanges.joined(separator: ", "))"
    }
}

extension LoopbackServer.Journal {
    /// The request of that number, when it has arrived.
    func request(_ number: Int) -> RecordedRequest? {
        requests.indices.contains(number - 1) ? requests[number - 1] : nil
    }
}
