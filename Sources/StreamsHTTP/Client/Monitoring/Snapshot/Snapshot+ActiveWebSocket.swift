extension HTTPClient.Snapshot {
    /// A WebSocket under way. Those of feeds are in ``HTTPClient/Snapshot/feeds``.
    public struct ActiveWebSocket: Hashable, Sendable {
        /// The phase of a WebSocket.
        public struct Phase: RawRepresentable, Hashable, Sendable {
            public let rawValue: String

            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// Waits in the client's queue of feeds.
            public static let queued = Phase(rawValue: "queued")
            /// Connects, or waits for the response's head.
            public static let opening = Phase(rawValue: "opening")
            /// Is open.
            public static let open = Phase(rawValue: "open")
            /// A close frame has been sent, and the connection has not ended.
            public static let closing = Phase(rawValue: "closing")
            /// Has ended, and delivers its completion.
            public static let ending = Phase(rawValue: "ending")
        }

        /// The call site of the nearest `checkpoint(_:fileID:line:)` that has subscribed to it, the same as in the
        /// `Census`; `nil` if there is none.
        public let callSite: CallSite?
        /// The URL of the request, with the scheme `http` or `https`, without secrets
        /// (``HTTPClient/Configuration/redaction``).
        public let url: String
        /// The phase.
        public let phase: Phase
        /// The time since the first demand, by the client's clock.
        public let age: Duration
        /// The number of messages that were delivered.
        public let messages: Int
    }
}
