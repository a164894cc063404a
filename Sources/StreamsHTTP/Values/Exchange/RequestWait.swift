extension HTTPRequest {
    /// The wait of a request before it is sent: its place, and the time that it has taken so far.
    ///
    /// ``HTTPClient/Snapshot/ActiveRequest/wait`` is the wait of a request under way, and ``HTTPError/Timeout/wait`` that
    /// of a request whose timeout has expired. <doc:LifeOfARequest> lists the places in their order.
    public struct Wait: Hashable, Sendable {
        /// A place where requests wait.
        public struct Place: RawRepresentable, Hashable, Sendable {
            /// The name, a noun that follows "for a" in descriptions, such as `connection to the host`.
            public let rawValue: String

            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// Waits for a slot of the client (``HTTPClient/Limits/maxConcurrentRequests``).
            public static let slot = Place(rawValue: "slot of the client")
            /// Waits for a place among the requests to an origin
            /// (``HTTPClient/Limits/maxConcurrentRequestsPerOrigin``).
            public static let originPlace = Place(rawValue: "place at the origin")
            /// Waits for a token of ``HTTPClient/Limits/rateLimit``.
            public static let token = Place(rawValue: "token of the rate limit")
            /// Waits for room for another connection to the host (`CurlTransport.Configuration.maxConnectionsPerHost`).
            public static let connection = Place(rawValue: "connection to the host")
            /// Waits for its turn to open a connection, or for a connection being opened that may serve it, too.
            public static let turnToOpen = Place(rawValue: "turn to open a connection")
            /// Waits for the lookup of its name, which may have to wait for others.
            public static let nameLookup = Place(rawValue: "name lookup")
            /// Waits for a file descriptor.
            public static let descriptor = Place(rawValue: "descriptor")

            /// Whether the request waits for a permit of the client's policies.
            var isPermit: Bool { self == .originPlace || self == .token }
        }

        /// The place.
        public let place: Place
        /// The time since the request began to wait at this place: by the client's clock if the client has the place,
        /// and by the system's if the transport has it.
        public let elapsed: Duration

        /// Creates a wait, for transports; the properties describe the parameters.
        public init(_ place: Place, elapsed: Duration) {
            self.place = place
            self.elapsed = elapsed
        }
    }
}

extension HTTPRequest.Wait: CustomStringConvertible {
    /// The time in seconds and the place, such as `2.5 s for a connection to the host`.
    public var description: String { "\(elapsed.text) for a \(place.rawValue)" }
}

extension Duration {
    /// The duration in seconds, with tenths below 100 seconds.
    var text: String {
        let (seconds, attoseconds) = components
        return seconds >= 100 ? "\(seconds) s" : "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
    }
}
