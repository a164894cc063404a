extension Journal {
    /// The record of a connection of HTTP/2.
    public struct HTTP2Connection: Sendable, Identifiable {
        /// A frame of the client that concerns the connection, or ends a stream.
        public enum Frame: Sendable, Hashable {
            case settings([HTTP2Settings.Setting])
            case settingsAcknowledgement
            case ping([UInt8])
            case pingAcknowledgement([UInt8])
            case goAway(last: Int, HTTP2ErrorCode, debugData: [UInt8] = [])
            case resetStream(Int, HTTP2ErrorCode)
        }

        /// The number of the connection, from 1, as in ``RecordedRequest/connection``.
        public let number: Int
        /// The frames that the client has sent, in order.
        public internal(set) var frames: [Frame] = []
        /// The number of streams that are open.
        public internal(set) var openStreams = 0
        /// The largest number of streams that were open at once. A stream is open until both sides have ended it, or
        /// one has reset it.
        public internal(set) var maxOpenStreams = 0
        /// The streams that the client has opened after a GOAWAY of the server, and that the server has ignored.
        public internal(set) var ignoredStreams: [Int] = []
        /// The streams that the server has refused by itself, because there were too many at once.
        public internal(set) var refusedStreams: [Int] = []
        /// The sum of the bytes by which the client has raised the connection's window.
        public internal(set) var windowIncrements = 0
        /// Whether the connection is open.
        public internal(set) var isOpen = true

        public var id: Int { number }

        /// The codes of the RST_STREAM frames that the client has sent, by stream.
        public var resets: [Int: HTTP2ErrorCode] {
            frames.reduce(into: [:]) { resets, frame in
                if case .resetStream(let stream, let code) = frame { resets[stream] = code }
            }
        }
    }
}
